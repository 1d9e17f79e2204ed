//! How results travel from flows to the parent.

/// A flow's end of its channel.
#[derive(Debug)]
pub struct Outlet<'a> {
    marker: std::marker::PhantomData<&'a ()>,
}
