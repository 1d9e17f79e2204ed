//! One flow walks and forks a process for each file. It also takes what processes send, and has
//! things to say itself. A process with more of a file to send keeps everybody else from the
//! outlet: this flow hears it out before it goes back to its walk, or it would wait for itself.

use measure::clock;
use nix::poll::PollTimeout;

use crate::file::FileSearch;
use crate::job::Task;
use crate::models::children::Children;
use crate::models::walker::{Found, Walker};
use crate::models::{Done, FlowSet, refused};
use crate::report::Class;

struct Each<'c, 'o> {
    set: &'c FlowSet<'c, 'o>,
    children: Children<'c, 'o>,
    cap: usize,
    create_ns: u64,
}

pub(crate) fn run<'c>(set: &'c FlowSet<'c, '_>, cap: u32, tasks: Vec<Task>) -> Done {
    let mut each = Each {
        set,
        children: Children::new(set),
        cap: cap as usize,
        create_ns: 0,
    };
    let mut walker = Walker::new(set);
    walker.walk(tasks, |files, found| each.file(files, found));
    while each.children.live() > 0 {
        each.children.listen(PollTimeout::NONE);
    }
    let mut census = each.children.census;
    census.totals.add(walker.files.totals());
    census.done(each.create_ns)
}

impl Each<'_, '_> {
    fn file(&mut self, files: &mut FileSearch<'_, '_>, found: Found<'_>) {
        self.wait();
        files.watch.lap(Class::Wait);
        let started_ns = clock::now_ns();
        let made = self.children.make(|mut files, _| {
            found.search(&mut files);
            files.buffer.deliver();
            files.totals()
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
                self.children.census.flows.held_at = Some(self.cap as u64);
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
        if self.children.census.refuse() {
            refused::tell_each(self.set, self.cap as u64, "processes", error);
        }
    }
}
