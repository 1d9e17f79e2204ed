//! From a written description to a machine that a model can be built from.

use toml::Spanned;

use super::written::{Written, WrittenCache, WrittenTime, WrittenTlb};
use super::{
    Cache, MOST_CORES, MOST_THREADS, Machine, Origin, Policy, Time, Tlb, read_bytes, show_bytes,
};

#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) at: usize,
    pub(super) what: String,
}

const LEAST_PAGE: u64 = 4 << 10;
/// Unit of recorded addresses.
const LEAST_LINE: u64 = crate::trace::GRANULE;
const MOST_WAYS: u32 = 32;
const MOST_ENTRIES: u32 = 1 << 14;
/// Of all caches of a level: the model has 4 bytes for each.
const MOST_LINES: u64 = 1 << 24;

fn wrong<V, T>(at: &Spanned<T>, what: impl Into<String>) -> Result<V, Wrong> {
    Err(Wrong {
        at: at.span().start,
        what: what.into(),
    })
}

pub(super) fn machine(name: &str, written: Written) -> Result<Machine, Wrong> {
    let cores = within(&written.cores, "cores", 1, MOST_CORES)?;
    let threads = &written.threads_per_core;
    let threads_per_core = within(threads, "threads_per_core", 1, MOST_THREADS)?;
    let clock_mhz = within(&written.clock_mhz, "clock_mhz", 1, 100_000)?;
    let pages = page_sizes(&written.pages)?;
    let l1d = cache("l1d", written.l1d.get_ref(), cores)?;
    let l2 = written.l2.as_ref();
    let l2 = l2.map(|l2| cache("l2", l2.get_ref(), cores)).transpose()?;
    let llc = cache("llc", written.llc.get_ref(), cores)?;
    lines_fit(&written, &l1d, l2.as_ref(), &llc)?;
    let dtlb = written.dtlb.get_ref().iter();
    let dtlb: Vec<Tlb> = dtlb
        .map(|one| tlb(one.get_ref()))
        .collect::<Result<_, _>>()?;
    one_for_each_page(&written, &dtlb)?;
    lower_levels_are_larger(&written, [Some(&l1d), l2.as_ref(), Some(&llc)], &dtlb)?;
    let holds = |page: &u64| {
        dtlb.iter()
            .any(|tlb| tlb.level == 1 && tlb.pages.contains(page))
    };
    if let Some(page) = pages.iter().find(|page| !holds(page)) {
        let page = show_bytes(*page);
        let what = format!("no [[dtlb]] of level 1 holds pages of {page}, which `pages` names");
        return wrong(&written.dtlb, what);
    }
    let has_l2_tlb = dtlb.iter().any(|tlb| tlb.level == 2);
    Ok(Machine {
        name: name.to_owned(),
        cores,
        threads_per_core,
        clock_mhz,
        pages,
        tags: *written.tlb_entries_belong_to.get_ref(),
        entries_outlive_switches: written.tlb_entries_outlive_switches,
        time: time(&written.time, l2.is_some(), has_l2_tlb)?,
        origins: origins(&written)?,
        about: written.about,
        l1d,
        l2,
        llc,
        dtlb,
    })
}

fn origins(written: &Written) -> Result<Vec<Origin>, Wrong> {
    let caches = [
        ("l1d", Some(&written.l1d)),
        ("l2", written.l2.as_ref()),
        ("llc", Some(&written.llc)),
    ];
    let mut origins = vec![origin_of(0, "machine", &written.source, &written.assumed)?];
    for (of, cache) in caches {
        let Some(cache) = cache else { continue };
        let own = cache.get_ref();
        origins.push(origin_of(
            cache.span().start,
            of,
            &own.source,
            &own.assumed,
        )?);
    }
    for tlb in written.dtlb.get_ref() {
        let own = tlb.get_ref();
        let of = format!("dtlb {}", own.level.get_ref());
        origins.push(origin_of(tlb.span().start, &of, &own.source, &own.assumed)?);
    }
    let own = written.time.get_ref();
    let at = written.time.span().start;
    origins.push(origin_of(at, "time", &own.source, &own.assumed)?);
    Ok(origins)
}

fn within(number: &Spanned<u32>, what: &str, least: u32, most: u32) -> Result<u32, Wrong> {
    match *number.get_ref() {
        value if (least..=most).contains(&value) => Ok(value),
        value => wrong(number, format!("{what} = {value}: use {least} to {most}")),
    }
}

fn origin_of(
    at: usize,
    of: &str,
    source: &Option<String>,
    assumed: &Option<String>,
) -> Result<Origin, Wrong> {
    let says = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    if !says(source) && !says(assumed) {
        return Err(Wrong {
            at,
            what: format!(
                "{of} does not say where its figures are from: add source = \"DOCUMENT\", or \
                 assumed = \"WHAT IS NOT DOCUMENTED\""
            ),
        });
    }
    Ok(Origin {
        of: of.to_owned(),
        source: source.clone(),
        assumed: assumed.clone(),
    })
}

fn lower_levels_are_larger(
    written: &Written,
    caches: [Option<&Cache>; 3],
    dtlb: &[Tlb],
) -> Result<(), Wrong> {
    let there: Vec<u64> = caches.iter().flatten().map(|cache| cache.bytes).collect();
    if let Some(pair) = there.windows(2).find(|pair| pair[0] > pair[1]) {
        let [above, below] = [pair[0], pair[1]].map(show_bytes);
        let what = format!("a cache of {above} is above one of {below}: a lower level holds more");
        return wrong(&written.l1d.get_ref().size, what);
    }
    for (place, lower) in dtlb.iter().enumerate().filter(|(_, tlb)| tlb.level == 2) {
        let mut above = dtlb.iter().filter(|tlb| tlb.level == 1);
        let larger = above.find(|upper| {
            upper.entries > lower.entries
                && upper.pages.iter().any(|page| lower.pages.contains(page))
        });
        if let Some(upper) = larger {
            let what = format!(
                "dtlb: level 2 has {} entries and level 1 above it {}: a lower level holds more",
                lower.entries, upper.entries
            );
            return wrong(&written.dtlb.get_ref()[place].get_ref().entries, what);
        }
    }
    Ok(())
}

fn one_for_each_page(written: &Written, dtlb: &[Tlb]) -> Result<(), Wrong> {
    for (place, tlb) in dtlb.iter().enumerate() {
        let mut before = dtlb[..place].iter();
        let both = before.find_map(|other| {
            let mut pages = tlb.pages.iter().filter(|_| other.level == tlb.level);
            pages.find(|page| other.pages.contains(page))
        });
        if let Some(page) = both {
            let (page, level) = (show_bytes(*page), tlb.level);
            let what = format!("dtlb: another [[dtlb]] of level {level} holds pages of {page} too");
            return wrong(&written.dtlb.get_ref()[place], what);
        }
    }
    Ok(())
}

fn page_sizes(written: &Spanned<Vec<Spanned<String>>>) -> Result<Vec<u64>, Wrong> {
    if written.get_ref().is_empty() {
        return wrong(written, "pages names no size: use [\"4K\"]");
    }
    let mut sizes = Vec::new();
    for one in written.get_ref() {
        let size = page_size(one)?;
        if sizes.contains(&size) {
            return wrong(one, format!("pages of {} are named twice", one.get_ref()));
        }
        sizes.push(size);
    }
    Ok(sizes)
}

fn page_size(written: &Spanned<String>) -> Result<u64, Wrong> {
    match read_bytes(written.get_ref()) {
        Some(bytes) if bytes.is_power_of_two() && bytes >= LEAST_PAGE => Ok(bytes),
        _ => wrong(
            written,
            format!(
                "a page of {}: use a power of two of at least 4K, such as 4K, 2M, 4M",
                written.get_ref()
            ),
        ),
    }
}

fn cache(of: &str, written: &WrittenCache, cores: u32) -> Result<Cache, Wrong> {
    let Some(bytes) = read_bytes(written.size.get_ref()).filter(|bytes| *bytes > 0) else {
        let size = written.size.get_ref();
        return wrong(&written.size, format!("{of}: size {size}: use 32K, 8M"));
    };
    let ways = within(&written.ways, &format!("{of}: ways"), 1, MOST_WAYS)?;
    let line = *written.line.get_ref();
    if !line.is_power_of_two() || !(LEAST_LINE..=LEAST_PAGE).contains(&line) {
        return wrong(
            &written.line,
            format!("{of}: line = {line}: use a power of two from {LEAST_LINE} to {LEAST_PAGE}"),
        );
    }
    let way = line * u64::from(ways);
    let sets = bytes / way;
    if !bytes.is_multiple_of(way) || !sets.is_power_of_two() {
        let exact = bytes as f64 / way as f64;
        return wrong(
            &written.size,
            format!(
                "{of}: {} in {ways} ways of lines of {line} bytes is {exact} sets: sets are \
                 chosen by bits of the address, so their number must be a power of two",
                written.size.get_ref()
            ),
        );
    }
    let shared_by = shared_by(of, written, cores)?;
    room(
        of,
        written,
        bytes / line * u64::from(cores.div_ceil(shared_by)),
    )?;
    Ok(Cache {
        bytes,
        ways,
        line,
        policy: written.policy,
        allocates_on_store: written.allocates_on_store,
        inclusive: written.inclusive,
        shared_by,
    })
}

fn shared_by(of: &str, written: &WrittenCache, cores: u32) -> Result<u32, Wrong> {
    match &written.shared_by {
        None if of == "llc" => Ok(cores),
        None => Ok(1),
        Some(shared) if of != "llc" => wrong(
            shared,
            format!("{of}: shared_by is for llc: others are one a core"),
        ),
        Some(shared) => within(shared, "llc: shared_by", 1, cores),
    }
}

fn room(of: &str, written: &WrittenCache, lines: u64) -> Result<(), Wrong> {
    if lines <= MOST_LINES {
        return Ok(());
    }
    let size = written.size.get_ref();
    let what = format!(
        "{of}: size {size} makes {lines} lines on all cores: a model has room for {MOST_LINES}"
    );
    wrong(&written.size, what)
}

/// Below the first level all lines are of one size.
fn lines_fit(written: &Written, l1d: &Cache, l2: Option<&Cache>, llc: &Cache) -> Result<(), Wrong> {
    let below = l2.map_or(llc.line, |l2| l2.line);
    if l1d.line > below {
        let line = &written.l1d.get_ref().line;
        return wrong(
            line,
            format!(
                "l1d: line = {} is longer than those below it ({below})",
                l1d.line
            ),
        );
    }
    if below != llc.line {
        let line = &written.llc.get_ref().line;
        return wrong(
            line,
            format!("llc: line = {}, and l2 has {below}: use one size", llc.line),
        );
    }
    Ok(())
}

fn tlb(written: &WrittenTlb) -> Result<Tlb, Wrong> {
    let level = within(&written.level, "dtlb: level", 1, 2)?;
    let pages = page_sizes(&written.pages)?;
    let entries = within(&written.entries, "dtlb: entries", 1, MOST_ENTRIES)?;
    let ways = within(&written.ways, "dtlb: ways", 1, entries)?;
    let sets = entries / ways;
    if ways != entries && (!entries.is_multiple_of(ways) || !sets.is_power_of_two()) {
        return wrong(
            &written.entries,
            format!(
                "dtlb: {entries} entries in {ways} ways: the number of sets must be a power of \
                 two; ways = {entries} is fully associative"
            ),
        );
    }
    if ways != entries && ways > MOST_WAYS {
        return wrong(
            &written.ways,
            format!("dtlb: ways = {ways}: use at most {MOST_WAYS}"),
        );
    }
    if ways == entries && ways > MOST_WAYS && written.policy == Policy::PseudoLru {
        return wrong(
            &written.ways,
            format!("dtlb: pseudo-lru has at most {MOST_WAYS} ways: use lru or random"),
        );
    }
    Ok(Tlb {
        level,
        pages,
        entries,
        ways,
        policy: written.policy,
    })
}

fn time(written: &Spanned<WrittenTime>, has_l2: bool, has_l2_tlb: bool) -> Result<Time, Wrong> {
    let cost = written.get_ref();
    let cycles = |of: &str, value: &Spanned<f64>| match *value.get_ref() {
        cycles if (0.0..=1e6).contains(&cycles) => Ok(cycles),
        cycles => wrong(
            value,
            format!("time: {of} = {cycles:?}: use cycles from 0 to 1e6"),
        ),
    };
    let needed = |of: &str, value: &Option<Spanned<f64>>, there: bool| match value {
        Some(value) if !there => {
            let what = format!("time: {of} is given, and this machine has none");
            wrong(value, what)
        }
        Some(value) => cycles(of, value),
        None if there => wrong(
            written,
            format!("time: {of} is missing: this machine has one"),
        ),
        None => Ok(0.0),
    };
    let base = cycles("base", &cost.base)?;
    if base <= 0.0 {
        return wrong(&cost.base, "time: base = 0: an access takes some time");
    }
    Ok(Time {
        base,
        l2: needed("l2", &cost.l2, has_l2)?,
        llc: cycles("llc", &cost.llc)?,
        memory: cycles("memory", &cost.memory)?,
        l2_tlb: needed("l2_tlb", &cost.l2_tlb, has_l2_tlb)?,
        walk: cycles("walk", &cost.walk)?,
    })
}
