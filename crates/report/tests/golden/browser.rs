//! The page in a real browser: headless Chromium loads it, hovers, filters, switches axes, in
//! light and in dark, on a desk and on a telephone. Without Chromium it is skipped, and says
//! so.

use std::io::Write;
use std::path::{Path, PathBuf};
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

/// Run in the page, before its own script and after it; the second tells what it found.
const BEFORE: &str = include_str!("browser/before.js");
const AFTER: &str = include_str!("browser/after.js");

fn chromium() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| {
        let asked = Command::new(name).arg("--version").output();
        asked.is_ok_and(|answer| answer.status.success())
    })
}

/// How the browser is.
struct Look {
    width: u32,
    dark: bool,
}

/// What the script found in a page, and what the browser wrote to its console.
fn look_at(browser: &str, page: &Path, look: &Look) -> (Value, Vec<String>) {
    let mark = format!("{}-{}", look.width, look.dark);
    let (profile, frame) = (
        page.with_extension(format!("{mark}.profile")),
        page.with_extension(format!("{mark}.html")),
    );
    std::fs::write(&frame, framed(page, look.width)).expect("the frame can be written");
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
        ])
        .args(["--virtual-time-budget=20000", "--enable-logging=stderr"])
        .arg("--window-size=1400,1000")
        .arg(format!(
            "--blink-settings=preferredColorScheme={}",
            u8::from(!look.dark)
        ))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", frame.display()))
        .output()
        .expect("the browser runs");
    let _never_made_is_fine = std::fs::remove_dir_all(&profile);
    let dom = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    let found = dom.split("<pre id=\"found\">").nth(1);
    let found = found.and_then(|rest| rest.split("</pre>").next());
    let found = found.unwrap_or_else(|| panic!("the script ran: {said}"));
    let found = found
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let console = said
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .map(str::to_owned);
    (
        serde_json::from_str(&found).expect("JSON"),
        console.collect(),
    )
}

/// A page that shows another one in a frame of a width (no window is as narrow as a
/// telephone), and writes down what its script tells.
fn framed(page: &Path, width: u32) -> String {
    let name = page.file_name().unwrap_or_default().to_string_lossy();
    format!(
        "<!doctype html><body><script>addEventListener('message', event => {{\
         const told = document.createElement('pre'); told.id = 'found';\
         told.textContent = event.data; document.body.append(told) }})</script>\
         <iframe src=\"{name}\" style=\"width:{width}px;height:900px;border:0\"></iframe>"
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
        // Not by a macro, whose words the test runner keeps to itself when a test passes.
        let said = b"skipped: no Chromium (apt-get install chromium): the page was not tried\n";
        std::io::stderr().write_all(said).expect("it can be said");
        return;
    };
    for (name, page) in [
        ("browser-run.html", html::page(&results())),
        ("browser-grids.html", html::page(&grids())),
        ("browser-map.html", html::page(&mapped())),
        ("browser-workers.html", html::page(&workers())),
        ("browser-scaling.html", html::page(&scaled())),
        ("browser-searches.html", html::page(&searches())),
        ("browser-samples.html", html::page(&sampled())),
        ("browser-compare.html", report::compare::page(&machines())),
    ] {
        let path = instrumented(name, &page);
        let mut papers = Vec::new();
        for (width, dark) in [(1280, false), (1280, true), (390, false), (390, true)] {
            let (found, console) = look_at(browser, &path, &Look { width, dark });
            let what = format!("{name} at {width}, dark {dark}: {found:#}");
            assert_eq!(console, [""; 0], "{what}");
            assert_eq!(found["width"], width, "{what}");
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
            papers.push(found["paper"].as_str().unwrap_or_default().to_owned());
        }
        assert_ne!(papers[0], papers[1], "light and dark");
    }
}
