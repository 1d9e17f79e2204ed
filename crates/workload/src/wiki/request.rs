use flow::pace::part;

use super::block::blocks;
use super::html::{self, Template, same_name};
use super::marks::Marks;
use super::source::Source;
use super::store::{Store, StoreError, TEMPLATE};

pub(super) const PARTS: [&str; 2] = ["store", "render"];
const STORE: u32 = 0;
const RENDER: u32 = 1;

/// Further templates count as missing.
const MOST_TEMPLATES: usize = 200;

pub(super) fn respond(
    store: &Store,
    title: &str,
    cache: bool,
) -> Result<Option<String>, StoreError> {
    store.read(|store| {
        if cache && let Some(html) = store.parsed(title)? {
            return Ok(Some(html));
        }
        let Some(text) = part(STORE, || store.text(title))? else {
            return Ok(None);
        };
        let find = |title: &str| part(STORE, || store.text(title));
        let texts = gather(SourceText::new(title.to_owned(), text), find)?;
        Ok(Some(part(RENDER, || rendered(title, &texts))))
    })
}

/// The page's own text, then those of templates.
struct SourceText {
    name: String,
    text: String,
    marks: Marks,
}

impl SourceText {
    fn new(name: String, text: String) -> Self {
        let marks = Marks::of(&text);
        Self { name, text, marks }
    }

    fn source(&self) -> Source<'_, '_> {
        Source {
            text: &self.text,
            marks: &self.marks,
        }
    }
}

/// The HTML of a text that is page and every template: for fuzzing the parser.
#[must_use]
pub fn html_of(text: &str) -> String {
    let own = |_title: &str| Ok::<_, std::convert::Infallible>(Some(text.to_owned()));
    match render("Page", text.to_owned(), own) {
        Ok(html) => html,
        Err(never) => match never {},
    }
}

pub(super) fn render<E>(
    title: &str,
    text: String,
    find: impl FnMut(&str) -> Result<Option<String>, E>,
) -> Result<String, E> {
    let texts = gather(SourceText::new(title.to_owned(), text), find)?;
    Ok(rendered(title, &texts))
}

fn rendered(title: &str, texts: &[SourceText]) -> String {
    let mut parsed = texts.iter().map(|text| Template {
        name: &text.name,
        blocks: blocks(text.source(), 0, text.text.len(), 0),
    });
    let page = parsed.next();
    let templates: Vec<Template<'_>> = parsed.collect();
    let blocks = page.map(|page| page.blocks).unwrap_or_default();
    let likely_bytes = 2 * texts[0].text.len() + 1024;
    html::page(title, &blocks, &templates, likely_bytes)
}

fn gather<E>(
    page: SourceText,
    mut find: impl FnMut(&str) -> Result<Option<String>, E>,
) -> Result<Vec<SourceText>, E> {
    let mut texts = vec![page];
    let mut missing: Vec<String> = Vec::new();
    let mut place = 0;
    while place < texts.len() {
        for name in new_names(&texts, place, &missing) {
            match find(&title_of(&name))? {
                Some(text) if texts.len() <= MOST_TEMPLATES => {
                    texts.push(SourceText::new(name, text));
                }
                _ => missing.push(name),
            }
        }
        place += 1;
    }
    Ok(texts)
}

fn new_names(texts: &[SourceText], place: usize, missing: &[String]) -> Vec<String> {
    let mut new: Vec<String> = Vec::new();
    for name in texts[place].source().called() {
        let known = texts[1..].iter().map(|text| &text.name);
        let mut known = known.chain(missing).chain(&new);
        if !name.is_empty() && !known.any(|known| same_name(known, name)) {
            new.push(name.to_owned());
        }
    }
    new
}

fn title_of(name: &str) -> String {
    let mut title = String::with_capacity(TEMPLATE.len() + name.len());
    title.push_str(TEMPLATE);
    let mut letters = name.chars();
    title.extend(letters.next().map(|first| first.to_ascii_uppercase()));
    title.extend(letters.map(|letter| if letter == '_' { ' ' } else { letter }));
    title
}
