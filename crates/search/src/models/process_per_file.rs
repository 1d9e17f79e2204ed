//! One flow walks and forks a process for each file. It also takes what processes send, and has
//! things to say itself. A process with more of a file to send keeps everybody else from the
//! outlet: this flow hears it out before it goes back to its walk, or it would wait for itself.

use measure::clock;
use nix::poll::PollTimeout;

use crate::file::FileSearch;
use crate::job::Task;
use crate::models::children::Children;
use crate::models::walker::{Found, Walker};
use crate::models::{Done, FlowSet, Totals, refused};
use crate::report::{Class, Flows};

struct Each<'c, 'o> {
    set: &'c FlowSet<'c, 'o>,
    children: Children<'c, 'o>,
    cap: usize,
    create_ns: u64,
    held_at: Option<u64>,
    refused: bool,
}

pub(crate) fn run(set: &FlowSet<'_, '_>, cap: u32, tasks: Vec<Task>) -> Done {
    let mut each = Each {
        set,
        children: Children::new(set),
        cap: cap as usize,
        create_ns: 0,
        held_at: None,
        refused: false,
    };
    let mut walker = Walker::new(set);
    walker.walk(tasks, |files, found| each.file(files, found));
    while each.children.live() > 0 {
        each.children.listen(PollTimeout::NONE);
    }
    each.done(walker.totals())
}

impl Each<'_, '_> {
    fn file(&mut self, files: &mut FileSearch<'_, '_>, found: Found<'_>) {
        self.wait();
        files.watch.lap(Class::Wait);
        let started_ns = clock::now_ns();
        let made = self.children.make(|mut files, _| {
            found.search(&mut files);
            files.buffer.deliver();
            Totals::of((files.counts, files.watch.profile()))
        });
        self.create_ns += clock::now_ns() - started_ns;
        files.watch.lap(Class::Create);
        if let Err(error) = made {
            self.refuse(&error);
            found.search(files);
        }
    }

    fn wait(&mut self) {
        if self.is_full() {
            self.children.listen(PollTimeout::ZERO);
        }
        while self.is_full() || self.children.is_hearing() {
            if self.is_full() {
                self.held_at = Some(self.cap as u64);
            }
            self.children.listen(PollTimeout::NONE);
        }
    }

    fn is_full(&self) -> bool {
        self.children.live() >= self.cap.max(1)
    }

    /// The present number becomes the cap.
    fn refuse(&mut self, error: &std::io::Error) {
        self.cap = self.children.live();
        self.held_at = Some(self.cap as u64);
        if !self.refused {
            refused::tell_each(self.set, self.cap as u64, "processes", error);
        }
        self.refused = true;
    }

    fn done(self, walked: Totals) -> Done {
        let flows = Flows {
            made: self.children.made,
            most: self.children.most.max(1),
            held_at: self.held_at,
            refused: self.refused,
        };
        let mut totals = self.children.totals;
        totals.add(walked);
        Done::new(totals, flows).taking(self.create_ns, self.children.last_ns)
    }
}
