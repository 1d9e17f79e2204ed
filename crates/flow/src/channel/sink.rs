use std::io;

/// The parent's side: takes the results that flows send while they run.
pub trait Sink {
    /// Called before each repetition.
    ///
    /// # Errors
    /// Whatever stops the sink from taking results; it fails the slot.
    fn begin(&mut self) -> io::Result<()>;

    /// Takes consecutive results of one unit: `values[i]` is result number `first + i`
    /// (0-based) of `unit`.
    ///
    /// # Errors
    /// Whatever stops the sink from taking results; it fails the slot.
    fn take(&mut self, unit: u64, first: u64, values: &[u64]) -> io::Result<()>;

    /// Called inside the timed region when all flows are done and all results taken.
    ///
    /// # Errors
    /// Whatever stops the sink from storing what it took; it fails the slot.
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
