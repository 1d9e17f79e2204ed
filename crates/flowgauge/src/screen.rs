//! Standard error while a run continues: one line of progress, and below it what is watched, on one
//! screen; elsewhere than on a terminal, plain lines. Lines that stay are printed while the rest is
//! taken away. Nothing is drawn but when something is said: no thread, no timer.

use std::cell::RefCell;
use std::rc::Rc;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::tell;

const ALONE: &str = "{bar:10.cyan/dim} {wide_msg}";
const WITH_BLOCK: &str = "{bar:10.cyan/dim} {wide_msg}\n{prefix}";

const USUAL: (usize, usize) = (80, 24);

/// Standard error; clones are the same screen.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    bar: Option<ProgressBar>,
    runs: Rc<RefCell<Runs>>,
}

#[derive(Debug, Default)]
struct Runs {
    what: String,
    variant: Option<String>,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
        bar.set_style(style(ALONE));
        // Hidden without a terminal that draws in place (`TERM` unset or `dumb`).
        Self {
            bar: (!bar.is_hidden()).then_some(bar),
            runs: Rc::default(),
        }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.bar.is_some()
    }

    pub(crate) fn size(&self) -> (usize, usize) {
        let seen = terminal_size::terminal_size_of(std::io::stderr());
        seen.map_or(USUAL, |(columns, lines)| (columns.0.into(), lines.0.into()))
    }

    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(line)),
            None => tell(line),
        }
    }

    pub(crate) fn draw(&self, message: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(report::text::visible(&message).into_owned());
        }
    }

    pub(crate) fn advance(&self, position: u64, length: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(length);
            bar.set_position(position);
        }
    }

    pub(crate) fn now_runs(&self, what: String, variant: Option<&str>) {
        let variant = variant.map(str::to_owned);
        *self.runs.borrow_mut() = Runs { what, variant };
    }

    pub(crate) fn runs(&self, otherwise: &str) -> String {
        let Runs { what, variant } = &*self.runs.borrow();
        format!("{what}, {}", variant.as_deref().unwrap_or(otherwise))
    }

    pub(crate) fn below(&self, lines: &[String]) {
        match &self.bar {
            Some(bar) => {
                let shown = lines.iter().map(|line| report::text::visible(line));
                let shown: Vec<_> = shown.collect();
                bar.set_style(style(WITH_BLOCK));
                bar.set_prefix(shown.join("\n"));
            }
            None => lines.iter().for_each(|line| tell(line)),
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
