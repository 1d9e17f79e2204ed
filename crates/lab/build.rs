//! Lists the folders of studies, so that adding one touches nothing else.
//!
//! Each folder `studies/NAME` with a `study.toml` becomes an entry of `BUILTIN`, and each folder
//! `decisions/NAME` one of `DECISIONS`: its name and its text. They stand in the order that `order = N` at the head of each file gives, and by name
//! where none is given.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let lists = [("BUILTIN", "studies"), ("DECISIONS", "decisions")];
    let lists: io::Result<String> = lists.into_iter().map(|(name, of)| list(name, of)).collect();
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(PathBuf::from(out).join("builtin.rs"), lists?)
}

fn list(name: &str, folder: &str) -> io::Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    println!("cargo:rerun-if-changed={}", root.display());
    let mut studies = Vec::new();
    for entry in fs::read_dir(&root)? {
        let file = entry?.path().join("study.toml");
        if file.is_file() {
            println!("cargo:rerun-if-changed={}", file.display());
            studies.push((order(&fs::read_to_string(&file)?), file));
        }
    }
    studies.sort();
    let entries: String = studies.iter().map(|(_, file)| entry(file)).collect();
    Ok(format!(
        "pub(super) static {name}: &[(&str, &str)] = &[\n{entries}];\n"
    ))
}

fn order(text: &str) -> u32 {
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix("order = "));
    value
        .and_then(|value| value.trim().parse().ok())
        .unwrap_or(u32::MAX)
}

fn entry(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    format!(
        "    ({:?}, include_str!({:?})),\n",
        folder.to_string_lossy(),
        file
    )
}
