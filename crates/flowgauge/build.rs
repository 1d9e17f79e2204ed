//! Asks the linker to pack relocations, where the C library can read them. A program that may lie
//! at any address has a list of places that hold addresses: 28,000 here, 24 bytes each, all read
//! when a process begins, and a slot is a process. Packed (`DT_RELR`) they take a bit or two each.
//! A program that has it does not start with a glibc older than 2.36, so it is asked for only where
//! the program is built for this machine.

use std::process::Command;

const FIRST_GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if is_for_this_machine() && glibc().is_some_and(|version| version >= FIRST_GLIBC) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

fn is_for_this_machine() -> bool {
    let asked = |name| std::env::var(name).ok();
    asked("TARGET") == asked("HOST")
}

fn glibc() -> Option<(u32, u32)> {
    let told = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let told = String::from_utf8(told.ok()?.stdout).ok()?;
    let (major, minor) = told.trim().strip_prefix("glibc ")?.split_once('.')?;
    let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, minor.parse().ok()?))
}
