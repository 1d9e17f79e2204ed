//! The CPU model, its clock speed, and who controls that.

mod arm;

use std::collections::BTreeSet;

use measure::Measured;
use serde::{Deserialize, Serialize};

use crate::root::{Root, field};
use crate::topology::Topology;

const CPUS: &str = "/sys/devices/system/cpu";

/// The processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Processor {
    /// Name of the model.
    pub model: Measured<String>,
    /// Its maker, as `/proc/cpuinfo` writes it.
    pub vendor: Measured<String>,
    /// Instruction set that this program was built for.
    pub arch: String,
    /// MHz: now, if `/proc/cpuinfo` says, else the highest.
    pub mhz: Measured<f64>,
    /// Whether this is a virtual machine.
    pub is_virtual: Measured<bool>,
    /// Frequency governor of the CPUs; each once when they differ.
    pub governor: Measured<String>,
    /// Whether CPUs may exceed their nominal speed.
    pub turbo: Measured<bool>,
}

impl Processor {
    pub(crate) fn read(root: &Root, topology: &Topology) -> Self {
        let cpuinfo = root.text("/proc/cpuinfo");
        Self {
            model: model(&cpuinfo),
            vendor: first_of(&cpuinfo, &["vendor_id", "CPU implementer", "platform"]),
            arch: std::env::consts::ARCH.to_owned(),
            mhz: mhz(root, &cpuinfo),
            is_virtual: is_virtual(root, &cpuinfo),
            governor: governor(root, topology),
            turbo: turbo(root),
        }
    }
}

/// Of x86 and most, POWER and SPARC; of ARM the name of its part, or the number.
fn model(cpuinfo: &Measured<String>) -> Measured<String> {
    let told = |key| first_of(cpuinfo, &[key]).into_value();
    let part = told("CPU implementer").zip(told("CPU part"));
    match part.and_then(|(maker, part)| arm::name(&maker, &part)) {
        Some(name) => Measured::Value(name.to_owned()),
        None => first_of(cpuinfo, &["model name", "cpu", "CPU part"]),
    }
}

fn first_of(cpuinfo: &Measured<String>, keys: &[&str]) -> Measured<String> {
    cpuinfo.as_ref().and_then(|text| {
        let value = keys.iter().find_map(|key| field(text, ':', key));
        Measured::of(value.map(str::to_owned), "/proc/cpuinfo does not tell", "")
    })
}

fn mhz(root: &Root, cpuinfo: &Measured<String>) -> Measured<f64> {
    let now = first_of(cpuinfo, &["cpu MHz", "clock"]).into_value();
    match now.and_then(|mhz| mhz.trim_end_matches("MHz").parse().ok()) {
        Some(mhz) => Measured::Value(mhz),
        None => {
            let highest = format!("{CPUS}/cpu0/cpufreq/cpuinfo_max_freq");
            root.number::<f64>(&highest).map(|khz| khz / 1_000.0)
        }
    }
}

/// x86 has a CPU flag. Elsewhere only presence can be shown, not absence.
fn is_virtual(root: &Root, cpuinfo: &Measured<String>) -> Measured<bool> {
    if let Some(flags) = first_of(cpuinfo, &["flags"]).value() {
        return Measured::Value(flags.split(' ').any(|flag| flag == "hypervisor"));
    }
    let signs = [
        "/sys/hypervisor/type",
        "/proc/device-tree/hypervisor/compatible",
    ];
    match root.first_text(&signs) {
        Measured::Value(_) => Measured::Value(true),
        Measured::NotAvailable { .. } => {
            Measured::not_available("only x86 processors tell whether they are virtual", "")
        }
    }
}

fn governor(root: &Root, topology: &Topology) -> Measured<String> {
    let file = |id| format!("{CPUS}/cpu{id}/cpufreq/scaling_governor");
    let governors = topology.ids().filter_map(|id| root.told(file(id)));
    let governors: BTreeSet<String> = governors.collect();
    if governors.is_empty() {
        return unsteered("CPU frequency");
    }
    Measured::Value(Vec::from_iter(governors).join(", "))
}

fn turbo(root: &Root) -> Measured<bool> {
    let off = root.count::<u8>(format!("{CPUS}/intel_pstate/no_turbo"));
    let on = || root.count::<u8>(format!("{CPUS}/cpufreq/boost"));
    let turbo = off.map(|off| off == 0);
    let turbo = turbo.or_else(|| on().map(|on| on == 1));
    turbo.map_or_else(|| unsteered("turbo"), Measured::Value)
}

fn unsteered<T>(what: &str) -> Measured<T> {
    Measured::not_available(
        format!("{what} is not steered by this kernel"),
        "in a virtual machine, look on its host",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_arm_has_its_name_and_one_that_is_not_known_its_number() {
        let cpuinfo = |maker, part| {
            let text = format!("processor\t: 0\nCPU implementer\t: {maker}\nCPU part\t: {part}\n");
            model(&Measured::Value(text)).into_value()
        };
        assert_eq!(cpuinfo("0x41", "0xd0c").as_deref(), Some("Neoverse-N1"));
        assert_eq!(cpuinfo("0xc0", "0xac3").as_deref(), Some("Ampere-1"));
        assert_eq!(cpuinfo("0x41", "0xfff").as_deref(), Some("0xfff"));
        let x86 = Measured::Value("model name\t: Some CPU\n".to_owned());
        assert_eq!(model(&x86).into_value().as_deref(), Some("Some CPU"));
    }
}
