//! What a page is made of. Nodes borrow their text from the page and lie in memory one by one.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block<'a> {
    Heading { level: u8, text: Inlines<'a> },
    Paragraph(Inlines<'a>),
    List(List<'a>),
    Table(Table<'a>),
    Preformatted(Inlines<'a>),
    Rule,
    Template(Call<'a>),
    References,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct List<'a> {
    pub(super) kind: ListKind,
    pub(super) items: Vec<Item<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListKind {
    Bullets,
    Numbers,
    Definitions,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item<'a> {
    /// Of a list of definitions: the term, not its meaning.
    pub(super) is_term: bool,
    pub(super) content: Inlines<'a>,
    pub(super) lists: Vec<List<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Table<'a> {
    pub(super) attributes: &'a str,
    pub(super) caption: Option<Inlines<'a>>,
    pub(super) rows: Vec<Row<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Row<'a> {
    pub(super) attributes: &'a str,
    pub(super) cells: Vec<Cell<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell<'a> {
    pub(super) is_header: bool,
    pub(super) attributes: &'a str,
    pub(super) content: Content<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content<'a> {
    Line(Inlines<'a>),
    Blocks(Vec<Block<'a>>),
}

/// Most are words alone: those take no memory of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inlines<'a> {
    Text(&'a str),
    Parts(Vec<Inline<'a>>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inline<'a> {
    Text(&'a str),
    Bold(Inlines<'a>),
    Italic(Inlines<'a>),
    Link {
        target: &'a str,
        label: Option<Inlines<'a>>,
        trail: &'a str,
    },
    /// `[[File:name|caption]]`
    Picture {
        name: &'a str,
        caption: Inlines<'a>,
    },
    /// `[[Category:name]]`, shown at the foot of the page.
    Category(&'a str),
    /// `[https://address label]`, or an address by itself.
    External {
        address: &'a str,
        label: Option<Inlines<'a>>,
    },
    Template(Call<'a>),
    Parameter {
        name: &'a str,
        default: Option<Inlines<'a>>,
    },
    /// `<ref name="…">content</ref>`; without content it repeats that name's.
    Reference {
        name: Option<&'a str>,
        content: Option<Inlines<'a>>,
    },
    Plain(&'a str),
    Break,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Vec<Argument<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Argument<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) value: Inlines<'a>,
}

impl<'a> Inlines<'a> {
    pub(super) const EMPTY: Self = Self::Text("");

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Parts(parts) => parts.is_empty(),
        }
    }

    pub(super) fn append(&mut self, more: Self) {
        match more {
            Self::Text(text) => self.push(Inline::Text(text)),
            Self::Parts(parts) => parts.into_iter().for_each(|part| self.push(part)),
        }
    }

    pub(super) fn push(&mut self, inline: Inline<'a>) {
        match (self, inline) {
            (Self::Parts(parts), inline) => parts.push(inline),
            (Self::Text(text), Inline::Text(first)) if text.is_empty() => *text = first,
            (text, inline) => {
                let mut parts = Vec::with_capacity(4);
                if let Self::Text(before) = text
                    && !before.is_empty()
                {
                    parts.push(Inline::Text(before));
                }
                parts.push(inline);
                *text = Self::Parts(parts);
            }
        }
    }
}

impl<'a> Call<'a> {
    /// By name or place (`1` is the first without a name).
    pub(super) fn argument(&self, name: &str) -> Option<&Inlines<'a>> {
        let named = self.arguments.iter().rfind(|a| a.name == Some(name));
        let placed = || {
            let place: usize = name.parse().ok()?;
            let mut places = self.arguments.iter().filter(|a| a.name.is_none());
            places.nth(place.checked_sub(1)?)
        };
        named.or_else(placed).map(|a| &a.value)
    }
}
