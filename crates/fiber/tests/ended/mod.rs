//! Deeds that end the program, each in a child process.

/// Set in the child process: it is to do the deed.
pub(crate) const ROLE: &str = "FIBER_TEST_ENDS";

/// Runs `deed` in a child process and returns what it said before it aborted.
pub(crate) fn ending_of(test: &str, deed: fn()) -> String {
    if std::env::var_os(ROLE).is_some() {
        deed();
        std::process::exit(0);
    }
    skipped::said_before_aborting(test, ROLE)
}

/// That the program, which runs `deed`, aborts and says `text`.
pub(crate) fn ends_saying(test: &str, text: &str, deed: fn()) {
    let said = ending_of(test, deed);
    assert!(said.contains(text), "{said}");
}
