//! The calls into MPI, through the shim that was compiled for the implementation at hand. `dlopen`
//! loads it and the MPI library for the whole process (`RTLD_GLOBAL`): Open MPI loads plug-ins
//! later that expect it. Types are those of `shim.c`: the two files change together.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

const NAME_BYTES: usize = 200;

#[derive(Debug, Clone, Copy)]
struct Shim {
    init: unsafe extern "C" fn(c_int, *mut c_int, *mut c_int, *mut c_int),
    library: unsafe extern "C" fn(*mut c_char, c_int),
    finalize: unsafe extern "C" fn(),
    barrier: unsafe extern "C" fn(),
    gather: unsafe extern "C" fn(*const u64, *mut u64, c_int),
    sum: unsafe extern "C" fn(*mut f64, c_int),
    send: unsafe extern "C" fn(*const u8, c_int, c_int),
    receive: unsafe extern "C" fn(*mut u8, c_int, c_int),
    send_window: unsafe extern "C" fn(*const u8, c_int, c_int, c_int),
    receive_window: unsafe extern "C" fn(*mut u8, c_int, c_int, c_int),
    exchange: unsafe extern "C" fn(*const f64, c_int, *mut f64, c_int, c_int),
    expose: unsafe extern "C" fn(c_int),
    next: unsafe extern "C" fn(c_int, c_int) -> u64,
}

/// Only its holder calls MPI.
#[derive(Debug)]
pub(crate) struct World {
    shim: Shim,
    pub(crate) rank: u32,
    pub(crate) size: u32,
}

fn loader_said() -> String {
    // SAFETY: this process has one thread, so no other call of the loader comes between.
    let said = unsafe { libc::dlerror() };
    if said.is_null() {
        return "no reason was given".to_owned();
    }
    // SAFETY: the loader gives a string that stays until its next call, which this thread makes.
    let said = unsafe { CStr::from_ptr(said) };
    said.to_string_lossy().into_owned()
}

fn load(path: &Path) -> Result<*mut c_void, String> {
    let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|e| e.to_string())?;
    // SAFETY: a path that ends in 0; this process was launched to load this shim and its MPI.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    match library.is_null() {
        true => Err(format!("cannot load {}: {}", path.display(), loader_said())),
        false => Ok(library),
    }
}

/// Safety: `F` is the function pointer type that `shim.c` declares by this name.
unsafe fn find<F: Copy>(library: *mut c_void, name: &CStr) -> Result<F, String> {
    // SAFETY: the library is loaded and is never unloaded.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    if found.is_null() {
        return Err(format!("the shim has no {name:?}: {}", loader_said()));
    }
    assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
    // SAFETY: both are one pointer in size; the caller vouches for the type behind it.
    Ok(unsafe { std::mem::transmute_copy(&found) })
}

macro_rules! shim {
    ($library:expr, $($field:ident: $name:literal),* $(,)?) => {
        Shim { $(
            // SAFETY: the type of the field is that of the function in shim.c.
            $field: unsafe { find($library, $name) }?,
        )* }
    };
}

impl World {
    pub(crate) fn begin(path: &Path, threads: u32) -> Result<Self, String> {
        let library = load(path)?;
        let shim = shim! { library,
            init: c"fg_init", library: c"fg_library", finalize: c"fg_finalize", barrier: c"fg_barrier",
            gather: c"fg_gather", sum: c"fg_sum", send: c"fg_send", receive: c"fg_receive",
            send_window: c"fg_send_window", receive_window: c"fg_receive_window",
            exchange: c"fg_exchange", expose: c"fg_expose", next: c"fg_next",
        };
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        let (mut rank, mut size, mut allowed) = (0, 0, 0);
        // SAFETY: three places for the results; this is the first call, by the only thread.
        unsafe { (shim.init)(threads, &raw mut rank, &raw mut size, &raw mut allowed) };
        if allowed == 0 {
            return Err(
                "this MPI was built without support for threads (MPI_THREAD_SERIALIZED): use another"
                    .to_owned(),
            );
        }
        Ok(Self {
            shim,
            rank: rank.unsigned_abs(),
            size: size.unsigned_abs(),
        })
    }

    pub(crate) fn library(&self) -> String {
        let mut name = [0 as c_char; NAME_BYTES];
        // SAFETY: room for as many bytes as is said.
        unsafe { (self.shim.library)(name.as_mut_ptr(), NAME_BYTES as c_int) };
        // SAFETY: the shim ends the text within the array.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        name.to_string_lossy().into_owned()
    }

    pub(crate) fn barrier(&mut self) {
        // SAFETY: MPI has begun, and nobody else of this rank calls it: `self` is borrowed alone.
        unsafe { (self.shim.barrier)() }
    }

    pub(crate) fn gather(&mut self, own: &[u64]) -> Vec<u64> {
        let mut all = vec![0; own.len() * self.size as usize];
        // SAFETY: as in `barrier`; `all` has room for as many words of each rank.
        unsafe { (self.shim.gather)(own.as_ptr(), all.as_mut_ptr(), length(own)) };
        all
    }

    /// The same of a value in words of any number: JSON, and spaces up to the longest.
    pub(crate) fn gather_values<T: Serialize + DeserializeOwned>(&mut self, own: &T) -> Vec<T> {
        let text = serde_json::to_string(own).unwrap_or_else(|error| panic!("{error}"));
        let lengths = self.gather(&[text.len().div_ceil(8) as u64]);
        let longest = lengths.into_iter().max().unwrap_or_default() as usize;
        let all = self.gather(&padded(&text, longest));
        all.chunks(longest).map(value).collect()
    }

    pub(crate) fn sum(&mut self, values: &mut [f64]) {
        // SAFETY: as in `barrier`; the slice is as long as is said.
        unsafe { (self.shim.sum)(values.as_mut_ptr(), length(values)) }
    }

    pub(crate) fn send(&mut self, bytes: &[u8], to: u32) {
        // SAFETY: as in `barrier`; the slice is as long as is said.
        unsafe { (self.shim.send)(bytes.as_ptr(), length(bytes), to.cast_signed()) }
    }

    /// The message is as long as `bytes`.
    pub(crate) fn receive(&mut self, bytes: &mut [u8], from: u32) {
        // SAFETY: as in `barrier`; the slice is as long as is said, and MPI writes no more.
        unsafe { (self.shim.receive)(bytes.as_mut_ptr(), length(bytes), from.cast_signed()) }
    }

    pub(crate) fn send_window(&mut self, bytes: &[u8], messages: u64, to: u32) {
        let (bytes, each) = (bytes.as_ptr(), length(bytes));
        // SAFETY: as in `barrier`; each message is the whole slice, and a checked task has no more
        // messages than the shim has requests.
        unsafe { (self.shim.send_window)(bytes, each, messages as c_int, to.cast_signed()) }
    }

    pub(crate) fn receive_window(&mut self, bytes: &mut [u8], messages: u64, from: u32) {
        let each = length(bytes) / messages as c_int;
        // SAFETY: as in `send_window`; all messages together are no longer than the slice.
        unsafe {
            (self.shim.receive_window)(
                bytes.as_mut_ptr(),
                each,
                messages as c_int,
                from.cast_signed(),
            );
        }
    }

    /// Sends and receives at once, as far as there are such ranks.
    pub(crate) fn exchange(
        &mut self,
        out: &[f64],
        to: Option<u32>,
        into: &mut [f64],
        from: Option<u32>,
    ) {
        assert_eq!(out.len(), into.len());
        let rank = |rank: Option<u32>| rank.map_or(-1, u32::cast_signed);
        let (to, from) = (rank(to), rank(from));
        // SAFETY: as in `barrier`; both slices are as long as is said.
        unsafe {
            (self.shim.exchange)(out.as_ptr(), to, into.as_mut_ptr(), from, length(out));
        }
    }

    /// Numbers of this rank that others reach, now 0. All ranks call it, each with as many each time.
    pub(crate) fn expose(&mut self, numbers: u32) {
        // SAFETY: as in `barrier`.
        unsafe { (self.shim.expose)(numbers.cast_signed()) }
    }

    /// Counts a number of a rank up, and says what it was.
    pub(crate) fn next(&mut self, rank: u32, number: u32) -> u64 {
        // SAFETY: as in `barrier`; numbers were exposed before the gate, and MPI refuses a rank that is none.
        unsafe { (self.shim.next)(rank.cast_signed(), number.cast_signed()) }
    }

    pub(crate) fn end(self) {
        // SAFETY: as in `barrier`; nothing is called after it, since `self` is gone.
        unsafe { (self.shim.finalize)() }
    }
}

pub(crate) fn padded(text: &str, words: usize) -> Vec<u64> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(8 * words, b' ');
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_ne_bytes(*word)).collect()
}

pub(crate) fn value<T: DeserializeOwned>(words: &[u64]) -> T {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("of another rank: {error}"))
}

/// Tasks are checked to be smaller.
fn length<T>(slice: &[T]) -> c_int {
    c_int::try_from(slice.len()).unwrap_or(c_int::MAX)
}
