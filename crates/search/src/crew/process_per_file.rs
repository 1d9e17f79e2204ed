//! One flow walks and forks a process for each file.

use measure::clock;
use nix::poll::PollTimeout;

use crate::crew::children::Children;
use crate::crew::walker::Walker;
use crate::crew::{Crew, Done, Totals};
use crate::job::Task;
use crate::report::Flows;

pub(crate) fn run(crew: &Crew<'_, '_>, cap: u32, tasks: Vec<Task>) -> Done {
    let mut children = Children::new(crew);
    let (mut create_ns, mut held_at) = (0, None);
    let mut cap = cap as usize;
    let mut walker = Walker::new(crew);
    walker.walk(tasks, |files, found| {
        if children.live() >= cap.max(1) {
            // Those that have ended meanwhile hold nobody back.
            children.listen(PollTimeout::ZERO);
        }
        while children.live() >= cap.max(1) {
            held_at = Some(cap as u64);
            children.listen(PollTimeout::NONE);
        }
        let started_ns = clock::now_ns();
        let made = children.make(|mut files, _| {
            found.search(&mut files);
            files.sheet.deliver();
            Totals::of((files.counts, files.watch.profile()))
        });
        create_ns += clock::now_ns() - started_ns;
        if made.is_err() {
            // No room for another: as many as there are, from now on.
            cap = children.live();
            held_at = Some(cap as u64);
            found.search(files);
        }
    });
    while children.live() > 0 {
        children.listen(PollTimeout::NONE);
    }
    let tear_down_ns = clock::now_ns().saturating_sub(children.last_ns);
    let flows = Flows {
        made: children.made,
        most: children.most.max(1),
        held_at,
    };
    let mut totals = children.totals;
    totals.add(walker.totals());
    Done::new(totals, flows).taking(create_ns, tear_down_ns)
}
