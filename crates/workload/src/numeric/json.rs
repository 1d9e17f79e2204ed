//! A document of orders parsed to a tree of small objects, summed up by customer, and written anew:
//! this kernel allocates. Self-check: the written totals are those known when the first was made.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value, json};

use flow::Pieces;

use super::{Program, Wrong};
use crate::draw::{Checksum, Draw};

const CUSTOMERS: u32 = 50;

#[derive(Debug)]
pub(super) struct Document {
    text: String,
    totals: BTreeMap<String, u64>,
    written: String,
}

impl Document {
    pub(super) fn new(orders: u32, seed: u64) -> Self {
        let mut draw = Draw::new(seed, 0);
        let names: Vec<String> = (0..CUSTOMERS).map(|_| draw.letters(12)).collect();
        let mut totals = BTreeMap::new();
        let mut text = String::from("{\"orders\":[");
        for order in 0..orders {
            let name = &names[draw.below(CUSTOMERS) as usize];
            let separator = if order == 0 { "" } else { "," };
            let (price, pieces) = (draw.between(1, 9_999), draw.between(1, 20));
            let note = draw.letters(30);
            let _strings_never_fail = write!(
                text,
                "{separator}\n  {{\"id\":{order},\"customer\":\"{name}\",\"lines\":[{{\"price\":\
                 {price},\"pieces\":{pieces},\"note\":\"{note}\\n\"}}],\"paid\":{}}}",
                draw.below(2) == 0
            );
            *totals.entry(name.clone()).or_default() += u64::from(price) * u64::from(pieces);
        }
        text.push_str("\n]}");
        Self {
            text,
            totals,
            written: String::new(),
        }
    }
}

fn transform(text: &str) -> serde_json::Result<String> {
    let document: Value = serde_json::from_str(text)?;
    let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
    for order in document["orders"].as_array().into_iter().flatten() {
        let lines = order["lines"].as_array().into_iter().flatten();
        let worth = |line: &Value| Some(line["price"].as_u64()? * line["pieces"].as_u64()?);
        let customer = order["customer"].as_str().unwrap_or_default();
        *totals.entry(customer).or_default() += lines.filter_map(worth).sum::<u64>();
    }
    let customers = totals.into_iter();
    let customers: Map<String, Value> = customers
        .map(|(name, total)| (name.to_owned(), json!({ "total": total })))
        .collect();
    serde_json::to_string(&json!({ "customers": customers }))
}

fn totals(written: &str) -> Option<BTreeMap<String, u64>> {
    let document: Value = serde_json::from_str(written).ok()?;
    let customers = document["customers"].as_object()?.iter();
    customers
        .map(|(name, customer)| Some((name.clone(), customer["total"].as_u64()?)))
        .collect()
}

impl Program for Document {
    fn pieces(&self, pieces: &mut Pieces) {
        pieces.slice(self.text.as_bytes());
        pieces.slice(self.written.as_bytes());
    }

    fn pass(&mut self) {
        self.written = transform(&self.text).unwrap_or_default();
    }

    fn end(&mut self) -> Result<u64, Wrong> {
        let right = totals(&self.written).as_ref() == Some(&self.totals);
        Wrong::unless(right, || {
            "a document that was written gives other totals".to_owned()
        })?;
        Ok(Checksum::of_bytes(self.written.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_document_is_summed_up() {
        let text = r#"{"orders":[{"customer":"b","lines":[{"price":3,"pieces":2}]},
            {"customer":"a","lines":[{"price":1,"pieces":1},{"price":10,"pieces":4}]},
            {"customer":"b","lines":[]}]}"#;
        let wanted = r#"{"customers":{"a":{"total":41},"b":{"total":6}}}"#;
        assert_eq!(transform(text).unwrap(), wanted);
    }

    #[test]
    fn another_total_and_no_document_are_found() {
        let broken: [fn(&mut Document); 2] = [
            |document| document.written = document.written.replacen("total\":1", "total\":2", 1),
            |document| document.written.truncate(5),
        ];
        for break_it in broken {
            let mut document = Document::new(200, 1);
            document.pass();
            assert!(document.end().is_ok());
            break_it(&mut document);
            let error = document.end().unwrap_err().to_string();
            assert!(error.contains("other totals"), "{error}");
        }
    }
}
