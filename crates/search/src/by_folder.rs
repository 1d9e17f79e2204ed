//! A search whose flows someone else makes and hands folders to: ranks, which a launcher starts. A
//! tree's folders are listed first, in one order for everyone; each number is a piece of work:
//! names are read (again) and files searched, but not those of folders within. All together find
//! what [`run`](crate::run()) finds.

use std::fmt;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use crate::error::SearchError;
use crate::file::FileSearch;
use crate::job::{Job, Task};
use crate::large::Sizes;
use crate::lines::Lines;
use crate::models::capacity;
use crate::models::sequential::Sequential;
use crate::outlet::{Here, Outlet};
use crate::output_buffer::Style;
use crate::plan::Io;
use crate::problem::Problem;
use crate::query::Query;
use crate::report::Counts;
use crate::walk::{Listing, Root, Rules, open_roots};
use crate::worker::Worker;

/// A tree as a list of folders, to be searched by any flows of this process.
pub struct Folders {
    query: Query,
    rules: Rules,
    roots: Vec<Root>,
    lines: Lines,
    tasks: Vec<Task>,
    stop: AtomicBool,
}

/// One flow that searches folders.
pub struct FolderSearch<'f> {
    worker: Worker<'f, 'f>,
    tasks: &'f [Task],
}

impl Folders {
    /// Lists the folders of the query's roots, fails as [`run`](crate::run()); `say` gets problems.
    pub fn of(query: &Query, say: &mut (dyn FnMut(&Problem) + Send)) -> Result<Self, SearchError> {
        let rules = Rules::new(&query.filter)?;
        let roots = open_roots(query, &rules, capacity::kept_roots(), &mut |problem| {
            say(&problem);
        });
        let mut all = Self {
            rules,
            roots,
            lines: Lines::new(&query.pattern),
            query: query.clone(),
            tasks: Vec::new(),
            stop: AtomicBool::new(false),
        };
        all.tasks = all.listed(say);
        Ok(all)
    }

    /// How many pieces of work there are: folders, and roots that are files.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.tasks.len() as u64
    }

    /// Searches the folders that `work` names; results go to `out`, what went wrong to `say`.
    pub fn search(
        &self,
        out: &mut (dyn Write + Send),
        say: &mut (dyn FnMut(&Problem) + Send),
        work: impl FnOnce(&mut FolderSearch<'_>),
    ) -> Counts {
        let outlet = Outlet::new(out, say, &self.stop);
        let job = self.job();
        let mut search = FolderSearch {
            worker: Worker::new(&job, FileSearch::new(&job, Box::new(Here::new(&outlet)))),
            tasks: &self.tasks,
        };
        work(&mut search);
        let mut worker = search.worker;
        worker.files.buffer.deliver();
        outlet.finish();
        worker.files.totals().counts(outlet.errors())
    }

    fn listed(&self, say: &mut (dyn FnMut(&Problem) + Send)) -> Vec<Task> {
        let mut nowhere = std::io::sink();
        let outlet = Outlet::new(&mut nowhere, say, &self.stop);
        let job = self.job();
        let mut files = FileSearch::new(&job, Box::new(Here::new(&outlet)));
        let mut listing = Listing::default();
        let mut open = Task::of_roots(&self.roots);
        let mut all = Vec::new();
        while let Some(task) = open.pop() {
            if let Task::Folder(folder) = &task
                && let Some(mut opened) = files.open_folder(folder)
            {
                while files.list(folder.place(), &mut opened, &mut listing) {
                    let found = folder.folders_in(&listing, &opened.chain);
                    open.extend(found.map(Task::Folder));
                }
            }
            all.push(task);
        }
        all.sort_by(|a, b| a.at().cmp(&b.at()));
        all
    }

    fn job(&self) -> Job<'_> {
        Job {
            roots: &self.roots,
            rules: &self.rules,
            lines: &self.lines,
            style: Style::of(&self.query, true),
            io: Io::Read,
            text: self.query.filter.text,
            profile: false,
            proof: true,
            skip: None,
            block: Sizes::USUAL.block,
            large: None,
            stop: &self.stop,
        }
    }
}

impl fmt::Debug for Folders {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots = &self.query.roots;
        to.debug_struct("Folders")
            .field("roots", roots)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for FolderSearch<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("FolderSearch").finish_non_exhaustive()
    }
}

impl FolderSearch<'_> {
    /// Searches the files of a folder by its number; of one that there is not, nothing.
    pub fn folder(&mut self, number: u64) {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        match self.tasks.get(place) {
            Some(Task::Folder(folder)) => {
                self.worker.folder(folder, &Sequential);
                self.worker.own().clear();
            }
            Some(Task::Root(root)) => self.worker.files.root(*root),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Model, Pattern, Plan};

    /// A tree with folders in folders, an ignore file among them, and a root that is a file.
    fn tree() -> (tempfile::TempDir, Query) {
        let tree = tempfile::tempdir().unwrap();
        for number in 0..30 {
            let folder = tree.path().join(format!("a{}/b{}", number % 3, number % 5));
            std::fs::create_dir_all(&folder).unwrap();
            let text = "one\ntwo needle\n".repeat(number % 4);
            std::fs::write(folder.join(format!("{number}.txt")), text).unwrap();
        }
        std::fs::write(tree.path().join("a1/.ignore"), "b2\n").unwrap();
        std::fs::write(tree.path().join("a2/top.txt"), "needle\n").unwrap();
        let mut query = Query::new(Pattern::literal("needle").unwrap());
        query.roots = vec![
            tree.path().join("a0"),
            tree.path().join("a1"),
            tree.path().join("a2"),
            tree.path().join("a2/top.txt"),
        ];
        query.paths = crate::Paths::Always;
        (tree, query)
    }

    #[test]
    fn folders_dealt_to_flows_are_the_whole_search() {
        let (_tree, query) = tree();
        let plan = Plan {
            proof: true,
            ..Plan::of(Model::Sequential, 1)
        };
        let whole = crate::run(&query, &plan, &mut Vec::new(), &mut |_| {}).unwrap();
        assert_eq!(whole.counts.errors, 0);
        for flows in [1, 2, 7] {
            let mut sum = Counts::default();
            for flow in 0..flows {
                // Each flow has its own list, as ranks have.
                let folders = Folders::of(&query, &mut |_| {}).unwrap();
                sum += folders.search(&mut Vec::new(), &mut |_| {}, |search| {
                    for number in (flow..folders.count()).step_by(flows as usize) {
                        search.folder(number);
                    }
                });
            }
            assert_eq!(sum, whole.counts, "{flows} flows");
        }
    }
}
