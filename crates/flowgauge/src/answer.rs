use std::path::Path;

use anyhow::Result;
use lab::expect::{Checked, ExpectError};
use lab::{Expectation, Judged, Results};
use report::plots::Plot;

use crate::ending::Ending;
use crate::output::tell;
use crate::whole_file;

pub(crate) fn write_plots(plots: &[Plot], folder: &Path) -> Result<()> {
    whole_file::make_folder(folder)?;
    for plot in plots {
        let files = [("svg", plot.svg.clone().into_bytes()), ("png", plot.png()?)];
        for (ending, bytes) in files {
            whole_file::write(&folder.join(format!("{}.{ending}", plot.name)), bytes)?;
        }
    }
    tell(&format!("Plots: {} in {}", plots.len(), folder.display()));
    let others = other_charts(plots, folder);
    if others > 0 {
        tell(&format!(
            "note: {} holds {} that this run did not make: name a folder of its own to keep them apart",
            folder.display(),
            report::number::many(others as u64, "other chart")
        ));
    }
    Ok(())
}

fn other_charts(plots: &[Plot], folder: &Path) -> usize {
    let is_other = |name: &str| {
        let chart = ["svg", "png"].map(|ending| name.strip_suffix(ending)?.strip_suffix('.'));
        let mut named = chart.into_iter().flatten();
        named.any(|name| plots.iter().all(|plot| plot.name != name))
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    names
        .filter(|name| is_other(&name.to_string_lossy()))
        .count()
}

pub(crate) fn checks(
    expectations: &[Expectation],
    results: &Results,
) -> Result<Vec<Checked>, ExpectError> {
    expectations.iter().map(|one| one.check(results)).collect()
}

/// One that fails or is undecided determines the ending, unless the run failed or was cut.
pub(crate) fn judged(ending: Ending, checks: &[Checked]) -> Ending {
    for check in checks {
        tell(&format!("expected {}", check.sentence));
    }
    let any = |judged| checks.iter().any(|check| check.judged == judged);
    match ending {
        Ending::Error | Ending::Interrupted(_) => ending,
        _ if any(Judged::Fails) => Ending::Failed,
        _ if any(Judged::Undecided) => Ending::CannotTell,
        _ => ending,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(judged: Judged) -> Checked {
        Checked {
            judged,
            sentence: String::new(),
        }
    }

    #[test]
    fn expectations_decide_the_exit_code_of_a_run_that_came_to_its_end() {
        use Judged::{Fails, Holds, Undecided};
        let of = |ending, all: &[Judged]| {
            let checks: Vec<_> = all.iter().map(|judged| check(*judged)).collect();
            judged(ending, &checks)
        };
        assert_eq!(of(Ending::CannotTell, &[]), Ending::CannotTell);
        assert_eq!(of(Ending::Answered, &[Holds, Holds]), Ending::Answered);
        assert_eq!(of(Ending::CannotTell, &[Holds]), Ending::CannotTell);
        assert_eq!(
            of(Ending::Answered, &[Holds, Undecided]),
            Ending::CannotTell
        );
        assert_eq!(of(Ending::Answered, &[Undecided, Fails]), Ending::Failed);
        assert_eq!(of(Ending::Error, &[Fails]), Ending::Error);
        assert_eq!(of(Ending::Interrupted(2), &[Holds]), Ending::Interrupted(2));
    }
}
