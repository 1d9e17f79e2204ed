use std::io;

/// The parent's side: takes the results that flows send while they run.
pub trait Sink {
    /// Called before each repetition. An error fails the slot.
    fn begin(&mut self) -> io::Result<()>;

    /// Takes results of one unit: `values[i]` is result `first + i` (0-based). Errors fail it.
    fn take(&mut self, unit: u64, first: u64, values: &[u64]) -> io::Result<()>;

    /// Called in the timed region when all is done and all results taken. An error fails the slot.
    fn end(&mut self) -> io::Result<()>;
}

/// A sink for bodies that send nothing; it fails on any value.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoSink;

impl Sink for NoSink {
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn take(&mut self, unit: u64, _first: u64, values: &[u64]) -> io::Result<()> {
        Err(io::Error::other(format!(
            "unit {unit} sent {} values nobody asked for",
            values.len()
        )))
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}
