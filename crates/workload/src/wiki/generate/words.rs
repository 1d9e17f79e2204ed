use crate::draw::Draw;

const WORDS: u32 = 3_000;

#[derive(Debug)]
pub(super) struct Words {
    words: Vec<String>,
    /// Sums of frequencies up to each word.
    sums: Vec<f64>,
}

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed, u64::MAX);
        let words = (0..WORDS).map(|rank| word(&mut draw, rank)).collect();
        let mut sum = 0.0;
        let sums = (1..=WORDS).map(|rank| {
            sum += 1.0 / f64::from(rank);
            sum
        });
        Self {
            words,
            sums: sums.collect(),
        }
    }

    pub(super) fn draw(&self, draw: &mut Draw) -> &str {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let at = draw.unit() * total;
        let place = self.sums.partition_point(|&sum| sum <= at);
        &self.words[place.min(self.words.len() - 1)]
    }

    pub(super) fn title(&self, page: u64, seed: u64) -> String {
        let mut draw = Draw::new(seed, !page);
        let mut title = String::new();
        push_capital(&mut title, self.draw(&mut draw));
        for _ in 0..draw.below(3) {
            title.push(' ');
            title.push_str(self.draw(&mut draw));
        }
        title.push(' ');
        title.push_str(&(page + 1).to_string());
        title
    }
}

pub(super) fn push_capital(text: &mut String, word: &str) {
    let mut letters = word.chars();
    text.extend(letters.next().into_iter().flat_map(char::to_uppercase));
    text.push_str(letters.as_str());
}

fn word(draw: &mut Draw, rank: u32) -> String {
    let most = 1 + (f64::from(rank) + 2.0).log10() as u32;
    let syllables = draw.between(1, most.max(1));
    let mut word = String::new();
    for _ in 0..syllables {
        let one = |draw: &mut Draw, of: &[&'static str]| of[draw.below(of.len() as u32) as usize];
        word.push_str(one(
            draw,
            &[
                "b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "w",
            ],
        ));
        let vowels = [
            "a", "a", "e", "e", "e", "i", "i", "o", "o", "u", "ou", "é", "ü",
        ];
        word.push_str(one(draw, &vowels));
        word.push_str(one(draw, &["", "", "n", "r", "s", "l"]));
    }
    word
}
