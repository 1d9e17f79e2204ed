//! Deeds that end the program, each in a child process.

/// Set in the child process: it is to do the deed.
pub(crate) const ROLE: &str = "FIBER_TEST_ENDS";

/// Runs `deed`, a closure of the test, in a child process and returns what it said before it aborted.
pub(crate) fn ending_of<D: Fn()>(deed: D) -> String {
    if std::env::var_os(ROLE).is_some() {
        deed();
        std::process::exit(0);
    }
    let test = std::any::type_name::<D>().split("::").nth(1);
    skipped::said_before_aborting(test.expect("within a test"), ROLE)
}

/// That the program, which runs `deed`, aborts and says `text`.
pub(crate) fn ends_saying(text: &str, deed: impl Fn()) {
    let said = ending_of(deed);
    assert!(said.contains(text), "{said}");
}
