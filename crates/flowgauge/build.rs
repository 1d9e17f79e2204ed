//! Links the command to a fixed address where that is how the C compiler links when asked.
//!
//! A program that can lie anywhere has half a megabyte of addresses in it, which are corrected
//! each time it starts: pages that are then its own, in each of its processes, besides as much
//! again of notes on where they are. A search of a small tree needs less memory than that.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
