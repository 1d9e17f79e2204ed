//! A flow's failure, as a word in shared memory and as text.

use std::io;

/// The number is stored with the errno.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    Affinity = 1,
    FileTable = 2,
    OpenChannel = 3,
    Send = 4,
    Stacks = 5,
    StackSize = 6,
    Tasks = 7,
    Unit = 8,
    Guards = 9,
    SmallStacks = 10,
    SharedMemory = 11,
}

pub(crate) type Trouble = (Step, io::Error);

/// Errors without an errno become EIO.
pub(super) fn trouble(step: Step, error: &io::Error) -> u64 {
    let errno = u64::from(error.raw_os_error().unwrap_or(libc::EIO).unsigned_abs());
    ((step as u64) << 32) | errno
}

pub(crate) fn describe_trouble(word: u64) -> String {
    let step = match word >> 32 {
        1 => "could not be bound to its CPU",
        2 => "could not get a file table of its own",
        3 => "could not open its end of the channel",
        5 => "could not make the stacks of its fibers (fewer flows or smaller stacks help)",
        6 => "cannot run fibers here, or not on stacks of that size",
        7 => "could not make its tasks (fewer flows help)",
        8 => "could not do its work",
        9 => "could not guard the stacks of its fibers",
        10 => "does not fit the stacks of its fibers (larger ones help)",
        11 => {
            "could not share memory between processes at one address (migratable fibers need \
             memfd_create, Linux 3.17, and a sandbox that allows it)"
        }
        _ => "could not send its results",
    };
    let errno = i32::try_from(word & 0xffff_ffff).unwrap_or(0);
    let way_out = match errno {
        // Their own text says what helps.
        _ if [5, 6, 7, 10, 11].contains(&(word >> 32)) => "",
        libc::ENOMEM if word >> 32 == Step::Guards as u64 => {
            "; before Linux 6.13 each guard takes two mappings, of which a process has \
             vm.max_map_count (sysctl -w vm.max_map_count=N raises it); model fiber-packed needs \
             none"
        }
        libc::EMFILE => "; raise the limit (ulimit -n), or use --channel pipe",
        libc::ENOSPC | libc::EDQUOT | libc::EFBIG | libc::EROFS => {
            "; make room there, or name a folder on another disk (--folder DIR)"
        }
        libc::ENOMEM => "; fewer workers, or smaller arrays, need less memory at once",
        _ => "",
    };
    format!("{step}: {}{way_out}", io::Error::from_raw_os_error(errno))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(step: Step, errno: i32) -> String {
        describe_trouble(trouble(step, &io::Error::from_raw_os_error(errno)))
    }

    #[test]
    fn trouble_keeps_the_step_and_the_errno() {
        let text = said(Step::OpenChannel, libc::EMFILE);
        for part in ["its end of the channel", "Too many open", "ulimit -n"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn fibers_without_room_are_not_told_of_disks_and_workers() {
        for (step, errno, says) in [
            (Step::Stacks, libc::ENOMEM, "fewer flows or smaller stacks"),
            (Step::SmallStacks, libc::EINVAL, "larger ones help"),
            (Step::Guards, libc::ENOMEM, "sysctl -w vm.max_map_count=N"),
        ] {
            let text = said(step, errno);
            assert!(text.contains(says), "{text}");
            assert!(!text.contains("--folder"), "{text}");
            assert!(!text.contains("workers"), "{text}");
        }
    }

    #[test]
    fn a_full_disk_comes_with_what_to_do() {
        let text = said(Step::Unit, libc::ENOSPC);
        assert!(
            text.contains("could not do its work: No space left"),
            "{text}"
        );
        assert!(text.contains("--folder"), "{text}");
    }
}
