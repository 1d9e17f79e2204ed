//! Where groups may be: below the group of this process, in either version.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tidy::names::Kind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

pub(super) fn own_folder() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    let missing = || io::Error::new(io::ErrorKind::NotFound, "no cgroup v2 is mounted");
    let mount = mount_of(&mounts).ok_or_else(missing)?;
    let path = groups
        .lines()
        .find_map(|line| line.strip_prefix("0::/"))
        .ok_or_else(missing)?;
    Ok(Path::new(mount).join(path))
}

/// Nearest first. A group outside the mount shows no folder.
fn ancestors(mount: &Path, path: &str) -> Vec<PathBuf> {
    let own = mount.join(path.trim_start_matches('/'));
    let all = own
        .ancestors()
        .take_while(|folder| folder.starts_with(mount));
    all.filter(|folder| folder.is_dir())
        .map(Path::to_owned)
        .collect()
}

fn mount_of(mounts: &str) -> Option<&str> {
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (at, kind) = (fields.next()?, fields.next()?);
        (kind == "cgroup2").then_some(at)
    })
}

pub(crate) fn is_ours(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.and_then(Kind::of) == Some(Kind::Group)
}

pub(super) fn folders() -> Vec<PathBuf> {
    let found = hierarchy().map(|(_, folders)| folders).unwrap_or_default();
    found
        .into_iter()
        .filter(|folder| !is_ours(folder))
        .collect()
}

pub(crate) fn hierarchy() -> io::Result<(Version, Vec<PathBuf>)> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    place_of(&mounts, &groups)
        .map(|(version, mount, path)| (version, ancestors(Path::new(mount), path)))
        .ok_or_else(no_controller)
}

fn place_of<'t>(mounts: &'t str, groups: &'t str) -> Option<(Version, &'t str, &'t str)> {
    let lines = || {
        groups
            .lines()
            .filter_map(|line| line.split_once(':')?.1.split_once(':'))
    };
    let has = |names: &str| names.split(',').any(|name| name == "cpu");
    let (version, path) = match lines().find(|(names, _)| has(names)) {
        Some((_, path)) => (Version::V1, path),
        None => (Version::V2, lines().find(|(names, _)| names.is_empty())?.1),
    };
    let mount = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (at, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
        let fits = match version {
            Version::V1 => kind == "cgroup" && has(options),
            Version::V2 => kind == "cgroup2",
        };
        fits.then_some(at)
    })?;
    Some((version, mount, path))
}

pub(crate) fn no_controller() -> io::Error {
    io::Error::new(
        io::ErrorKind::NotFound,
        "the cpu controller is mounted nowhere",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_version_is_found_beside_the_first() {
        let mounts = "cgroup /sys/fs/cgroup/pids cgroup rw 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";
        assert_eq!(mount_of(mounts), Some("/sys/fs/cgroup/unified"));
        assert_eq!(mount_of("proc /proc proc rw 0 0\n"), None);
    }

    #[test]
    fn the_controller_is_found_in_either_version() {
        let mounts = "cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu,cpuacct 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        let found = place_of(mounts, "2:cpuacct,cpu:/a\n0::/b\n");
        assert_eq!(found, Some((Version::V1, "/sys/fs/cgroup/cpu", "/a")));
        let found = place_of(mounts, "3:cpuset:/\n0::/b/c\n");
        assert_eq!(found, Some((Version::V2, "/sys/fs/cgroup/unified", "/b/c")));
        assert_eq!(place_of("proc /proc proc rw 0 0\n", "0::/\n"), None);
        assert_eq!(place_of(mounts, ""), None);
    }
}
