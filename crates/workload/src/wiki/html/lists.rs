use super::super::tree::{Item, List, ListKind};
use super::{Frame, Writer};

impl<'t> Writer<'t> {
    pub(super) fn list(&mut self, list: &'t List<'t>, frame: Option<&Frame<'_, 't>>) {
        let (open, close) = match list.kind {
            ListKind::Bullets => ("<ul>", "</ul>\n"),
            ListKind::Numbers => ("<ol>", "</ol>\n"),
            ListKind::Definitions => ("<dl>", "</dl>\n"),
        };
        self.push(open);
        for item in &list.items {
            self.item(list.kind, item, frame);
        }
        self.push(close);
    }

    fn item(&mut self, kind: ListKind, item: &'t Item<'t>, frame: Option<&Frame<'_, 't>>) {
        let (open, close) = match (kind, item.is_term) {
            (ListKind::Definitions, true) => ("<dt>", "</dt>\n"),
            (ListKind::Definitions, false) => ("<dd>", "</dd>\n"),
            _ => ("<li>", "</li>\n"),
        };
        self.push(open);
        self.inlines(&item.content, frame);
        for list in &item.lists {
            self.list(list, frame);
        }
        self.push(close);
    }
}
