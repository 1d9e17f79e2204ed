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
    let (mounts, groups) = told()?;
    let missing = || io::Error::new(io::ErrorKind::NotFound, "no cgroup v2 is mounted");
    let mount = mount_of(&mounts, Version::V2).ok_or_else(missing)?;
    let mut lines = groups.lines();
    let path = lines.find_map(|line| line.strip_prefix("0::/"));
    Ok(Path::new(mount).join(path.ok_or_else(missing)?))
}

fn told() -> io::Result<(String, String)> {
    let mounts = fs::read_to_string("/proc/self/mounts")?;
    Ok((mounts, fs::read_to_string("/proc/self/cgroup")?))
}

/// Nearest first. A group outside the mount shows no folder.
fn ancestors(mount: &Path, path: &str) -> Vec<PathBuf> {
    let own = mount.join(path.trim_start_matches('/'));
    let all = own.ancestors();
    let all = all.take_while(|folder| folder.starts_with(mount));
    let there = all.filter(|folder| folder.is_dir());
    there.map(Path::to_owned).collect()
}

fn mount_of(mounts: &str, version: Version) -> Option<&str> {
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (at, kind, options) = (fields.next()?, fields.next()?, fields.next()?);
        let fits = match version {
            Version::V1 => kind == "cgroup" && has_cpu(options),
            Version::V2 => kind == "cgroup2",
        };
        fits.then_some(at)
    })
}

fn has_cpu(names: &str) -> bool {
    names.split(',').any(|name| name == "cpu")
}

pub(crate) fn is_ours(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.and_then(Kind::of) == Some(Kind::Group)
}

pub(super) fn folders() -> Vec<PathBuf> {
    let mut found = hierarchy().map(|(_, folders)| folders).unwrap_or_default();
    found.retain(|folder| !is_ours(folder));
    found
}

pub(crate) fn hierarchy() -> io::Result<(Version, Vec<PathBuf>)> {
    let (mounts, groups) = told()?;
    let (version, mount, path) = place_of(&mounts, &groups).ok_or_else(no_controller)?;
    Ok((version, ancestors(Path::new(mount), path)))
}

fn place_of<'t>(mounts: &'t str, groups: &'t str) -> Option<(Version, &'t str, &'t str)> {
    let lines = || {
        groups
            .lines()
            .filter_map(|line| line.split_once(':')?.1.split_once(':'))
    };
    let (version, path) = match lines().find(|(names, _)| has_cpu(names)) {
        Some((_, path)) => (Version::V1, path),
        None => (Version::V2, lines().find(|(names, _)| names.is_empty())?.1),
    };
    Some((version, mount_of(mounts, version)?, path))
}

pub(crate) fn no_controller() -> io::Error {
    let why = "the cpu controller is mounted nowhere";
    io::Error::new(io::ErrorKind::NotFound, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_version_is_found_beside_the_first() {
        let mounts = "cgroup /sys/fs/cgroup/pids cgroup rw 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";
        let found = |mounts| mount_of(mounts, Version::V2);
        assert_eq!(found(mounts), Some("/sys/fs/cgroup/unified"));
        assert_eq!(found("proc /proc proc rw 0 0\n"), None);
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
