//! The table that `export!` makes, called as C calls it.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use body::{Arg, Args, Body, FIBERS, Proof, Table, VERSION};

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Counts {
    from: u64,
}

struct Own(u64);

impl Drop for Own {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

impl Body for Counts {
    const ARGS: &'static [&'static str] = &["from", "other"];
    const FIBERS: bool = true;
    const STACK_BYTES: u64 = 65_536;
    type Own = Own;

    fn prepare(args: &Args) -> Result<Self, i32> {
        let from = args.get("from").ok_or(3)?;
        Ok(Self { from })
    }

    fn begin(&self, flow: u64) -> Result<Own, i32> {
        Ok(Own(flow))
    }

    fn unit(&self, own: &mut Own, unit: u64, ops: u64) -> Result<Proof, i32> {
        assert!(unit < 100, "too far");
        let checksum = self.from + own.0;
        Ok(Proof {
            count: ops,
            checksum,
        })
    }
}

body::export!(Counts);

unsafe extern "C" {
    static flowgauge_body: Table;
}

#[test]
fn a_body_of_rust_is_called_as_the_header_says() {
    // SAFETY: exported above, and written before the test began.
    let table = unsafe { ptr::read(&raw const flowgauge_body) };
    assert_eq!((table.version, table.flags), (VERSION, FIBERS));
    assert_eq!(table.stack_bytes, 65_536);
    let names = [0, 1].map(|at| {
        // SAFETY: two names, ended by null.
        let name = unsafe { table.args.wrapping_add(at).read() };
        // SAFETY: a name ended by 0.
        unsafe { CStr::from_ptr(name) }.to_str().unwrap()
    });
    assert_eq!(names, ["from", "other"]);

    let from = Arg {
        name: c"from".as_ptr(),
        value: 40,
    };
    let (mut shared, mut own) = (ptr::null_mut::<c_void>(), ptr::null_mut());
    let prepare = table.prepare.unwrap();
    // SAFETY: as the header says of each function, in its order.
    assert_eq!(unsafe { prepare(ptr::null(), 0, &raw mut shared) }, 3);
    // SAFETY: the same.
    assert_eq!(unsafe { prepare(&raw const from, 1, &raw mut shared) }, 0);
    // SAFETY: the same.
    assert_eq!(unsafe { table.begin.unwrap()(shared, 2, &raw mut own) }, 0);
    let mut proof = Proof::default();
    let unit = table.unit.unwrap();
    // SAFETY: the same.
    assert_eq!(unsafe { unit(shared, own, 1, 7, &raw mut proof) }, 0);
    let (count, checksum) = (7, 42);
    assert_eq!(proof, Proof { count, checksum });
    // SAFETY: the same; a panic is an answer.
    assert_eq!(unsafe { unit(shared, own, 100, 7, &raw mut proof) }, 101);
    // SAFETY: the same.
    unsafe { table.end.unwrap()(shared, own) };
    assert_eq!(DROPPED.load(Ordering::Relaxed), 1);
    // SAFETY: the same.
    unsafe { table.finish.unwrap()(shared) };
}
