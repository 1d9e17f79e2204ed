use clap::Args;

use super::HowArgs;

/// Questions that people argue about.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  flowgauge decide                    the questions, and what of each can be answered here
  flowgauge decide quota              how many workers under a CPU quota, in a minute
  flowgauge decide python -v          with every table
  flowgauge decide server --budget 5m --out DIR    longer, and kept in a folder
  flowgauge decide ./mine.toml        a question of your own: a study file")]
pub(crate) struct DecideArgs {
    #[arg(value_name = "QUESTION", help = known())]
    pub(crate) question: Option<String>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

fn known() -> String {
    let names: Vec<&str> = lab::decision_names().collect();
    format!(
        "The question: {}; all are listed without it",
        names.join(", ")
    )
}
