//! Be the coin: what the recorded rounds would say if a coin had decided each of them. Of two equal
//! variants W, the sum of the ranks of rounds that favour the reference, has a known distribution
//! ([`stats::signed_rank_share`]). The picture shows it with W of the run; the script tosses. The
//! share of falls with a W at least as far from the middle is the exact p-value; a row's interval
//! leaves out "no difference" where that is at most the level of its look.

use lab::findings::answers::Rounds;
use maud::{Markup, html};

use super::Lesson;
use super::picture::{WIDTH, at, percent, px};

const BARS: usize = 41;
/// From above: middle of the rounds, their largest length, foot and height of the bars.
const ROUNDS: f64 = 36.0;
const LONGEST: f64 = 28.0;
const FOOT: f64 = 180.0;
const HIGHEST: f64 = 90.0;
const HEIGHT: f64 = 216.0;

pub(super) fn p_value(rounds: &Rounds) -> Option<f64> {
    let (reference, subject): (Vec<f64>, Vec<f64>) =
        rounds.paired.iter().map(|(_, r, s)| (*r, *s)).unzip();
    stats::p_value(&reference, &subject).ok()
}

pub(super) fn coin(lesson: &Lesson) -> Markup {
    let rounds = lesson.rounds.as_ref();
    let known = rounds.and_then(|rounds| Some((rounds, p_value(rounds)?)));
    html! { @if let Some((rounds, p)) = known { (part(lesson, rounds, p)) } }
}

fn part(lesson: &Lesson, rounds: &Rounds, p: f64) -> Markup {
    let (subject, reference) = (&lesson.subject, &lesson.reference);
    let n = rounds.paired.len();
    html! {
        div.coin {
            h3 { "Be the coin" }
            p {
                "Suppose " (subject) " and " (reference) " are equal. Then a coin decides whom each of the "
                (n) " rounds favours. Bars above: the rounds of this run, up where " (subject)
                " took longer. Bars below: how often the coin gives each result. The line: this run."
            }
            (picture(lesson, rounds))
            p {
                (percent(p)) " of all 2" sup { (n) } " falls are at least as clear as this run. The row needs "
                (percent(rounds.alpha)) " or less: " (conclusion(p, rounds.alpha))
            }
        }
    }
}

fn conclusion(p: f64, alpha: f64) -> &'static str {
    match p <= alpha {
        true => "a coin hardly does this, so the interval leaves out \"no difference\".",
        false => "a coin does this too often, so \"no difference\" stays possible.",
    }
}

fn picture(lesson: &Lesson, rounds: &Rounds) -> Markup {
    let d = log_ratios(rounds);
    let n = d.len();
    let most = n * (n + 1) / 2;
    let own = rank_sum(&d);
    let x = |w: usize| at((w as f64 + 0.5) / (most as f64 + 1.0));
    let [low, high] = [own.min(most - own), own.max(most - own)].map(x);
    let label = format!(
        "How often a coin gives each result, from every round faster to every round slower; this run is at {own} of {most}."
    );
    html! {
        div.picture {
            svg role="img" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) aria-label=(label) {
                path class="axis" d=(format!("M{} {ROUNDS}H{}M{0} {FOOT}H{1}", at(0.0), at(1.0))) {}
                path class="rounds" d=(lengths(&d)) {}
                path class="falls" stroke-width=(px(width(n) - 1.0)) d=(bars(n)) {}
                path class="drops" d="" {}
                path class="one" d=(format!("M{} 76V{FOOT}", px(x(own)))) {}
                path class="mirror" d=(format!("M{} 76V{FOOT}M{} 76V{FOOT}", px(low), px(high))) {}
                text class=(if own * 2 < most { "" } else { "e" }) x=(px(x(own))) y="72" { "this run" }
                text class="tick" x=(at(0.0)) y=(FOOT + 18.0) { (lesson.subject) " always faster" }
                text class="tick e" x=(at(1.0)) y=(FOOT + 18.0) { "always slower" }
            }
        }
    }
}

fn log_ratios(rounds: &Rounds) -> Vec<f64> {
    let paired = rounds.paired.iter();
    paired.map(|(_, r, s)| s.ln() - r.ln()).collect()
}

/// Of the rounds in which the subject takes longer: the Walsh averages above zero.
fn rank_sum(d: &[f64]) -> usize {
    let of = |(place, one): (usize, &f64)| {
        d[place..]
            .iter()
            .filter(|other| one + **other > 0.0)
            .count()
    };
    d.iter().enumerate().map(of).sum()
}

fn lengths(d: &[f64]) -> String {
    let largest = d
        .iter()
        .fold(f64::MIN_POSITIVE, |most, d| most.max(d.abs()));
    let count = d.len() as f64;
    let strokes = d.iter().enumerate().map(|(place, d)| {
        let x = at((place as f64 + 0.5) / count);
        format!("M{} {ROUNDS}v{}", px(x), px(-d / largest * LONGEST))
    });
    strokes.collect()
}

fn in_bar(n: usize) -> usize {
    (n * (n + 1) / 2 + 1).div_ceil(BARS)
}

fn width(n: usize) -> f64 {
    let results = (n * (n + 1) / 2 + 1) as f64;
    (at(1.0) - at(0.0)) * in_bar(n) as f64 / results
}

fn bars(n: usize) -> String {
    let most = n * (n + 1) / 2;
    let all: Vec<f64> = (0..=most).map(|w| stats::signed_rank_share(n, w)).collect();
    let shares: Vec<f64> = all.chunks(in_bar(n)).map(|bar| bar.iter().sum()).collect();
    let highest = shares.iter().copied().fold(0.0, f64::max);
    let strokes = shares.iter().enumerate().map(|(place, share)| {
        let x = at(0.0) + (place as f64 + 0.5) * width(n);
        format!("M{} {FOOT}v{}", px(x), px(-share / highest * HIGHEST))
    });
    strokes.collect()
}
