//! What is made with the C compiler.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

pub(crate) fn compile(
    options: &[&str],
    sources: impl IntoIterator<Item = impl AsRef<OsStr>>,
    into: &Path,
) -> Result<()> {
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-w"]).args(options);
    let compiled = compiler.arg("-o").arg(into).args(sources).status();
    let compiled = compiled.context("cc cannot be started")?;
    ensure!(compiled.success(), "cc: {compiled}");
    Ok(())
}

pub(crate) fn program(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let built = folder.join(name);
    let source = built.with_extension("c");
    std::fs::write(&source, text)?;
    compile(&[], [source], &built)?;
    Ok(built)
}
