//! Scripted flows, whose pages are known.

use proptest::prelude::*;

use super::*;

fn flows<'a>(places: &'a [Place], sets: &[&[(u64, u64)]]) -> Flows<'a> {
    let set = |runs: &&[(u64, u64)]| {
        let runs = runs.iter().map(|&(first, end)| Run { first, end });
        runs.collect::<Runs>()
    };
    Flows {
        places,
        sets: sets.iter().map(set).collect(),
        page: 4096,
    }
}

fn place(pid: i32, core: u32) -> Place {
    Place {
        pid,
        core: Some(core),
    }
}

fn touched(small: u64, huge: u64) -> Touched {
    Touched { small, huge }
}

/// Two processes on two cores.
const TWO: [Place; 2] = [
    Place {
        pid: 1,
        core: Some(0),
    },
    Place {
        pid: 2,
        core: Some(1),
    },
];

fn told(mapped: Vec<Mapped>) -> Measured<PageCounts> {
    let resident = 20;
    Measured::Value(PageCounts { resident, mapped })
}

fn mapped(pid: i32, number: u64, frame: Option<u64>) -> Mapped {
    Mapped { pid, number, frame }
}

#[test]
fn threads_share_the_pages_that_both_have_and_cores_those_of_their_flows() {
    // Flows 0 and 1 are hardware threads of core 0, flow 2 is alone on core 4.
    let places = [place(9, 0), place(9, 0), place(9, 4)];
    let flows = flows(&places, &[&[(0, 10)], &[(8, 20)], &[(19, 30), (600, 601)]]);
    let told = Measured::not_available("not asked", "");
    let by_flows = flows.several(&told, &[0, 1, 2]);
    assert_eq!(by_flows, Measured::Value(touched(2 + 1, 1)));
    let cores = flows.cores().into_value().unwrap();
    let by_cores = flows.several(&told, &cores);
    assert_eq!(by_cores, Measured::Value(touched(1, 1)));
    let of_cores = flows.of_cores(&cores);
    assert_eq!(of_cores[0].touched, touched(20, 1));
    assert_eq!(of_cores[1].touched, touched(12, 2));
    assert_eq!((of_cores[0].flows, of_cores[1].core), (2, 4));
}

#[test]
fn processes_share_what_is_the_same_physical_page() {
    let flows = flows(&TWO, &[&[(0, 10)], &[(0, 10)]]);
    let shared = |mapped| flows.several(&told(mapped), &[0, 1]);
    assert_eq!(shared(vec![]), Measured::Value(touched(0, 0)));
    let same = vec![
        mapped(1, 3, Some(77)),
        mapped(2, 5, Some(77)),
        mapped(2, 6, Some(8)),
    ];
    assert_eq!(shared(same), Measured::Value(touched(1, 1)));
    let hidden = shared(vec![mapped(1, 3, None)]);
    let Measured::NotAvailable { reason, remedy } = hidden else {
        panic!("{hidden:?}")
    };
    assert!(reason.starts_with("1 of the pages"), "{reason}");
    assert!(remedy.contains("root"), "{remedy}");
}

#[test]
fn where_physical_pages_are_hidden_there_is_a_bound_and_no_more_than_that() {
    // Two processes of two threads, which share 2 pages within the first.
    let places = [place(1, 0), place(1, 1), place(2, 0), place(2, 1)];
    let sets: [&[(u64, u64)]; 4] = [&[(0, 10)], &[(8, 20)], &[(0, 10)], &[(600, 610)]];
    let flows = flows(&places, &sets);
    let pages = |frame, pages| told((0..pages).map(|number| mapped(1, number, frame)).collect());
    let by_flow = [0, 1, 2, 3];
    let hidden = pages(None, 65);
    assert!(flows.several(&hidden, &by_flow).value().is_none());
    let most = flows.at_most(&hidden, &by_flow);
    // 39 pages on 3 ranges in all.
    assert_eq!(most, Some(touched(2 + 32, 3)));
    // What is known, and what cannot be read at all, has no bound.
    assert_eq!(flows.at_most(&pages(Some(7), 65), &by_flow), None);
    let unread = Measured::not_available("no pagemap", "");
    assert_eq!(flows.at_most(&unread, &by_flow), None);
}

#[test]
fn where_nothing_is_mapped_twice_the_number_is_known_and_0() {
    let flows = flows(&TWO, &[&[(0, 10)], &[(0, 10)]]);
    let told = Measured::Value(PageCounts::default());
    let shared = flows.several(&told, &[0, 1]);
    assert_eq!(shared, Measured::Value(touched(0, 0)));
    assert_eq!(flows.at_most(&told, &[0, 1]), None);
}

#[test]
fn address_spaces_are_counted_each_by_itself() {
    let flows = flows(&TWO, &[&[(0, 10)], &[(0, 10)]]);
    assert_eq!(flows.footprint().all, touched(20, 2));
}

#[test]
fn flows_without_a_core_have_no_core_and_not_core_0() {
    let free = [Place { pid: 1, core: None }; 2];
    let flows = flows(&free, &[&[(0, 1)], &[(0, 1)]]);
    assert!(flows.cores().value().is_none());
    assert!(flows.footprint().by_cores.value().is_none());
}

#[test]
fn pages_that_lie_apart_in_physical_memory_are_as_many_ranges_as_their_addresses_are_in() {
    let flows = flows(&TWO, &[&[(0, 1_536)], &[(0, 1_536)]]);
    // 52 pages on 3 ranges of addresses, each on a range of physical memory of its own.
    let apart = (0..52_u64)
        .flat_map(|number| [1, 2].map(|pid| mapped(pid, number * 29, Some(1 + number * 512))));
    let shared = flows.several(&told(apart.collect()), &[0, 1]);
    assert_eq!(shared, Measured::Value(touched(52, 3)));
}

/// Flows of up to three processes on up to three cores, and the frames of some of their pages.
type Scripted = (Vec<Place>, Vec<Vec<(u64, u64)>>, Vec<u64>);

fn scripted() -> impl Strategy<Value = Scripted> {
    let run = (0_u64..2_000, 1_u64..300).prop_map(|(first, pages)| (first, first + pages));
    let flow = ((1..4, 0_u32..3), prop::collection::vec(run, 0..4));
    let flows = prop::collection::vec(flow, 1..6);
    (flows, prop::collection::vec(1_u64..3_000, 64)).prop_map(|(flows, frames)| {
        let (places, sets): (Vec<_>, Vec<_>) = flows.into_iter().unzip();
        let places = places.into_iter().map(|(pid, core)| place(pid, core));
        (places.collect(), sets, frames)
    })
}

/// What pagemap would tell: each 7th page has one of the frames, if they are not hidden.
fn told_of(flows: &Flows<'_>, frames: &[u64], hidden: bool) -> Measured<PageCounts> {
    let mut told = PageCounts::default();
    for (pid, own) in flows.spaces() {
        for run in flows.joined(&own).iter() {
            let pages = (run.first..run.end).filter(|number| number % 7 == 0);
            told.mapped.extend(pages.map(|number| Mapped {
                pid,
                number,
                frame: (!hidden).then(|| frames[number as usize % frames.len()] << 9),
            }));
        }
    }
    Measured::Value(told)
}

fn is_within(part: Touched, whole: Touched) -> bool {
    part.small <= whole.small && part.huge <= whole.huge
}

proptest! {
    #[test]
    fn what_is_shared_is_among_what_is_touched((places, sets, frames) in scripted()) {
        let sets: Vec<&[(u64, u64)]> = sets.iter().map(Vec::as_slice).collect();
        let flows = flows(&places, &sets);
        let cores = flows.cores().into_value().unwrap();
        let by_flow: Vec<usize> = (0..places.len()).collect();
        let (known, hidden) = (told_of(&flows, &frames, false), told_of(&flows, &frames, true));
        let all = flows.all();
        let by_flows = flows.several(&known, &by_flow).into_value().unwrap();
        let by_cores = flows.several(&known, &cores).into_value().unwrap();
        prop_assert!(is_within(by_flows, all), "{by_flows:?} of {all:?}");
        prop_assert!(is_within(by_cores, by_flows), "{by_cores:?} of {by_flows:?}");
        for (groups, shared) in [(&by_flow, by_flows), (&cores, by_cores)] {
            if let Some(most) = flows.at_most(&hidden, groups) {
                prop_assert!(is_within(shared, most) && is_within(most, all), "{most:?}");
            }
        }
        for core in flows.of_cores(&cores) {
            prop_assert!(is_within(core.touched, all));
        }
    }
}
