//! Scripted flows, whose pages are known.

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
    let places = [place(1, 0), place(2, 1)];
    let flows = flows(&places, &[&[(0, 10)], &[(0, 10)]]);
    let mapped = |pid, number, frame| Mapped { pid, number, frame };
    let told = |mapped| {
        Measured::Value(Told {
            resident: 20,
            mapped,
        })
    };
    let groups = [0, 1];
    assert_eq!(
        flows.several(&told(vec![]), &groups),
        Measured::Value(touched(0, 0))
    );
    let same = vec![
        mapped(1, 3, Some(77)),
        mapped(2, 5, Some(77)),
        mapped(2, 6, Some(8)),
    ];
    assert_eq!(
        flows.several(&told(same), &groups),
        Measured::Value(touched(1, 1))
    );
    let hidden = flows.several(&told(vec![mapped(1, 3, None)]), &groups);
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
    let flows = flows(
        &places,
        &[&[(0, 10)], &[(8, 20)], &[(0, 10)], &[(600, 610)]],
    );
    let told = |frame, pages| {
        let page = |number| Mapped {
            pid: 1,
            number,
            frame,
        };
        Measured::Value(Told {
            resident: 40,
            mapped: (0..pages).map(page).collect(),
        })
    };
    let by_flow = [0, 1, 2, 3];
    let hidden = told(None, 65);
    assert!(flows.several(&hidden, &by_flow).value().is_none());
    let most = flows.at_most(&hidden, &by_flow);
    // 39 pages on 3 ranges in all.
    assert_eq!(most, Some(touched(2 + 32, 3)));
    // What is known, and what cannot be read at all, has no bound.
    assert_eq!(flows.at_most(&told(Some(7), 65), &by_flow), None);
    let unread = Measured::not_available("no pagemap", "");
    assert_eq!(flows.at_most(&unread, &by_flow), None);
}

#[test]
fn where_nothing_is_mapped_twice_the_number_is_known_and_0() {
    let places = [place(1, 0), place(2, 1)];
    let flows = flows(&places, &[&[(0, 10)], &[(0, 10)]]);
    let told = Measured::Value(Told::default());
    assert_eq!(
        flows.several(&told, &[0, 1]),
        Measured::Value(touched(0, 0))
    );
    assert_eq!(flows.at_most(&told, &[0, 1]), None);
}

#[test]
fn address_spaces_are_counted_each_by_itself() {
    let places = [place(1, 0), place(2, 1)];
    let flows = flows(&places, &[&[(0, 10)], &[(0, 10)]]);
    assert_eq!(flows.footprint().all, touched(20, 2));
}

#[test]
fn flows_without_a_core_have_no_core_and_not_core_0() {
    let free = [Place { pid: 1, core: None }; 2];
    let flows = flows(&free, &[&[(0, 1)], &[(0, 1)]]);
    assert!(flows.cores().value().is_none());
    assert!(flows.footprint().by_cores.value().is_none());
}
