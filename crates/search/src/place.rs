use crate::read::text::Nul;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'p> {
    pub(crate) root: u32,
    pub(crate) path: &'p [u8],
}

pub(crate) fn join(path: &[u8], name: &[u8]) -> Box<[u8]> {
    if path.is_empty() {
        return name.into();
    }
    let mut joined = Vec::with_capacity(path.len() + 1 + name.len());
    joined.extend_from_slice(path);
    joined.push(b'/');
    joined.extend_from_slice(name);
    joined.into_boxed_slice()
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Which<'p> {
    pub(crate) place: Place<'p>,
    pub(crate) name: &'p [u8],
    pub(crate) nul: Nul,
    pub(crate) stream: bool,
}
