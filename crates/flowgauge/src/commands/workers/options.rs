//! The options of a run of workers, for people.

use crate::args::{Kind, WorkersArgs};
use crate::number::Sizes;

/// One line for each of them.
pub(super) fn options(args: &WorkersArgs) -> Vec<String> {
    let kinds: Vec<&str> = args.kind.iter().map(|kind| super::name(*kind)).collect();
    let cpu = match &args.cpu {
        None => "all on the first CPU that may be used".to_owned(),
        Some(placement) => placement.to_string(),
    };
    let mut lines = vec![
        "Using these options (flowgauge workers --help explains them):".to_owned(),
        format!("  kinds                {}", kinds.join(", ")),
        format!(
            "  workers              {}, {}",
            range(&args.processes, "process", "processes"),
            range(&args.threads, "thread", "threads")
        ),
        format!("  CPU                  {cpu}"),
        format!("  loops                {}", args.loops),
    ];
    lines.extend(args.kind.contains(&Kind::Io).then(|| files(args)));
    lines
}

fn files(args: &WorkersArgs) -> String {
    let folder = args.folder.as_ref().map_or_else(
        || "the results folder".to_owned(),
        |folder| folder.display().to_string(),
    );
    format!(
        "  files of io          {} bytes a block, {}, in {folder}",
        args.block, args.sync
    )
}

fn range(sizes: &Sizes, one: &str, many: &str) -> String {
    match sizes {
        Sizes::One(1) => format!("1 {one}"),
        Sizes::One(count) => format!("{count} {many}"),
        Sizes::Sweep(range) => format!("{} to {} {many}", range.start(), range.end()),
    }
}
