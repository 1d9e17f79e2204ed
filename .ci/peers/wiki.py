"""Wiki text to a tree, beside other parsers."""
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from peers.common import ROOT, not_here, ratios, run, table

TITLE = "Wiki text"
# Peers that parse wiki text: both time a lap over all files of a folder, in us of CPU a page.
PARSERS = """
use std::{env, fs, hint::black_box, process::exit};
fn cpu_ns() -> u64 {
    let times = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    times.split(' ').next().unwrap().parse().unwrap()
}
fn main() {
    let [_, parser, folder, laps] = &env::args().collect::<Vec<_>>()[..] else { exit(2) };
    let read = |file: Result<fs::DirEntry, _>| fs::read_to_string(file.unwrap().path()).unwrap();
    let pages: Vec<String> = fs::read_dir(folder).unwrap().map(read).collect();
    let laps: u64 = laps.parse().unwrap();
    let (wiki, began) = (parse_wiki_text_2::Configuration::default(), cpu_ns());
    for page in (0..laps).flat_map(|_| &pages) {
        match parser.as_str() {
            "parse-wiki-text-2" => drop(black_box(wiki.parse(page))),
            "wikitext-parser" => drop(black_box(wikitext_parser::parse_wikitext(page, String::new(), |_| ()))),
            _ => exit(2),
        }
    }
    println!("{}", (cpu_ns() - began) as f64 / 1e3 / (laps * pages.len() as u64) as f64);
}
"""
PYTHON_PARSER = """
import pathlib, sys, time, mwparserfromhell
from mwparserfromhell.parser import use_c
assert use_c
pages = [file.read_text() for file in pathlib.Path(sys.argv[1]).iterdir()]
began = time.thread_time()
for _ in range(int(sys.argv[2])):
    for page in pages:
        mwparserfromhell.parse(page)
print((time.thread_time() - began) * 1e6 / len(pages) / int(sys.argv[2]))
"""


def wiki_peers(folder):
    """Commands that print us a page, by name, and the names of what cannot be had."""
    project = folder / "parsers"
    (project / "src").mkdir(parents=True)
    (project / "src/main.rs").write_text(PARSERS)
    versions = {"parse-wiki-text-2": "0.2.0", "wikitext-parser": "0.3.3"}
    crates = "".join(f'{name} = "={version}"\n' for name, version in versions.items())
    (project / "Cargo.toml").write_text(
        f'[package]\nname = "parsers"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n{crates}'
        '[profile.release]\nlto = "fat"\ncodegen-units = 1\n[workspace]\n')
    (folder / "parse.py").write_text(PYTHON_PARSER)
    peers, missing = {}, []
    if subprocess.run(["cargo", "build", "-q", "--release"], cwd=project).returncode == 0:
        program = project / "target/release/parsers"
        peers |= {f"{name} {version}": [program, name, folder / "pages", "20"] for name, version in versions.items()}
    else:
        missing += [f"{name} (crates.io)" for name in versions]
    if subprocess.run([sys.executable, "-c", "import mwparserfromhell"], stderr=subprocess.DEVNULL).returncode == 0:
        peers["mwparserfromhell, in C"] = [sys.executable, folder / "parse.py", folder / "pages", "2"]
    else:
        missing.append("mwparserfromhell (pip install mwparserfromhell)")
    return peers, missing


def measure(asked):
    run("cargo", "build", "--release", "-q", "-p", "flowgauge-workload", "--example", "wiki")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        ours = [ROOT / "target/release/examples/wiki", "8K", "3000", "1", folder / "pages"]
        peers, missing = wiki_peers(folder)
        lines = [f"not here: {name}" for name in missing]
        for _ in range(asked.rounds):
            steps = run(*ours)
            lines.append("ours: " + re.search(r"marks, tree, and freeing them +([\d.]+)", steps)[1])
            lines.append("requests: " + re.search(r"cache off: (\d+)", steps)[1])
            lines += [f"{name}: {run(*command).strip()}" for name, command in peers.items()]
    return "\n".join(lines)


def show(text):
    found = {}
    for name, number in re.findall(r"(?m)^(.*): ([\d.]+)$", text):
        found.setdefault(name, []).append(float(number))
    ours, requests = found.pop("ours"), found.pop("requests")
    rows = []
    for name, theirs in found.items():
        rows.append([name, f"{statistics.median(ours):.1f}", f"{statistics.median(theirs):.1f}", ratios(ours, theirs)])
    return (table(["parser", "ours, us", "theirs, us", "ratio"], rows) + not_here(text) + "\n\nA page of about 8 KiB to a tree, which is freed, "
            f"in us of CPU time; requests per second of CPU time, with store and HTML: {statistics.median(requests):,.0f}.")
