//! Address spaces and the frames behind their pages. A frame is 4 KB of memory, numbered when first
//! touched: the traces alone decide. Behind a page:
//! ```text
//!   mapped                          load                       store
//!   shared (file or memory)         the object's frame         the same
//!   private file                    the object's frame         a frame of its own from now on
//!   before the fork                 the ancestor's frame       a frame of its own from now on
//!   by the space itself             a frame of its own         the same
//! ```
//! The second and third are copy on write. [`Memory::wrote`] tells of pages written before the
//! window of a trace opens. Not modelled: the zero page, merged and swapped pages.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use crate::sharing::Spread;

/// A mapping of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backing {
    /// Memory of the space itself.
    Own,
    /// A file, or memory that several spaces share.
    Object {
        /// A number for it.
        object: u64,
        /// The first page in it.
        page: u64,
        /// Whether a page that a space writes is its own from then on.
        private: bool,
    },
    /// As it was when an ancestor forked.
    Inherited {
        /// The ancestor that had it mapped.
        from: u32,
    },
}

type Table<K, V> = HashMap<K, V, BuildHasherDefault<Spread>>;

#[derive(Debug, Clone, Copy)]
struct Region {
    end: u64,
    backing: Backing,
}

#[derive(Debug)]
struct Space {
    /// Behind pages that no region holds.
    default: Backing,
    regions: BTreeMap<u64, Region>,
    table: Table<u64, Page>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) frame: u32,
    pub(crate) copy_on_write: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Memory {
    spaces: Vec<Option<Space>>,
    common: Table<(u64, u64), u32>,
    frames: u32,
}

const ANCESTOR: u64 = 1 << 63;

impl Memory {
    pub(crate) fn frames(&self) -> usize {
        self.frames as usize
    }

    fn space(&mut self, space: u32) -> &mut Space {
        let at = space as usize;
        if at >= self.spaces.len() {
            self.spaces.resize_with(at + 1, || None);
        }
        self.spaces[at].get_or_insert_with(|| Space {
            default: Backing::Own,
            regions: BTreeMap::new(),
            table: Table::default(),
        })
    }

    pub(crate) fn fork(&mut self, parent: u32, child: u32) {
        let own = self.space(parent);
        let inherited = |backing| match backing {
            Backing::Own => Backing::Inherited { from: parent },
            other => other,
        };
        let regions = own.regions.iter().map(|(start, region)| {
            let backing = inherited(region.backing);
            (*start, Region { backing, ..*region })
        });
        let space = Space {
            default: inherited(own.default),
            regions: regions.collect(),
            table: Table::default(),
        };
        self.space(child);
        self.spaces[child as usize] = Some(space);
    }

    pub(crate) fn map(&mut self, space: u32, first: u64, pages: u64, backing: Backing) {
        let own = self.space(space);
        let end = first.saturating_add(pages);
        cut(&mut own.regions, first, end);
        own.regions.insert(first, Region { end, backing });
        forget(&mut own.table, first, end);
    }

    pub(crate) fn unmap(&mut self, space: u32, first: u64, pages: u64) {
        self.map(space, first, pages, Backing::Own);
    }

    pub(crate) fn wrote(&mut self, space: u32, page: u64) {
        let _is_its_own_now = self.page(space, page, true);
    }

    pub(crate) fn page(&mut self, space: u32, page: u64, store: bool) -> (Page, bool) {
        let known = self.space(space).table.get(&page).copied();
        if let Some(known) = known.filter(|known| !(store && known.copy_on_write)) {
            return (known, false);
        }
        let found = match self.backing(space, page) {
            Backing::Object {
                object,
                page,
                private,
            } if !(private && store) => self.common(object, page, private),
            Backing::Inherited { from } if !store => {
                self.common(ANCESTOR | u64::from(from), page, true)
            }
            _ => self.fresh(),
        };
        self.space(space).table.insert(page, found);
        (found, known.is_some())
    }

    fn backing(&mut self, space: u32, page: u64) -> Backing {
        let own = self.space(space);
        let region = own.regions.range(..=page).next_back();
        let Some((start, region)) = region.filter(|(_, region)| page < region.end) else {
            return own.default;
        };
        moved(region.backing, page - start)
    }

    fn common(&mut self, object: u64, page: u64, copy_on_write: bool) -> Page {
        let next = self.frames;
        let frame = *self.common.entry((object, page)).or_insert(next);
        self.frames += u32::from(frame == next);
        Page {
            frame,
            copy_on_write,
        }
    }

    fn fresh(&mut self) -> Page {
        self.frames += 1;
        Page {
            frame: self.frames - 1,
            copy_on_write: false,
        }
    }
}

fn cut(regions: &mut BTreeMap<u64, Region>, first: u64, end: u64) {
    let touched = regions
        .range(..end)
        .filter(|(_, region)| region.end > first);
    let touched: Vec<(u64, Region)> = touched.map(|(start, region)| (*start, *region)).collect();
    for (start, region) in touched {
        regions.remove(&start);
        if start < first {
            regions.insert(
                start,
                Region {
                    end: first,
                    ..region
                },
            );
        }
        if region.end > end {
            let backing = moved(region.backing, end - start);
            regions.insert(end, Region { backing, ..region });
        }
    }
}

fn moved(mut backing: Backing, by: u64) -> Backing {
    if let Backing::Object { page, .. } = &mut backing {
        *page += by;
    }
    backing
}

fn forget(table: &mut Table<u64, Page>, first: u64, end: u64) {
    let pages = end - first;
    if pages < table.len() as u64 {
        for page in first..end {
            table.remove(&page);
        }
    } else {
        table.retain(|page, _| !(first..end).contains(page));
    }
}

#[cfg(test)]
mod tests;
