//! Tests of the workload as a whole.

use super::*;
use crate::testing::{self, prove};

fn work(kernel: Kernel, passes: u64) -> Numeric {
    Numeric {
        kernel,
        size: Size::Small,
        units: 2,
        passes,
        seed: 3,
    }
}

#[test]
fn a_unit_proves_the_same_whatever_was_done_before_it() {
    for kernel in Kernel::ALL {
        let work = work(kernel, 2);
        let fresh = prove(&work, &mut work.state(0), 1);
        let mut data = work.state(0);
        let first = prove(&work, &mut data, 0);
        assert_eq!(prove(&work, &mut data, 1), fresh, "{kernel}");
        assert_ne!(first, fresh, "{kernel}");
    }
}

#[test]
fn other_data_is_other_work() {
    for kernel in Kernel::ALL {
        let one = work(kernel, 1);
        let other = Numeric {
            seed: 4,
            ..one.clone()
        };
        let prove = |work: &Numeric| prove(work, &mut work.state(0), 0);
        assert_ne!(prove(&one), prove(&other), "{kernel}");
    }
}

/// What the kernels of SciMark do between two gates is computing and nothing else.
#[test]
fn the_kernels_of_scimark_do_not_allocate() {
    for kernel in Kernel::ALL.into_iter().filter(|one| one.is_of_scimark()) {
        let said = work(kernel, 1).allocates().map(|each| each.count as u64);
        assert_eq!(said, Some(allocations(kernel)), "{kernel}");
    }
    assert_eq!(work(Kernel::Json, 1).allocates(), None);
    assert!(allocations(Kernel::Json) > 500);
}

fn allocations(kernel: Kernel) -> u64 {
    let work = work(kernel, 3);
    let mut data = work.state(0);
    allocation_counter::measure(|| _ = data.0.run(work.passes)).count_total
}

#[test]
#[should_panic(expected = "compress in unit 1: a kernel computed something wrong")]
fn a_wrong_result_fails_the_flow() {
    /// A program whose result is always wrong.
    #[derive(Debug)]
    struct Broken;
    impl Program for Broken {
        fn pieces(&self, _pieces: &mut Pieces) {}
        fn pass(&mut self) {}
        fn end(&mut self) -> Result<u64, Wrong> {
            Err(Wrong("by design".to_owned()))
        }
    }
    assert_eq!(run(&mut Broken, 3), Err(Wrong("by design".to_owned())));
    let work = work(Kernel::Compress, 1);
    let mut data = work.state(0);
    if let Programs::Compress(text) = &mut data.0 {
        text.take_room();
    }
    prove(&work, &mut data, 1);
}

#[test]
fn bad_parameters_are_refused_with_what_would_do() {
    testing::refused(
        &work(Kernel::Lu, 1),
        &[
            (|work| work.passes = 0, "passes is 0"),
            (
                |work| (work.kernel, work.size) = (Kernel::MonteCarlo, Size::Large),
                "leave size out",
            ),
        ],
    );
}

#[test]
fn large_kernels_compute_the_right_thing_too() {
    // Random points are of one size.
    let sized = |kernel: &Kernel| *kernel != Kernel::MonteCarlo;
    for kernel in Kernel::ALL.into_iter().filter(sized) {
        let work = Numeric {
            size: Size::Large,
            ..work(kernel, 1)
        };
        assert_eq!(prove(&work, &mut work.state(0), 0).count, 1);
    }
}
