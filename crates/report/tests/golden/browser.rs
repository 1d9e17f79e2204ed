//! The page in a real browser: headless Chromium loads it, hovers, filters, switches axes, in
//! light and in dark, on a desk and on a telephone. Without Chromium it is skipped, and says
//! so.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

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
    let beside = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let frame = beside.join(format!("browser-dark-{dark}.html"));
    let profile = frame.with_extension("profile");
    std::fs::write(&frame, framed(pages)).expect("the frame can be written");
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
        ])
        .args(["--virtual-time-budget=60000", "--enable-logging=stderr"])
        .arg("--window-size=1400,1000")
        .arg(format!(
            "--blink-settings=preferredColorScheme={}",
            u8::from(!dark)
        ))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", frame.display()))
        .output()
        .expect("the browser runs");
    let _never_made_is_fine = std::fs::remove_dir_all(&profile);
    let dom = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    let told = dom.split("<pre class=\"found\">").skip(1);
    let told: Vec<Value> = told.map(found).collect();
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

fn instrumented(name: &str, page: &str) -> PathBuf {
    let page = page.replacen("<head>", &format!("<head><script>{BEFORE}</script>"), 1);
    let page = page.replacen("</body>", &format!("<script>{AFTER}</script></body>"), 1);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, page).expect("the page can be written");
    path
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
    ];
    let pages = pages.map(|(name, page)| instrumented(name, &page));
    let papers = [false, true].map(|dark| {
        let (found, console) = look_at(browser, &pages, dark);
        assert_eq!(console, [""; 0], "dark {dark}");
        found.iter().for_each(|found| check(found, dark));
        assert!(found.iter().any(|found| found["lessons"]["coins"] != 0));
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
}
