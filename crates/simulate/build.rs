//! Makes `BUILTIN` of the files `machines/NAME.toml`, in the repository a link.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
    println!("cargo:rerun-if-changed={}", root.display());
    let files = fs::read_dir(&root)?.map(|file| file.map(|file| file.path()));
    let mut files: Vec<PathBuf> = files.collect::<io::Result<_>>()?;
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    let entries = files.iter().map(|file| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        format!("    ({name:?}, include_str!({file:?})),\n")
    });
    let entries: String = entries.collect();
    let list = format!("static BUILTIN: &[(&str, &str)] = &[\n{entries}];\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(PathBuf::from(out).join("machines.rs"), list)
}
