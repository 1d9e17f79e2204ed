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
        let text = Article::new(draw, &words, &titles, page as usize).written(typical_bytes);
        Written {
            title: titles[page as usize].clone(),
            text,
        }
    });
    articles.chain(templates::all()).collect()
}

/// Bytes after the last section.
const END: usize = 1_600;

const INFOBOX: [&str; 6] = [
    "image = [[File:$Word$ view.jpg|250px|$2-5 words$]]",
    "caption = $2-6 words$",
    "founded = $year$",
    "area = {{Unit|$3-9000$|km²}}",
    "people = $300-4000000$",
    "language = $2-6 words$",
];

const CITED: [&str; 3] = [
    "{{Cite book |last=$Word$ |first=$Word$ |title=$2-6 words$ |year=$year$ |publisher=$Word$}}",
    "{{Cite web |url=https://example.org/a/$0-999999$?q=1&r=2 |title=$3-7 words$ |access-date=$year$}}",
    "$Word$, ''$2-5 words$'', $year$.",
];

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

    fn written(mut self, typical_bytes: u64) -> String {
        let length = length(&mut self.draw, typical_bytes);
        self.infobox();
        self.write("'''$title$''' ");
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

    fn capital(&mut self) {
        let from = self.text.len();
        self.word();
        let word = self.text.split_off(from);
        words::push_capital(&mut self.text, &word);
    }

    /// Writes a text, and in place of `$word$`, `$Word$` (with a capital), `$link$`, `$title$`, `$year$`, `$3-8$`
    /// (a number) and `$3-8 words$` what they say.
    fn write(&mut self, text: &str) {
        for (place, part) in text.split('$').enumerate() {
            match part {
                text if place % 2 == 0 => self.push(text),
                "word" => self.word(),
                "Word" => self.capital(),
                "link" => self.link(),
                "title" => self.push(self.title),
                "year" => self.some("1200-2020"),
                range => self.some(range),
            }
        }
    }

    fn some(&mut self, range: &str) {
        let (bounds, what) = range.split_once(' ').unwrap_or((range, "number"));
        let mut bounds = bounds.split('-').flat_map(str::parse);
        let low = bounds.next().unwrap_or(0);
        let number = self.draw.between(low, bounds.next().unwrap_or(low));
        if what == "number" {
            return self.push(&number.to_string());
        }
        for place in 0..number {
            self.push(if place > 0 { " " } else { "" });
            self.word();
        }
    }

    fn infobox(&mut self) {
        self.write("{{Infobox\n| name = $title$");
        for line in INFOBOX {
            if self.chance(80) {
                self.write("\n| ");
                self.write(line);
            }
        }
        self.push("\n}}\n");
    }

    fn link(&mut self) {
        let title = &self.titles[self.draw.below(self.titles.len() as u32) as usize];
        self.push("[[");
        if self.chance(60) {
            self.push(title);
        } else {
            self.write("$Word$ ($word$)");
        }
        if self.chance(45) {
            self.write("|$1-3 words$");
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
                6 => self.write("''$1-3 words$''"),
                7 => self.write("'''$1-3 words$'''"),
                8 if self.chance(30) => self.write("{{Unit|$1-999$|m}}"),
                9 => self.write("$word$,"),
                10 => self.write("$year$"),
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
        let cited = self.draw.below(CITED.len() as u32);
        self.write(CITED[cited as usize]);
        self.push("</ref>");
    }

    fn paragraph(&mut self, most: u32) {
        for _ in 0..self.draw.between(1, most) {
            self.sentence();
        }
        self.push("\n\n");
    }

    fn section(&mut self, number: u32) {
        let is_lower = number > 0 && self.chance(30);
        self.write(match is_lower {
            true => "=== $Word$ $0-2 words$ ===\n",
            false => "== $Word$ $0-2 words$ ==\n",
        });
        if self.chance(25) {
            self.write("{{Main|[[$Word$]]}}\n");
        }
        for _ in 0..self.draw.between(1, 3) {
            self.paragraph(6);
        }
        match self.draw.below(10) {
            0 | 1 => self.list("*"),
            2 => self.list("#"),
            3 => self.lines((2, 4), "; $1-2 words$\n: $5-12 words$\n", "\n"),
            4 => self.table(),
            5 => self.write("[[File:$Word$ map.svg|thumb|200px|$3-9 words$]]\n\n"),
            6 => self.write("{{Quote|$10-25 words$|$Word$}}\n\n"),
            7 => self.lines((2, 4), " $3-6 words$ <a & b>\n", "\n"),
            _ => {}
        }
    }

    fn lines(&mut self, (least, most): (u32, u32), line: &str, end: &str) {
        for _ in 0..self.draw.between(least, most) {
            self.write(line);
        }
        self.push(end);
    }

    fn list(&mut self, sign: &str) {
        for _ in 0..self.draw.between(3, 8) {
            self.push(sign);
            if self.chance(20) {
                self.push("*");
            }
            self.write(" $link$, $2-8 words$\n");
        }
        self.push("\n");
    }

    fn table(&mut self) {
        self.write("{| class=\"wikitable sortable\" style=\"width:80%\"\n|+ $2-5 words$\n");
        self.write("|-\n! $Word$ !! $Word$ !! $Word$");
        let row = "\n|-\n| $link$ || style=\"text-align:right\" | $0-99999$ || $1-4 words$";
        self.lines((3, 9), row, "\n|}\n\n");
    }

    fn end(&mut self) {
        self.push("== See also ==\n");
        self.list("*");
        self.push("== References ==\n<references />\n\n== Links ==\n");
        let link = "* [https://example.org/a/$0-999999$?q=1&r=2 $2-5 words$]\n";
        self.lines((1, 4), link, "\n{{Navbox}}\n");
        self.write("<!-- $3-6 words$ -->\n");
        self.lines((2, 5), "[[Category:$Word$]]\n", "");
    }
}
