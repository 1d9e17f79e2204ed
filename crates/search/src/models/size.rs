use crate::job::Task;
use crate::plan::Model;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) first: u32,
    pub(crate) most: u32,
}

impl Size {
    pub(crate) fn fixed(workers: u32) -> Size {
        Size {
            first: workers,
            most: workers,
        }
    }

    pub(crate) fn of(model: Model, workers: u32, left: &[Task], worth: usize) -> Size {
        let names = |task: &Task| match task {
            Task::Files(files) => {
                let count = memchr::memchr_iter(0, &files.names).count();
                count * if files.heavy { worth } else { 1 }
            }
            Task::Root(_) => 1,
            // Searched by all flows together.
            Task::Large => worth.saturating_mul(workers as usize),
            Task::Folder(_) => 0,
        };
        let files: usize = left.iter().map(names).sum();
        let is_folder = |task: &&Task| matches!(task, Task::Folder(_));
        let folders = left.iter().filter(is_folder).count();
        let busy = u32::try_from(folders + files.div_ceil(worth)).unwrap_or(u32::MAX);
        let first = busy.clamp(1, workers);
        match folders {
            0 => Size::fixed(first),
            // A folder's content is unknown.
            _ if grows(model) => Size {
                first: first.max(workers.min(2)),
                most: workers,
            },
            _ => Size::fixed(workers),
        }
    }

    pub(crate) fn within(self, most: u32) -> Size {
        Size {
            first: self.first.min(most),
            most: self.most.min(most),
        }
    }

    pub(crate) fn describe(self, workers: u32) -> String {
        let Size { first, most } = self;
        match (most < workers, first < most) {
            (true, _) => format!(", but {most} for what is left"),
            (_, true) => format!(", {first} to begin with and more as folders are found"),
            _ => String::new(),
        }
    }
}

fn grows(model: Model) -> bool {
    matches!(model, Model::ThreadPool | Model::ThreadPrivateFiles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{FilesTask, FolderTask};

    const POOL: Model = Model::ThreadPrivateFiles;

    fn folder() -> Task {
        Task::Folder(FolderTask {
            root: 0,
            path: Box::default(),
            chain: None,
        })
    }

    fn files_that(heavy: bool, count: usize) -> Task {
        Task::Files(FilesTask {
            root: 0,
            path: Box::default(),
            names: b"a\0".repeat(count),
            heavy,
        })
    }

    fn files(count: usize) -> Task {
        files_that(false, count)
    }

    #[test]
    fn few_files_get_few_workers_however_many_cpus_there_are() {
        assert_eq!(Size::of(POOL, 64, &[files(50)], 8), Size::fixed(7));
        assert_eq!(Size::of(POOL, 64, &[files(3)], 8), Size::fixed(1));
        assert_eq!(Size::of(POOL, 2, &[files(50)], 8), Size::fixed(2));
        let named: Vec<Task> = (0..20).map(Task::Root).collect();
        assert_eq!(Size::of(POOL, 64, &named, 8), Size::fixed(3));
        // Of files that take their time each is worth one.
        assert_eq!(Size::of(POOL, 64, &named, 1), Size::fixed(20));
        // So is each of those that are large, and one that all search together keeps all busy.
        assert_eq!(
            Size::of(POOL, 64, &[files_that(true, 2)], 8),
            Size::fixed(2)
        );
        assert_eq!(Size::of(POOL, 64, &[Task::Large], 8), Size::fixed(64));
        assert_eq!(Size::fixed(7).describe(64), ", but 7 for what is left");
        assert_eq!(Size::fixed(2).describe(2), "");
    }

    #[test]
    fn folders_may_hold_anything_so_that_there_may_be_more() {
        let (first, most) = (5, 64);
        let left = [folder(), folder(), folder(), files(12)];
        assert_eq!(Size::of(POOL, 64, &left, 8), Size { first, most });
        assert_eq!(Size::of(POOL, 64, &[folder()], 8), Size { first: 2, most });
        assert_eq!(Size::of(POOL, 2, &left, 8), Size::fixed(2));
        assert_eq!(Size::of(POOL, 1, &left, 8), Size::fixed(1));
        // Processes are made by one that does nothing else, all at once.
        assert_eq!(Size::of(Model::ProcessPool, 64, &left, 8), Size::fixed(64));
        let said = Size { first, most }.describe(64);
        assert_eq!(said, ", 5 to begin with and more as folders are found");
    }
}
