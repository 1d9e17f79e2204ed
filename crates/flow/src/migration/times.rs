use std::time::Duration;

use measure::clock::now_ns;

#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    began: u64,
    go: u64,
    done: u64,
    end: u64,
}

impl Times {
    pub(super) fn begin() -> Self {
        let began = now_ns();
        Self {
            began,
            go: began,
            done: began,
            end: began,
        }
    }

    pub(super) fn go(&mut self) {
        self.go = now_ns();
    }

    pub(super) fn done(&mut self) {
        self.done = now_ns();
    }

    pub(super) fn end(self) -> Self {
        Self {
            end: now_ns(),
            ..self
        }
    }

    pub(super) fn spans(self) -> [Duration; 3] {
        let ends = [self.began, self.go, self.done, self.end];
        [0, 1, 2].map(|at| Duration::from_nanos(ends[at + 1].saturating_sub(ends[at])))
    }
}
