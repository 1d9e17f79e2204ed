//! Lists the folders of studies, so that adding one touches nothing else: `studies/NAME` with a `study.toml` becomes an
//! entry of `BUILTIN`, `decisions/NAME` of `DECISIONS`, `literature/NAME.toml` of `LITERATURE` (name and text), sorted
//! by the `order = N` at the head of each file, then by name. A study of `studies` without an order is one of
//! `OF_COMMANDS`. The three are links to folders in the root of the repository, and folders in the package.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const IN_FOLDER: &str = "study.toml";

fn main() -> io::Result<()> {
    let lists = [
        ("BUILTIN", "studies", true),
        ("OF_COMMANDS", "studies", false),
        ("DECISIONS", "decisions", true),
        ("LITERATURE", "literature", false),
    ];
    let lists: io::Result<String> = lists.into_iter().map(list).collect();
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(PathBuf::from(out).join("builtin.rs"), lists?)
}

fn list((name, folder, has_order): (&str, &str, bool)) -> io::Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    println!("cargo:rerun-if-changed={}", root.display());
    let mut studies = Vec::new();
    for entry in fs::read_dir(&root)? {
        let path = entry?.path();
        let is_study = path.extension().is_some_and(|end| end == "toml");
        let file = if is_study { path } else { path.join(IN_FOLDER) };
        if file.is_file() {
            println!("cargo:rerun-if-changed={}", file.display());
            studies.push((order(&fs::read_to_string(&file)?), file));
        }
    }
    studies.retain(|(order, _)| order.is_some() == has_order);
    studies.sort();
    let entries: String = studies.iter().map(|(_, file)| entry(file)).collect();
    Ok(format!(
        "pub(super) static {name}: &[(&str, &str)] = &[\n{entries}];\n"
    ))
}

fn order(text: &str) -> Option<u32> {
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix("order = "));
    value.and_then(|value| value.trim().parse().ok())
}

fn entry(file: &Path) -> String {
    let name = match file.ends_with(IN_FOLDER) {
        true => file.parent().and_then(Path::file_name),
        false => file.file_stem(),
    };
    let name = name.unwrap_or_default().to_string_lossy();
    format!("    ({name:?}, include_str!({file:?})),\n")
}
