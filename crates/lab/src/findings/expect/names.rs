use super::{ExpectError, Expectation, Unit};
use crate::data::{Case, Study};
use crate::findings::quantity::Kind;

const TOLD: usize = 3;

#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) study: &'a Study,
    pub(super) case: &'a Case,
    pub(super) variant: usize,
    pub(super) against: Option<usize>,
    pub(super) quantity: Kind,
}

#[derive(Debug, Clone, Copy)]
struct Candidate<'a> {
    study: &'a Study,
    case: &'a Case,
    variant: usize,
}

pub(super) fn target<'a>(
    expectation: &Expectation,
    studies: &'a [Study],
) -> Result<Target<'a>, ExpectError> {
    match expectation.against.as_deref() {
        None => alone(expectation, studies),
        Some(whole) => against(expectation, studies, whole),
    }
}

fn alone<'a>(expectation: &Expectation, studies: &'a [Study]) -> Result<Target<'a>, ExpectError> {
    let path = &expectation.path;
    let target = |candidate: Candidate<'a>, quantity| Target {
        study: candidate.study,
        case: candidate.case,
        variant: candidate.variant,
        against: None,
        quantity,
    };
    // A label may end in the word of a quantity.
    match (found(expectation, studies, path), split(path)) {
        (Ok(one), _) if expectation.bound.unit == Unit::Size => Ok(target(one, Kind::Memory)),
        (Ok(one), _) => Ok(target(one, Kind::Time)),
        (Err(_), (bare, Some(quantity))) => {
            Ok(target(found(expectation, studies, bare)?, quantity))
        }
        (Err(error), (_, None)) => Err(misspelt_quantity(expectation, studies).unwrap_or(error)),
    }
}

fn against<'a>(
    expectation: &Expectation,
    studies: &'a [Study],
    whole: &str,
) -> Result<Target<'a>, ExpectError> {
    let (bare, quantity) = split(whole);
    let one = found(expectation, studies, &expectation.path)
        .map_err(|error| quantity_too_early(expectation, studies, whole).unwrap_or(error))?;
    let place = |label: &str| one.case.variants.iter().position(|v| v.label == label);
    let (against, quantity) = match (place(whole), quantity) {
        (Some(place), _) => (Some(place), Kind::Time),
        (None, Some(quantity)) => (place(bare), quantity),
        (None, None) => (None, Kind::Time),
    };
    let against = against.ok_or_else(|| no_other(expectation, bare, one.case))?;
    if against == one.variant {
        return Err(ExpectError::Itself {
            text: expectation.text.clone(),
            label: one.label().to_owned(),
        });
    }
    Ok(Target {
        study: one.study,
        case: one.case,
        variant: one.variant,
        against: Some(against),
        quantity,
    })
}

fn split(path: &str) -> (&str, Option<Kind>) {
    match path.rsplit_once(' ') {
        Some((bare, word)) => match Kind::of(word, None) {
            Some(quantity) => (bare.trim_end(), Some(quantity)),
            None => (path, None),
        },
        None => (path, None),
    }
}

fn misspelt_quantity(expectation: &Expectation, studies: &[Study]) -> Option<ExpectError> {
    let (bare, word) = expectation.path.rsplit_once(' ')?;
    let bare = bare.trim_end();
    found(expectation, studies, bare).ok()?;
    let words = Kind::names().map(|name| vec![name]);
    let nearest = nearest(word, words.collect());
    let nearest = nearest.iter().map(|name| format!("{bare} {name}"));
    Some(expectation.nothing(&expectation.path, nearest.collect()))
}

/// `primes/thread memory vs process`: the quantity belongs behind both.
fn quantity_too_early(
    expectation: &Expectation,
    studies: &[Study],
    against: &str,
) -> Option<ExpectError> {
    let (bare, quantity) = split(&expectation.path);
    quantity?;
    found(expectation, studies, bare).ok()?;
    let word = expectation.path[bare.len()..].trim_start();
    let nearest = vec![format!("{bare} vs {against} {word}")];
    Some(expectation.nothing(&expectation.path, nearest))
}

fn no_other(expectation: &Expectation, label: &str, case: &Case) -> ExpectError {
    let labels = case
        .variants
        .iter()
        .map(|variant| vec![variant.label.clone()]);
    expectation.nothing(label, nearest(label, labels.collect()))
}

fn found<'a>(
    expectation: &Expectation,
    studies: &'a [Study],
    path: &str,
) -> Result<Candidate<'a>, ExpectError> {
    let all: Vec<Candidate<'a>> = candidates(studies).collect();
    let ways: [fn(&Candidate<'_>, &str) -> bool; 3] = [
        |one, path| one.by_case(path),
        |one, path| one.by_headline(path),
        |one, path| one.by_label(path),
    ];
    for way in ways {
        let matching: Vec<_> = all.iter().filter(|one| way(one, path)).collect();
        match matching[..] {
            [] => {}
            [one] => return Ok(*one),
            _ => {
                return Err(ExpectError::Several {
                    text: expectation.text.clone(),
                    path: path.to_owned(),
                    candidates: matching.iter().map(|one| one.name()).collect(),
                });
            }
        }
    }
    let names = all.iter().map(Candidate::names);
    Err(expectation.nothing(path, nearest(path, names.collect())))
}

impl Expectation {
    fn nothing(&self, path: &str, nearest: Vec<String>) -> ExpectError {
        ExpectError::Nothing {
            text: self.text.clone(),
            path: path.to_owned(),
            nearest,
        }
    }
}

fn candidates(studies: &[Study]) -> impl Iterator<Item = Candidate<'_>> {
    studies.iter().flat_map(|study| {
        study.cases.iter().flat_map(move |case| {
            (0..case.variants.len()).map(move |variant| Candidate {
                study,
                case,
                variant,
            })
        })
    })
}

impl Candidate<'_> {
    fn label(&self) -> &str {
        &self.case.variants[self.variant].label
    }

    fn name(&self) -> String {
        let (study, label) = (&self.study.name, self.label());
        match &self.case.sweep {
            Some(point) => format!("{study}/{}/{label}@{}", point.sweep, point.value),
            None => format!("{study}/{}/{label}", self.case.name),
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names = vec![self.name()];
        if self.case.name == self.study.headline {
            names.push(format!("{}/{}", self.study.name, self.label()));
        }
        names
    }

    fn by_case(&self, path: &str) -> bool {
        let (study, label) = (&self.study.name, self.label());
        path == format!("{study}/{}/{label}", self.case.name)
            || self.at(path, |sweep| format!("{study}/{sweep}/{label}"))
    }

    fn by_headline(&self, path: &str) -> bool {
        self.case.name == self.study.headline
            && path == format!("{}/{}", self.study.name, self.label())
    }

    /// `study/variant` or `study/variant@value` of any case.
    fn by_label(&self, path: &str) -> bool {
        let name = format!("{}/{}", self.study.name, self.label());
        path == name || self.at(path, |_| name.clone())
    }

    fn at(&self, path: &str, name: impl Fn(&str) -> String) -> bool {
        let Some((point, (before, value))) = self.case.sweep.as_ref().zip(path.rsplit_once('@'))
        else {
            return false;
        };
        let value = value.replace(['_', ','], "").parse::<f64>();
        value.is_ok_and(|value| value == point.value) && before == name(&point.sweep)
    }
}

fn nearest(path: &str, things: Vec<Vec<String>>) -> Vec<String> {
    let alike = |name: String| (strsim::normalized_damerau_levenshtein(path, &name), name);
    let best = |names: Vec<String>| {
        let names = names.into_iter().map(alike);
        names.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mut alike: Vec<(f64, String)> = things.into_iter().filter_map(best).collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    alike.into_iter().map(|(_, name)| name).take(TOLD).collect()
}
