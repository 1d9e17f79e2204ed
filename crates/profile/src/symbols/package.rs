//! Packages of files, as Debian's package manager lists them: those of debug symbols are called after them.

use std::fs::{read_dir, read_to_string};
use std::path::Path;

const LISTS: &str = "/var/lib/dpkg/info";

/// Of each file; `None` where no list names it.
pub(super) fn packages(files: &[&Path]) -> Vec<Option<String>> {
    in_lists(Path::new(LISTS), files)
}

fn in_lists(folder: &Path, files: &[&Path]) -> Vec<Option<String>> {
    let mut found = vec![None; files.len()];
    if files.is_empty() {
        return found;
    }
    let entries = read_dir(folder).into_iter().flatten().flatten();
    for list in entries.map(|entry| entry.path()) {
        let name = list.file_name().unwrap_or_default().to_string_lossy();
        let Some(package) = name.strip_suffix(".list") else {
            continue;
        };
        let package = package.split(':').next().unwrap_or(package);
        let text = read_to_string(&list).unwrap_or_default();
        for line in text.lines() {
            // Some files are listed in `/lib`, which is a link to `/usr/lib` by now.
            let is_it = |file: &Path| {
                let file = file.to_str().unwrap_or_default();
                file == line || file.strip_prefix("/usr") == Some(line)
            };
            for (file, found) in files.iter().zip(&mut found) {
                if is_it(file) {
                    *found = Some(package.to_owned());
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_package_whose_list_names_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
        write("libz:amd64.list", "/.\n/lib/libz.so.1\n").expect("it is written");
        write("gzip.list", "/usr/bin/gzip\n").expect("it is written");
        write("gzip.md5sums", "/usr/bin/other\n").expect("it is written");
        let files = ["/usr/lib/libz.so.1", "/usr/bin/gzip", "/usr/bin/other"].map(Path::new);
        let found = in_lists(folder.path(), &files);
        let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
        assert_eq!(found, [Some("libz"), Some("gzip"), None]);
    }
}
