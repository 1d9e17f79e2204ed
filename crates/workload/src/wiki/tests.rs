//! Pages as HTML, the pages that are made, and stores: a file each.

mod markup;
mod pages;
mod stores;

use std::convert::Infallible;

use super::request::render;
use super::*;

/// The HTML of the page "A", where templates are what is given.
fn html_with(text: &str, templates: &[(&str, &str)]) -> String {
    let find = |title: &str| -> Result<Option<String>, Infallible> {
        let found = templates
            .iter()
            .find(|(name, _)| title == format!("Template:{name}"));
        Ok(found.map(|(_, text)| (*text).to_owned()))
    };
    render("A", text.to_owned(), find).unwrap()
}

/// What is wrong with HTML as an XML reader sees it: tags that do not match, signs that are
/// not escaped.
fn fault(html: &str) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>\n").unwrap_or(html);
    while let Some(place) = rest.find(['<', '>', '&']) {
        let (text, at) = rest.split_at(place);
        if text.contains(['<', '>']) || at.starts_with('>') {
            return Some(format!("a lone sign before {at:.40?}"));
        }
        if at.starts_with('&') {
            let end = at.find(';').filter(|&end| end <= 12);
            let Some(end) = end else {
                return Some(format!("a lone & at {:?}", &at[..at.len().min(9)]));
            };
            rest = &at[end..];
            continue;
        }
        let Some(end) = at.find('>') else {
            return Some("a tag without an end".to_owned());
        };
        let tag = &at[1..end];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Some(format!("</{name}> closes nothing"));
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or(""));
        }
        if tag.matches('"').count() % 2 == 1 || tag.contains('<') {
            return Some(format!("odd quotes in <{tag}>"));
        }
        rest = &at[end + 1..];
    }
    (!open.is_empty()).then(|| format!("not closed: {open:?}"))
}
