use measure::Measured;
use stats::{Estimate, RUNS_ALPHA, Shift, estimate, shift, typical_amount};

use super::said::sentence;
use super::{
    Amount, Basis, Contrast, Kind, Look, Quantity, QuantityFinding, Seen, Unit, Word, alpha,
};
use crate::data::RawSlot;
use crate::findings::paired::rule;

/// Smaller counts are compared by difference.
const FEW: f64 = 10.0;

const ONE: f64 = 1.0;

pub(crate) struct SlotValues<'a> {
    look: Look<'a>,
    kinds: Vec<Kind>,
    rows: Vec<Row>,
}

/// One value for each kind; none where the work cannot have the quantity.
struct Row {
    round: usize,
    variant: usize,
    values: Vec<Option<Measured<f64>>>,
}

impl<'a> SlotValues<'a> {
    pub(crate) fn of(look: Look<'a>, slots: &[RawSlot], kinds: Vec<Kind>) -> Self {
        let rows = slots.iter().filter_map(|slot| {
            let seen = Seen::of(slot)?;
            let values = kinds.iter().map(|kind| kind.of_slot(look, &seen));
            Some(Row {
                round: slot.round,
                variant: slot.variant,
                values: values.collect(),
            })
        });
        let rows = rows.collect();
        Self { look, kinds, rows }
    }

    pub(crate) fn quantities(&self) -> Vec<Quantity> {
        let labels = self.look.case.variants.iter().enumerate();
        let all = labels.flat_map(|(variant, labelled)| {
            let kinds = self.kinds.iter().enumerate();
            kinds.filter_map(move |(place, kind)| {
                Some(Quantity {
                    name: kind.name(),
                    unit: kind.unit(),
                    of: labelled.label.clone(),
                    value: self.amount(place, variant)?,
                })
            })
        });
        all.collect()
    }

    pub(crate) fn compared(&self, pair: Compared) -> Vec<QuantityFinding> {
        let places = 0..self.kinds.len();
        places
            .filter_map(|place| self.finding(place, pair))
            .collect()
    }

    fn amount(&self, place: usize, variant: usize) -> Option<Measured<Amount>> {
        let own = self.rows.iter().filter(|row| row.variant == variant);
        let (mut values, mut missing) = (Vec::new(), None);
        for measured in own.filter_map(|row| row.values[place].as_ref()) {
            match measured {
                Measured::Value(value) => values.push(*value),
                Measured::NotAvailable { reason, remedy } => {
                    missing.get_or_insert((reason, remedy));
                }
            }
        }
        match (typical_amount(&values, RUNS_ALPHA), missing) {
            (Ok(typical), _) => Some(Measured::Value(Amount::of(&typical, values.len()))),
            (Err(_), Some((reason, remedy))) => Some(Measured::not_available(reason, remedy)),
            (Err(_), None) => None,
        }
    }

    fn finding(&self, place: usize, pair: Compared) -> Option<QuantityFinding> {
        let variants = &self.look.case.variants;
        let label = |at: usize| variants.get(at).map(|variant| variant.label.clone());
        let kind = self.kinds[place];
        let contrast = self.contrast(place, pair)?;
        let verdict = match &contrast {
            Measured::Value(contrast) => word(kind.unit(), contrast, pair.floor),
            Measured::NotAvailable { .. } => Word::NotCompared,
        };
        let (subject, reference) = (label(pair.subject)?, label(pair.reference)?);
        let mut finding = QuantityFinding {
            name: kind.name(),
            unit: kind.unit(),
            sentence: String::new(),
            subject,
            reference,
            contrast,
            verdict,
        };
        finding.sentence = sentence(kind, &finding, pair.floor);
        Some(finding)
    }

    fn contrast(&self, place: usize, pair: Compared) -> Option<Measured<Contrast>> {
        let [r, s] = [pair.reference, pair.subject].map(|variant| self.amount(place, variant));
        for side in [r?, s?] {
            if let Measured::NotAvailable { reason, remedy } = side {
                return Some(Measured::NotAvailable { reason, remedy });
            }
        }
        let (reference, subject) = self.paired(place, pair);
        let found = against(
            self.kinds[place].unit(),
            &reference,
            &subject,
            alpha(pair.comparisons),
        );
        let none = || Measured::not_available("no round in which both have a value", "");
        Some(found.map_or_else(none, Measured::Value))
    }

    /// Products in rounds in which both have them: of the reference, of the subject.
    pub(super) fn paired_of(
        &self,
        factors: &[Option<Kind>],
        pair: Compared,
    ) -> (Vec<f64>, Vec<f64>) {
        let rounds = self.rounds_of(factors, pair).into_iter();
        rounds.map(|(_, r, s)| (r, s)).unzip()
    }

    pub(super) fn rounds_of(
        &self,
        factors: &[Option<Kind>],
        pair: Compared,
    ) -> Vec<(usize, f64, f64)> {
        let place = |kind: &Kind| self.kinds.iter().position(|own| own == kind);
        let places: Option<Vec<usize>> = factors.iter().flatten().map(place).collect();
        let Some(places) = places else {
            return Vec::new();
        };
        let value = |row: &Row| {
            let factors = places
                .iter()
                .map(|&place| row.values[place].as_ref()?.value());
            factors.map(|value| value.copied()).product::<Option<f64>>()
        };
        self.paired_by(value, pair)
    }

    /// In rounds in which both have one: of the reference, of the subject.
    fn paired(&self, place: usize, pair: Compared) -> (Vec<f64>, Vec<f64>) {
        let rounds = self.paired_by(|row| row.values[place].as_ref()?.value().copied(), pair);
        rounds.into_iter().map(|(_, r, s)| (r, s)).unzip()
    }

    fn paired_by(
        &self,
        value: impl Fn(&Row) -> Option<f64>,
        pair: Compared,
    ) -> Vec<(usize, f64, f64)> {
        let of = |variant: usize| self.rows.iter().filter(move |row| row.variant == variant);
        let both = of(pair.subject).filter_map(|s| {
            let r = of(pair.reference).find(|r| r.round == s.round)?;
            Some((s.round, value(r)?, value(s)?))
        });
        both.collect()
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Compared {
    pub(crate) reference: usize,
    pub(crate) subject: usize,
    pub(crate) floor: f64,
    pub(crate) comparisons: usize,
}

fn against(unit: Unit, reference: &[f64], subject: &[f64], alpha: f64) -> Option<Contrast> {
    match basis(unit, reference, subject) {
        Basis::Ratio => estimate(reference, subject, alpha).ok().map(of_ratio),
        Basis::Difference => shift(reference, subject, alpha).ok().map(of_shift),
    }
}

fn of_shift(shift: Shift) -> Contrast {
    Contrast {
        basis: Basis::Difference,
        estimate: shift.by,
        low: shift.low,
        high: shift.high,
        rounds: shift.rounds,
        alpha: shift.alpha,
    }
}

pub(super) fn of_ratio(estimate: Estimate) -> Contrast {
    Contrast {
        basis: Basis::Ratio,
        estimate: estimate.ratio,
        low: estimate.low,
        high: estimate.high,
        rounds: estimate.rounds,
        alpha: estimate.alpha,
    }
}

fn basis(unit: Unit, reference: &[f64], subject: &[f64]) -> Basis {
    let enough = |value: &f64| match unit {
        Unit::Count => *value >= FEW,
        Unit::Ns | Unit::Bytes | Unit::PerSecond | Unit::Share => *value > 0.0,
    };
    match reference.iter().chain(subject).all(enough) {
        true => Basis::Ratio,
        false => Basis::Difference,
    }
}

fn word(unit: Unit, contrast: &Contrast, floor: f64) -> Word {
    let verdict = match contrast.basis {
        Basis::Ratio => of_interval(contrast, floor),
        Basis::Difference => of_difference(unit, contrast),
    };
    match (verdict, unit) {
        (Word::Less, Unit::Ns) => Word::Faster,
        (Word::More, Unit::Ns) => Word::Slower,
        (word, _) => word,
    }
}

fn of_interval(contrast: &Contrast, floor: f64) -> Word {
    let estimate = Estimate {
        rounds: contrast.rounds,
        ratio: contrast.estimate,
        low: contrast.low,
        high: contrast.high,
        alpha: contrast.alpha,
    };
    match Word::of_time(rule(floor, 1).judge(&estimate)) {
        Word::Faster => Word::Less,
        Word::Slower => Word::More,
        word => word,
    }
}

fn of_difference(unit: Unit, contrast: &Contrast) -> Word {
    let Some((low, high)) = contrast.interval() else {
        return Word::CannotTell;
    };
    let small = |end: f64| end == 0.0 || (unit == Unit::Count && end.abs() < ONE);
    if small(low) && small(high) {
        Word::Same
    } else if high < 0.0 {
        Word::Less
    } else if low > 0.0 {
        Word::More
    } else {
        Word::CannotTell
    }
}
