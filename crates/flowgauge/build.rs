//! Asks the linker to pack relocations (`DT_RELR`): a program that may lie at any address has a
//! list of 28,000 places that hold addresses, 24 bytes each, all read when a process begins, and a
//! slot is a process. Packed they take a bit or two each. glibc older than 2.36 cannot start such a
//! program, so only where it is built for this machine.
//!
//! Makes `CARRIED`: the files `NAME.gz` in the folder that `FLOWGAUGE_CARRIES` names, each with the
//! SHA-256 of what is packed in `NAME.sha256` (packages/make); else empty.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const FIRST_GLIBC: (u32, u32) = (2, 36);
const CARRIES: &str = "FLOWGAUGE_CARRIES";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={CARRIES}");
    if is_for_this_machine() && glibc().is_some_and(|version| version >= FIRST_GLIBC) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    let carried =
        env::var_os(CARRIES).map_or(Ok(String::new()), |folder| carried(folder.as_ref()))?;
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    let list = format!("static CARRIED: &[flow::carried::Carried] = &[\n{carried}];\n");
    fs::write(PathBuf::from(out).join("carried.rs"), list)
}

fn carried(folder: &Path) -> io::Result<String> {
    let folder = folder.canonicalize()?;
    println!("cargo:rerun-if-changed={}", folder.display());
    let files = fs::read_dir(folder)?.map(|file| file.map(|file| file.path()));
    let mut files: Vec<PathBuf> = files.collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "gz"));
    files.sort();
    files.iter().map(|file| entry(file)).collect()
}

fn entry(file: &Path) -> io::Result<String> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let sum = fs::read_to_string(file.with_extension("sha256"))?;
    let sum = sum.split_whitespace().next().unwrap_or_default();
    Ok(format!(
        "    flow::carried::Carried {{ name: {name:?}, sha256: {sum:?}, gzip: include_bytes!({file:?}) }},\n"
    ))
}

fn is_for_this_machine() -> bool {
    let asked = |name| env::var(name).ok();
    asked("TARGET") == asked("HOST")
}

fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let told = String::from_utf8(told.ok()?.stdout).ok()?;
    let (major, minor) = told.trim().strip_prefix("glibc ")?.split_once('.')?;
    let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, minor.parse().ok()?))
}
