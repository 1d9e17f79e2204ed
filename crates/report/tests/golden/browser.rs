//! The page in a real browser: headless Chromium loads it, hovers, filters, switches axes, in
//! light and in dark, on a desk and on a telephone. Without Chromium it is skipped, and says
//! so.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use lab::fleet::{Fleet, Node};
use report::html;
use serde_json::Value;

use crate::compare::machines;
use crate::html::grids;
use crate::samples::sampled;
use crate::support::scaling::scaled;
use crate::support::searches::searches;
use crate::support::workers::workers;
use crate::support::{mapped, results};

/// Run in a page, before its own script and after it; the second tells what it found.
const BEFORE: &str = include_str!("browser/before.js");
const AFTER: &str = concat!(
    include_str!("browser/lessons.js"),
    include_str!("browser/after.js")
);

fn chromium() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| {
        let asked = Command::new(name).arg("--version").output();
        asked.is_ok_and(|answer| answer.status.success())
    })
}

/// Widths of a desk and of a telephone.
const WIDTHS: [u32; 2] = [1280, 390];

/// What the script found in each page at each width, and what the browser wrote to its console.
fn look_at(browser: &str, pages: &[PathBuf], dark: bool) -> (Vec<Value>, Vec<String>) {
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let flags = [
        "--virtual-time-budget=60000",
        "--enable-logging=stderr",
        "--window-size=1400,1000",
        &scheme,
    ];
    let name = format!("browser-dark-{dark}.html");
    let (told, said) = shown(browser, &name, &framed(pages), &flags);
    assert_eq!(
        told.len(),
        pages.len() * WIDTHS.len(),
        "the script ran: {said}"
    );
    let console = said
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .map(str::to_owned);
    (told, console.collect())
}

/// What scripts of a page reported in a browser with these flags, and what that wrote to its log.
fn shown(browser: &str, name: &str, page: &str, flags: &[&str]) -> (Vec<Value>, String) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let profile = path.with_extension("profile");
    std::fs::write(&path, page).expect("the page can be written");
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
        ])
        .args(flags)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", path.display()))
        .output()
        .expect("the browser runs");
    let _never_made_is_fine = std::fs::remove_dir_all(&profile);
    let dom = String::from_utf8_lossy(&output.stdout);
    let told = dom.split("<pre class=\"found\">").skip(1).map(found);
    (
        told.collect(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// What a page reported, from where it is written down in the frame.
fn found(written: &str) -> Value {
    let text = written.split("</pre>").next().unwrap_or_default();
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    serde_json::from_str(&text).expect("JSON")
}

/// A page that shows others in frames of a width (no window is as narrow as a telephone), and
/// writes down what their scripts tell.
fn framed(pages: &[PathBuf]) -> String {
    let frame = |page: &PathBuf, width: u32| {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        format!("<iframe src=\"{name}\" style=\"width:{width}px;height:900px;border:0\"></iframe>")
    };
    let frames = pages
        .iter()
        .flat_map(|page| WIDTHS.map(|width| frame(page, width)));
    format!(
        "<!doctype html><body><script>addEventListener('message', event => {{\
         const told = document.createElement('pre'); told.className = 'found';\
         told.textContent = event.data; document.body.append(told) }})</script>{}",
        frames.collect::<String>()
    )
}

/// A library that checks names, order and contrast (`npm install -g axe-core`).
fn axe() -> Option<String> {
    let root = Command::new("npm").args(["root", "-g"]).output().ok()?;
    let root = String::from_utf8(root.stdout).ok()?;
    let file = PathBuf::from(root.trim()).join("axe-core/axe.min.js");
    std::fs::read_to_string(file).ok()
}

fn instrumented(name: &str, page: &str, library: &str) -> PathBuf {
    let page = page.replacen("<head>", &format!("<head><script>{BEFORE}</script>"), 1);
    let page = page.replacen(
        "</body>",
        &format!("<script>{library}</script><script>{AFTER}</script></body>"),
        1,
    );
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, page).expect("the page can be written");
    path
}

/// The run as on three machines.
fn fleet() -> Fleet {
    let names = ["one", "other", "third"];
    let nodes = names.iter().filter_map(|name| Node::of(name, &[results()]));
    Fleet::of(nodes.collect())
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = chromium() else {
        return skipped::skipped("no Chromium (apt-get install chromium): the page was not tried");
    };
    let pages = [
        ("browser-run.html", html::page(&results())),
        ("browser-grids.html", html::page(&grids())),
        ("browser-map.html", html::page(&mapped())),
        ("browser-workers.html", html::page(&workers())),
        ("browser-scaling.html", html::page(&scaled())),
        ("browser-searches.html", html::page(&searches())),
        ("browser-samples.html", html::page(&sampled())),
        ("browser-compare.html", report::compare::page(&machines())),
        ("browser-fleet.html", report::fleet::page(&fleet())),
    ];
    let library = axe();
    if library.is_none() {
        skipped::skipped("no axe-core (npm install -g axe-core): its rules were not tried");
    }
    let library = library.unwrap_or_default();
    let pages = pages.map(|(name, page)| instrumented(name, &page, &library));
    let papers = [false, true].map(|dark| {
        let (found, console) = look_at(browser, &pages, dark);
        assert_eq!(console, [""; 0], "dark {dark}");
        found.iter().for_each(|found| check(found, dark));
        for lesson in ["coins", "sweeps", "films"] {
            assert!(
                found.iter().any(|found| found["lessons"][lesson] != 0),
                "{lesson}"
            );
        }
        let paper = found.iter().map(|found| found["paper"].to_string());
        paper.collect::<BTreeSet<String>>()
    });
    assert!(papers.iter().all(|papers| papers.len() == 1), "{papers:?}");
    assert_ne!(papers[0], papers[1], "light and dark");
}

/// That everything in a page is as it must be.
fn check(found: &Value, dark: bool) {
    let what = format!("dark {dark}: {found:#}");
    assert!(
        WIDTHS.iter().any(|width| found["width"] == *width),
        "{what}"
    );
    assert_eq!(found["errors"], serde_json::json!([]), "{what}");
    for check in [
        "hover",
        "leave",
        "filter",
        "unfilter",
        "axis",
        "axis_back",
        "fits",
        "print",
    ] {
        assert_eq!(found[check], true, "{check}: {what}");
    }
    assert_eq!(found["overlaps"], serde_json::json!([]), "{what}");
    assert_eq!(found["lessons"]["wrong"], serde_json::json!([]), "{what}");
    // Absent without the library.
    assert!(found["axe"].as_array().is_none_or(Vec::is_empty), "{what}");
}

/// Plays each film of the page, frame by frame, and writes down what a frame takes.
const FRAMES: &str = "
  const films = [...document.querySelectorAll('.film')], told = document.createElement('pre');
  const times = films.flatMap(film => {
    const slider = film.querySelector('input');
    film.closest('details').open = true;
    return Array.from({ length: 200 }, (_, frame) => {
      const began = performance.now();
      slider.value = 5 * frame;
      slider.dispatchEvent(new Event('input'));
      return performance.now() - began;
    });
  }).sort((a, b) => a - b);
  told.className = 'found';
  told.textContent = JSON.stringify({ frames: times.length, median: times[times.length >> 1], worst: times.at(-1) });
  document.body.append(told);";

/// A frame of 60 a second has 16 ms. Printed and not asserted: it is this machine's.
#[test]
fn what_a_frame_of_a_film_takes() {
    let Some(browser) = chromium() else {
        return skipped::skipped("no Chromium (apt-get install chromium): no film was played");
    };
    let page = html::page(&results());
    let page = page.replacen("</body>", &format!("<script>{FRAMES}</script></body>"), 1);
    let (told, _) = shown(browser, "browser-film.html", &page, &[]);
    let told = told.first().expect("it was played");
    assert!(told["frames"].as_u64() >= Some(200), "{told}");
    println!(
        "a frame of a film takes {} ms of script, {} ms at most",
        told["median"], told["worst"]
    );
}
