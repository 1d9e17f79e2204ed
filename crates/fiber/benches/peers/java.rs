//! Virtual threads of the newest JDK that is here.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Peer;
use super::external::{compile, run, said};

const NAME: &str = "Java virtual threads, 1 carrier";
/// The first with virtual threads.
const LEAST: u32 = 21;
const REMEDY: &str = "install a JDK 21 or later under /usr/lib/jvm, or name it in JAVA_HOME";

/// The peer, or why there is none.
pub(crate) fn peer() -> Result<Peer, String> {
    let missing = |why: String| format!("{NAME}: {why}; {REMEDY}");
    let (version, home) = newest().ok_or_else(|| missing("no JDK is here".to_owned()))?;
    if version < LEAST {
        return Err(missing(format!("the newest JDK here is {version}")));
    }
    let classes = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("virtual");
    let compiler = home.join("bin/javac").to_string_lossy().into_owned();
    compile(&[&compiler, "-d"], &classes, "Virtual.java", &[]).map_err(missing)?;
    let program = move |flows, yields| {
        let mut java = Command::new(home.join("bin/java"));
        java.arg("-Djdk.virtualThreadScheduler.parallelism=1")
            .arg("-Djdk.virtualThreadScheduler.maxPoolSize=1")
            .arg("-cp")
            .arg(&classes)
            .arg("Virtual");
        run(java, flows, yields, &[])
    };
    Ok(Peer::new(NAME, program).up_to(1_000_000, "not asked for more"))
}

/// The version and folder of the newest JDK.
fn newest() -> Option<(u32, PathBuf)> {
    let installed = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten();
    let homes = installed.flatten().map(|entry| entry.path());
    let named = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let with_compiler = homes
        .chain(named)
        .filter(|home| home.join("bin/javac").exists());
    with_compiler
        .filter_map(|home| Some((version(&home)?, home)))
        .max()
}

/// 25 of a file `release` with a line such as `JAVA_VERSION="25.0.3"`.
fn version(home: &Path) -> Option<u32> {
    let release = said(&std::fs::read(home.join("release")).ok()?);
    let value = release
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let digits = value.trim_matches('"').split('.').next()?;
    digits.parse().ok()
}
