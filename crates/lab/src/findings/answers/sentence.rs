//! The sentence that stands first: it counts rows by verdict and names the largest ratios.

use super::answer::{Answer, Question};
use crate::data::number::{factor, many};
use crate::data::words::listed;
use crate::findings::compared::apart;
use crate::findings::{Results, Word};

impl Results {
    /// The rows on threads against processes together; `None` where there are fewer than two.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        sentence(&self.answers())
    }
}

fn sentence(rows: &[Answer]) -> Option<String> {
    let is_on = |row: &&Answer| row.question == Question::ThreadsOrProcesses;
    let rows: Vec<&Answer> = rows.iter().filter(is_on).collect();
    if rows.len() < 2 {
        return None;
    }
    let of = |verdict: Word| {
        let own = rows.iter().copied();
        own.filter(|row| row.verdict == Some(verdict)).collect()
    };
    let (faster, slower): (Vec<&Answer>, Vec<&Answer>) = (of(Word::Faster), of(Word::Slower));
    let unknown = rows.iter().filter(|row| row.is_not_known()).count();
    let is_alike = |row: &&&Answer| !row.is_difference() && !row.is_not_known();
    let alike: Vec<&&Answer> = rows.iter().filter(is_alike).collect();
    let intervals = alike.iter().filter_map(|row| row.interval);
    let most = intervals.map(|(low, high)| high.max(1.0 / low));
    let most = apart(most.fold(1.0, f64::max));
    let alike = (!alike.is_empty()).then(|| format!("{most} in {}", alike.len()));
    let differ = [
        differ("faster than", &faster),
        differ("slower than", &slower),
    ];
    let said: Vec<String> = differ.into_iter().chain([alike]).flatten().collect();
    let known = match said.is_empty() {
        true => "no difference is known yet".to_owned(),
        false => format!("threads are {}", listed(&said)),
    };
    let open = match unknown {
        0 => String::new(),
        1 => "; 1 is not known yet".to_owned(),
        open => format!("; {open} are not known yet"),
    };
    let questions = many(rows.len() as u64, "question");
    Some(format!(
        "Of {questions} on threads against processes: {known}{open}"
    ))
}

/// `faster than processes in 4 (most, 5.20x in Create 4 workers)`.
fn differ(how: &str, rows: &[&Answer]) -> Option<String> {
    let size = |row: &Answer| row.ratio.map_or(1.0, |ratio| ratio.max(1.0 / ratio));
    let most = rows.iter().max_by(|a, b| size(a).total_cmp(&size(b)))?;
    let by = if most.is_by_cpu() { " by CPU time" } else { "" };
    let most = format!("{}{by} in {}", factor(size(most)), most.label);
    let by_cpu = match rows.iter().filter(|row| row.is_by_cpu()).count() {
        0 => String::new(),
        count => format!("; {count} by CPU time"),
    };
    Some(match rows.len() {
        1 => format!("{how} processes in 1 ({most})"),
        many => format!("{how} processes in {many} (most, {most}{by_cpu})"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::answers::answer::CPU;

    fn row(label: &str, verdict: Word, ratio: f64) -> Answer {
        Answer {
            question: Question::ThreadsOrProcesses,
            verdict: Some(verdict),
            ratio: Some(ratio),
            interval: Some((ratio / 1.05, ratio * 1.04)),
            ..Answer::called(label)
        }
    }

    #[test]
    fn the_sentence_counts_the_rows_and_names_the_largest() {
        let create = row("Create 4 workers", Word::Faster, 0.2);
        assert_eq!(sentence(std::slice::from_ref(&create)), None);
        let rows = [
            create,
            row("Primes", Word::Faster, 0.9),
            row("mmap", Word::Slower, 3.07),
            row("Trees", Word::CannotTell, 1.0),
            Answer {
                quantity: CPU.to_owned(),
                ..row("Mail", Word::Faster, 0.97)
            },
            row("Pages", Word::CannotTell, 1.2),
        ];
        assert_eq!(
            sentence(&rows).unwrap(),
            "Of 6 questions on threads against processes: threads are faster than processes in 3 \
             (most, 5.00x in Create 4 workers; 1 by CPU time), slower than processes in 1 (3.07x \
             in mmap) and at most 5 % apart in 1; 1 is not known yet"
        );
        let open = [
            row("Pages", Word::CannotTell, 1.2),
            row("Mail", Word::CannotTell, 1.3),
        ];
        assert_eq!(
            sentence(&open).unwrap(),
            "Of 2 questions on threads against processes: no difference is known yet; 2 are not \
             known yet"
        );
    }
}
