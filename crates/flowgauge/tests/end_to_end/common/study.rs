//! Study files.

/// Two processes and two threads.
pub(crate) const BOTH: [(&str, u32); 2] = [("process", 2), ("thread", 2)];

/// A study with one case: `work` is the body of its table, each variant a model with so
/// many flows.
fn study(work: &str, variants: &[(&str, u32)]) -> String {
    let variants: String = variants
        .iter()
        .map(|(model, flows)| format!("[[case.variant]]\nmodel = \"{model}\"\nflows = {flows}\n"))
        .collect();
    format!(
        "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstands_for = \"A test.\"\n\
         headline = \"only\"\n[[case]]\nname = \"only\"\ntitle = \"Only\"\n\
         [case.work]\n{work}\n{variants}"
    )
}

/// Four units of which the third (number 2) goes wrong as `fault` says.
pub(crate) fn drill(fault: &str, variants: &[(&str, u32)]) -> String {
    study(
        &format!("kind = \"drill\"\nunits = 4\nfault = \"{fault}\"\nunit = 2"),
        variants,
    )
}

/// Two blocks of `block` numbers by trial division.
pub(crate) fn primes(block: u64, variants: &[(&str, u32)]) -> String {
    study(
        &format!(
            "kind = \"primes\"\nstart = 10000001\nblock = {block}\nblocks = 2\nevery = 100\n\
             method = \"trial\""
        ),
        variants,
    )
}
