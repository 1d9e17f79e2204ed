use super::*;
use crate::fixture::guest;

#[test]
fn limits_are_read() {
    let limits = guest().machine().limits;
    assert_eq!(limits.pid_max, Measured::Value(32_768));
    assert_eq!(limits.tasks, Measured::Value(85));
    assert_eq!(limits.maps, Measured::Value(24));
    assert_eq!(limits.nproc, Measured::Value(Bound::At(96_365)));
    assert_eq!(limits.stack, Measured::Value(Bound::At(8 << 20)));
}

#[test]
fn a_limit_may_be_unlimited_or_missing() {
    let limits = "Max stack size            unlimited            unlimited            bytes";
    let stack = limit_at(limits, "Max stack size", 0);
    assert_eq!(stack, Measured::Value(Bound::Unlimited));
    assert_eq!(limit_at(limits, "Max processes", 0).value(), None);
}
