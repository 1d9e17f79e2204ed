//! Requests a second of one flow of `wiki`, and where their time goes.
//!
//! ```text
//! cargo run --release -p flowgauge-workload --example wiki [PAGE_SIZE [REQUESTS [REPEATS [FOLDER]]]]
//! ```
//!
//! Without arguments: pages of about 8 KiB, 20,000 requests, seven repeats, without and with
//! the parser cache. FOLDER gets the pages, a file each, for other parsers. Seconds are those that
//! the CPU was given to this program, so that a machine that does other things too changes only
//! what its caches hold; the rate by the clock on the wall stands behind it.

#![allow(clippy::print_stdout, reason = "a program whose purpose is to print")]

mod spread;

use std::error::Error;
use std::fs;
use std::path::Path;

use flow::{Body, Outlet};
use measure::{clock, usage};
use spread::Spread;
use workload::wiki::{USUAL_PAGE_SIZE, USUAL_PAGES};
use workload::{Bytes, Wiki};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let page_size: Bytes = match arguments.first() {
        Some(size) => size.parse()?,
        None => USUAL_PAGE_SIZE,
    };
    let number = |place: usize, usual: u64| arguments.get(place).map_or(Ok(usual), |n| n.parse());
    let (requests, repeats) = (number(1, 20_000)?, number(2, 7)?);
    let pages = workload::wiki::generated(USUAL_PAGES, page_size.0, 1);
    let texts = pages.iter().take(USUAL_PAGES as usize);
    let bytes: usize = texts.map(|page| page.text.len()).sum();
    if let Some(folder) = arguments.get(3).map(Path::new) {
        fs::create_dir_all(folder)?;
        for (place, page) in pages.iter().take(USUAL_PAGES as usize).enumerate() {
            fs::write(folder.join(place.to_string()), &page.text)?;
        }
    }
    println!(
        "mean length of a page: {} bytes",
        bytes as u64 / USUAL_PAGES
    );
    println!("requests a second of CPU: median (quartiles, extremes), wall; pages of {page_size}");
    for cache in [false, true] {
        let wiki = Wiki {
            requests,
            pages: USUAL_PAGES,
            page_size,
            cache,
            store: None,
            seed: 1,
        };
        let (cpu, wall) = rates(&wiki, repeats)?;
        let cache = if cache { "on " } else { "off" };
        let (cpu, wall) = (Spread::of(cpu), Spread::of(wall));
        println!("  cache {cache}: {cpu:.0}, wall {:.0}", wall.median());
    }
    println!("CPU of each step, in us a request:");
    for (step, us) in workload::wiki::profile(
        tempfile::tempdir()?.path(),
        page_size.0,
        requests.min(5_000),
    )? {
        println!("  {step:<40} {us:>7.2}");
    }
    Ok(())
}

/// Requests a second of CPU, and a second by the clock, of each repeat.
fn rates(wiki: &Wiki, repeats: u64) -> Result<(Vec<f64>, Vec<f64>), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let prepared = wiki.prepared(Some(folder.path()))?;
    let repeat = |_| {
        let mut desk = prepared.state(0);
        let (start_ns, before) = (clock::now_ns(), usage::this_thread());
        for unit in 0..wiki.requests {
            prepared.unit(&mut desk, unit, &mut Outlet::nowhere());
        }
        let cpu_ns = usage::this_thread().since(before).cpu_ns;
        let wall_ns = clock::now_ns() - start_ns;
        let rate = |ns: u64| wiki.requests as f64 * 1e9 / ns as f64;
        (rate(cpu_ns), rate(wall_ns))
    };
    Ok((0..repeats).map(repeat).unzip())
}
