//! Interrupts by which one CPU makes others forget translations of addresses (TLB shootdowns): row
//! `TLB` of `/proc/interrupts`, by CPU, since boot. Arm has none.

use std::fs;

use crate::Measured;

const FILE: &str = "/proc/interrupts";

/// Of all CPUs, since the machine was booted.
#[must_use]
pub fn shootdowns() -> Measured<u64> {
    match fs::read_to_string(FILE) {
        Ok(text) => of_text(&text),
        Err(error) => Measured::not_available(format!("{FILE} cannot be read: {error}"), ""),
    }
}

fn of_text(text: &str) -> Measured<u64> {
    let mut rows = text.lines();
    let row = rows.find_map(|line| line.trim_start().strip_prefix("TLB:"));
    let count = |word: &str| word.parse::<u64>().ok();
    Measured::of(
        row.map(|row| row.split_whitespace().map_while(count).sum()),
        format!("{FILE} has no row of TLB shootdowns, as on processors that broadcast them"),
        "",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_all_cpus_are_added_up() {
        let text = "           CPU0       CPU1\n  0:  12  0  IO-APIC  timer\nTLB:  7293  3666   TLB \
                    shootdowns\n";
        assert_eq!(of_text(text), Measured::Value(10_959));
    }

    #[test]
    fn a_processor_without_the_row_is_named_and_has_no_zero() {
        let none = of_text("           CPU0\nIPI0:  3  Rescheduling interrupts\n");
        assert!(none.value().is_none());
        assert!(none.to_string().contains("broadcast"), "{none}");
    }
}
