//! Placeholders of a command: `{flows}`, `{processes}`, `{threads}`, `{i}`, `{cpu}`, `{port}`,
//! `{dir}`, `{built}`, `{build}`. Any other brace stays as it is, since `awk` and `find -exec` have
//! braces of their own; so does `${flows}`, a variable of a shell.

use flow::Variant;

/// What placeholders stand for in one launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fill {
    /// How many flows the variant has in all.
    pub flows: u32,
    /// Processes of the variant.
    pub processes: u32,
    /// Threads in each of them.
    pub threads: u32,
    /// Which of several copies this is, from 0.
    pub copy: u32,
    /// The CPU that the copy is given, where there is a placement; else its own number.
    pub cpu: u32,
    /// A free port, where the command asks for one.
    pub port: Option<u16>,
    /// The folder of the slot, where the command asks for one.
    pub dir: Option<String>,
    /// The folder of the run with what was built, where the command asks for one.
    pub built: Option<String>,
    /// The file that the launch has drawn, where there are several.
    pub build: Option<String>,
    /// The number that a sweep gives.
    pub value: Option<u64>,
    /// This program, where the command asks for it.
    pub flowgauge: Option<String>,
}

impl Fill {
    /// What the variant says.
    #[must_use]
    pub fn of(variant: &Variant) -> Self {
        let shape = variant.model.shape(variant.flows);
        let threads = match variant.model.is_user_level() || shape.processes == 0 {
            true => variant.flows,
            false => shape.flows_in_each,
        };
        let processes = shape.processes.max(1);
        Self {
            flows: variant.flows,
            processes,
            threads,
            ..Self::default()
        }
    }

    /// The text with every placeholder filled in that has a value.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        let known = [
            ("flows", Some(self.flows.to_string())),
            ("processes", Some(self.processes.to_string())),
            ("threads", Some(self.threads.to_string())),
            ("i", Some(self.copy.to_string())),
            ("cpu", Some(self.cpu.to_string())),
            ("port", self.port.map(|port| port.to_string())),
            ("dir", self.dir.clone()),
            ("built", self.built.clone()),
            ("build", self.build.clone()),
            ("value", self.value.map(|value| value.to_string())),
            ("flowgauge", self.flowgauge.clone()),
        ];
        known
            .into_iter()
            .fold(text.to_owned(), |text, (name, value)| match value {
                Some(value) => parts(&text, name).join(&value),
                None => text,
            })
    }
}

/// Whether a text has that placeholder.
#[must_use]
pub fn has(text: &str, name: &str) -> bool {
    parts(text, name).len() > 1
}

fn parts<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let place = format!("{{{name}}}");
    let mut all = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(&place) {
        if !text[..at].ends_with('$') {
            all.push(&text[from..at]);
            from = at + place.len();
        }
    }
    all.push(&text[from..]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(model: &str, flows: u32) -> Fill {
        Fill::of(&Variant::new(model.parse().unwrap(), flows))
    }

    #[test]
    fn a_mix_says_how_many_processes_and_threads() {
        let text = fill("4x2", 8).apply("w -p {processes} -t {threads} -n {flows}");
        assert_eq!(text, "w -p 4 -t 2 -n 8");
        for (model, filled) in [("thread", "1x3"), ("process", "3x1")] {
            assert_eq!(fill(model, 3).apply("{processes}x{threads}"), filled);
        }
    }

    #[test]
    fn braces_of_other_programs_stay() {
        let text = "awk {print} {} {port} {dir}";
        assert_eq!(fill("process", 1).apply(text), text);
        assert!(has(text, "port") && !has(text, "flows"));
    }

    /// `for i in 1 2; do echo ${i}; done` wrote the name of the shell twice: `$0`.
    #[test]
    fn a_variable_of_a_shell_is_no_placeholder() {
        let text = "for i in {flows} ${flows}; do echo ${i} {i}{i}; done";
        let filled = "for i in 3 ${flows}; do echo ${i} 00; done";
        assert_eq!(fill("thread", 3).apply(text), filled);
        assert!(has(text, "i") && !has("${i}", "i"));
    }
}
