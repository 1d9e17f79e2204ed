//! Pages of senseless words from a seed. To a parser it matters how often it meets which sign, to a
//! cache and an allocator how long pages are: the text has what articles have, about as often.
//! Words are drawn from a few thousand by Zipf's law, some with letters beyond ASCII. Lengths
//! spread from a fifth to five times the usual one: the logarithm is a sum of three uniform draws.

mod templates;
mod words;

use super::store::Written;
use crate::draw::Draw;
use words::Words;

/// Pages of about `typical_bytes` each, and the templates that they call.
#[must_use]
pub fn pages(count: u64, typical_bytes: u64, seed: u64) -> Vec<Written> {
    let words = Words::new(seed);
    let titles: Vec<String> = (0..count).map(|page| words.title(page, seed)).collect();
    let articles = (0..count).map(|page| {
        let draw = Draw::new(seed, page);
        let text = Article::new(draw, &words, &titles, page as usize).write(typical_bytes);
        Written {
            title: titles[page as usize].clone(),
            text,
        }
    });
    articles.chain(templates::all()).collect()
}

/// Bytes after the last section.
const END: usize = 1_600;

fn length(draw: &mut Draw, typical: u64) -> usize {
    let sum = draw.unit() + draw.unit() + draw.unit() - 1.5;
    (typical as f64 * (sum * 1.1).exp()) as usize
}

struct Article<'a> {
    draw: Draw,
    words: &'a Words,
    titles: &'a [String],
    title: &'a str,
    text: String,
    named: u32,
}

impl<'a> Article<'a> {
    fn new(draw: Draw, words: &'a Words, titles: &'a [String], page: usize) -> Self {
        Self {
            draw,
            words,
            titles,
            title: &titles[page],
            text: String::new(),
            named: 0,
        }
    }

    fn write(mut self, typical_bytes: u64) -> String {
        let length = length(&mut self.draw, typical_bytes);
        self.infobox();
        self.push("'''");
        self.push(self.title);
        self.push("''' ");
        self.paragraph(3);
        let mut section = 0;
        while self.text.len() + END < length {
            self.section(section);
            section += 1;
        }
        self.end();
        self.text
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn chance(&mut self, share: u32) -> bool {
        self.draw.below(100) < share
    }

    fn word(&mut self) {
        let word = self.words.draw(&mut self.draw);
        self.text.push_str(word);
    }

    fn words(&mut self, low: u32, high: u32) {
        for place in 0..self.draw.between(low, high) {
            self.push(if place > 0 { " " } else { "" });
            self.word();
        }
    }

    fn capital(&mut self) {
        let from = self.text.len();
        self.word();
        let word = self.text.split_off(from);
        words::push_capital(&mut self.text, &word);
    }

    fn year(&mut self) {
        let year = self.draw.between(1200, 2020);
        self.text.push_str(&year.to_string());
    }

    fn infobox(&mut self) {
        self.push("{{Infobox\n| name = ");
        self.push(self.title);
        for key in ["image", "caption", "founded", "area", "people", "language"] {
            if self.chance(80) {
                self.push("\n| ");
                self.push(key);
                self.push(" = ");
                self.value(key);
            }
        }
        self.push("\n}}\n");
    }

    fn value(&mut self, key: &str) {
        match key {
            "image" => {
                self.push("[[File:");
                self.capital();
                self.push(" view.jpg|250px|");
                self.words(2, 5);
                self.push("]]");
            }
            "founded" => self.year(),
            "area" => {
                self.push("{{Unit|");
                let area = self.draw.between(3, 9_000);
                self.text.push_str(&area.to_string());
                self.push("|km²}}");
            }
            "people" => {
                let people = self.draw.between(300, 4_000_000);
                self.text.push_str(&people.to_string());
            }
            _ => self.words(2, 6),
        }
    }

    fn link(&mut self) {
        let title = &self.titles[self.draw.below(self.titles.len() as u32) as usize];
        self.push("[[");
        if self.chance(60) {
            self.push(title);
        } else {
            self.capital();
            self.push(" (");
            self.word();
            self.push(")");
        }
        if self.chance(45) {
            self.push("|");
            self.words(1, 3);
        }
        self.push("]]");
        if self.chance(15) {
            self.push("en");
        }
    }

    fn sentence(&mut self) {
        self.capital();
        for _ in 0..self.draw.between(8, 22) {
            self.push(" ");
            match self.draw.below(100) {
                0..=5 => self.link(),
                6 => self.within("''"),
                7 => self.within("'''"),
                8 if self.chance(30) => self.unit(),
                9 => {
                    self.word();
                    self.push(",");
                }
                10 => self.year(),
                11 if self.chance(20) => self.push("A&nbsp;&amp;&nbsp;B"),
                _ => self.word(),
            }
        }
        self.push(".");
        if self.chance(28) {
            self.reference();
        }
        self.push(" ");
    }

    fn within(&mut self, quotes: &str) {
        self.push(quotes);
        self.words(1, 3);
        self.push(quotes);
    }

    fn unit(&mut self) {
        self.push("{{Unit|");
        let number = self.draw.between(1, 999);
        self.text.push_str(&number.to_string());
        self.push("|m}}");
    }

    fn reference(&mut self) {
        if self.named > 0 && self.chance(20) {
            let name = self.draw.below(self.named);
            self.push(&format!("<ref name=\"n{name}\" />"));
            return;
        }
        if self.chance(35) {
            self.push(&format!("<ref name=\"n{}\">", self.named));
            self.named += 1;
        } else {
            self.push("<ref>");
        }
        match self.draw.below(3) {
            0 => self.cite_book(),
            1 => self.cite_web(),
            _ => {
                self.capital();
                self.push(", ''");
                self.words(2, 5);
                self.push("'', ");
                self.year();
                self.push(".");
            }
        }
        self.push("</ref>");
    }

    fn cite_book(&mut self) {
        self.push("{{Cite book |last=");
        self.capital();
        self.push(" |first=");
        self.capital();
        self.push(" |title=");
        self.words(2, 6);
        self.push(" |year=");
        self.year();
        self.push(" |publisher=");
        self.capital();
        self.push("}}");
    }

    fn cite_web(&mut self) {
        self.push("{{Cite web |url=https://");
        self.host();
        self.push(" |title=");
        self.words(3, 7);
        self.push(" |access-date=");
        self.year();
        self.push("}}");
    }

    fn host(&mut self) {
        let number = self.draw.below(1_000_000);
        self.push(&format!("example.org/a/{number}?q=1&r=2"));
    }

    fn paragraph(&mut self, most: u32) {
        for _ in 0..self.draw.between(1, most) {
            self.sentence();
        }
        self.push("\n\n");
    }

    fn section(&mut self, number: u32) {
        let level = if number > 0 && self.chance(30) {
            "==="
        } else {
            "=="
        };
        self.push(level);
        self.push(" ");
        self.capital();
        self.push(" ");
        self.words(0, 2);
        self.push(" ");
        self.push(level);
        self.push("\n");
        if self.chance(25) {
            self.main();
        }
        for _ in 0..self.draw.between(1, 3) {
            self.paragraph(6);
        }
        match self.draw.below(10) {
            0 | 1 => self.list("*"),
            2 => self.list("#"),
            3 => self.definitions(),
            4 => self.table(),
            5 => self.picture(),
            6 => self.quotation(),
            7 => self.preformatted(),
            _ => {}
        }
    }

    fn main(&mut self) {
        self.push("{{Main|[[");
        self.capital();
        self.push("]]}}\n");
    }

    fn list(&mut self, sign: &str) {
        for _ in 0..self.draw.between(3, 8) {
            self.push(sign);
            if self.chance(20) {
                self.push("*");
            }
            self.push(" ");
            self.link();
            self.push(", ");
            self.words(2, 8);
            self.push("\n");
        }
        self.push("\n");
    }

    fn definitions(&mut self) {
        for _ in 0..self.draw.between(2, 4) {
            self.push("; ");
            self.words(1, 2);
            self.push("\n: ");
            self.words(5, 12);
            self.push("\n");
        }
        self.push("\n");
    }

    fn table(&mut self) {
        self.push("{| class=\"wikitable sortable\" style=\"width:80%\"\n|+ ");
        self.words(2, 5);
        self.push("\n|-\n! ");
        self.capital();
        self.push(" !! ");
        self.capital();
        self.push(" !! ");
        self.capital();
        for _ in 0..self.draw.between(3, 9) {
            self.push("\n|-\n| ");
            self.link();
            self.push(" || style=\"text-align:right\" | ");
            let number = self.draw.below(100_000);
            self.text.push_str(&number.to_string());
            self.push(" || ");
            self.words(1, 4);
        }
        self.push("\n|}\n\n");
    }

    fn picture(&mut self) {
        self.push("[[File:");
        self.capital();
        self.push(" map.svg|thumb|200px|");
        self.words(3, 9);
        self.push("]]\n\n");
    }

    fn quotation(&mut self) {
        self.push("{{Quote|");
        self.words(10, 25);
        self.push("|");
        self.capital();
        self.push("}}\n\n");
    }

    fn preformatted(&mut self) {
        for _ in 0..self.draw.between(2, 4) {
            self.push(" ");
            self.words(3, 6);
            self.push(" <a & b>\n");
        }
        self.push("\n");
    }

    fn end(&mut self) {
        self.push("== See also ==\n");
        self.list("*");
        self.push("== References ==\n<references />\n\n== Links ==\n");
        for _ in 0..self.draw.between(1, 4) {
            self.push("* [https://");
            self.host();
            self.push(" ");
            self.words(2, 5);
            self.push("]\n");
        }
        self.push("\n{{Navbox}}\n<!-- ");
        self.words(3, 6);
        self.push(" -->\n");
        for _ in 0..self.draw.between(2, 5) {
            self.push("[[Category:");
            self.capital();
            self.push("]]\n");
        }
    }
}
