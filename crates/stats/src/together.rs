//! Several answers of one run, at one level together (docs/method.md, "The answers of a run
//! together"), by S. Holm ("A simple sequentially rejective multiple test procedure", 1979):
//! ```text
//!   k = S   which answers name a difference at 1/S of the level?     d of them: they stand
//!   k = S-d which of the others do at 1/(S-d)?                       those stand too
//!   ...     until no further one does; the rest is judged at the last level
//! ```
//! Answers may depend on each other, and no p-value is needed: only whether one names a difference
//! at a level ([`Sequential::at`](crate::Sequential::at)).

/// What the level of each of `answers` is divided by; does `i` differ at 1/k: `differs(i, k)`.
pub fn shares(answers: usize, mut differs: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut shares: Vec<Option<usize>> = vec![None; answers];
    loop {
        let open = shares.iter().filter(|share| share.is_none()).count();
        let stands = |i: &usize| shares[*i].is_none() && differs(*i, open);
        let stand: Vec<usize> = (0..answers).filter(stands).collect();
        if stand.is_empty() {
            return shares.iter().map(|share| share.unwrap_or(open)).collect();
        }
        for i in stand {
            shares[i] = Some(open);
        }
    }
}

/// How many comparisons name a difference so that at most a share of `level` of those is false on
/// average: the R of m whose p-value is at most `level * R / m`; judged at that level, their
/// intervals keep it too (Benjamini and Yekutieli, 2005). Source: Y. Benjamini and Y. Hochberg,
/// "Controlling the false discovery rate", *Journal of the Royal Statistical Society B*, 1995.
pub fn discoveries(p_values: &[f64], level: f64) -> usize {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let all = sorted.len() as f64;
    let holds = |(place, p): (usize, &f64)| *p <= level * (place + 1) as f64 / all;
    let last = sorted.iter().enumerate().rposition(holds);
    last.map_or(0, |place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers whose p-values are these, of which each differs where p <= 0.05 / k.
    fn of(p: &[f64]) -> Vec<usize> {
        shares(p.len(), |i, k| p[i] <= 0.05 / k as f64)
    }

    #[test]
    fn what_stands_frees_its_level_for_the_others() {
        assert_eq!(of(&[0.001, 0.02, 0.9, 0.012]), [4, 2, 1, 4]);
        assert_eq!(of(&[0.02, 0.02, 0.9]), [3, 3, 3]);
        assert_eq!(of(&[0.001, 0.001]), [2, 2]);
        assert_eq!(of(&[0.04]), [1]);
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn discoveries_are_those_of_the_paper() {
        // The 15 p-values of section 3.2 of Benjamini and Hochberg: four are rejected at 5 %.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        assert_eq!(discoveries(&p, 0.05), 4);
        assert_eq!(discoveries(&[], 0.05), 0);
        assert_eq!(discoveries(&[0.06], 0.05), 0);
    }
}
