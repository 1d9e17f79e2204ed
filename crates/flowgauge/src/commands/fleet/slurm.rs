//! A fleet by Slurm: a batch script, and one step with a task on each node. All nodes must see the
//! fleet's folder, with plan, program and journals. sbatch reads the script's comments, where a
//! space ends an option: words are of characters that names in Slurm have, and a folder is in
//! quotation marks, without what sbatch replaces in them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use mpi::nodes::quoted;

use crate::args::SlurmArgs;

type Partitions = Vec<(String, Option<u32>)>;

#[derive(Debug, Clone)]
pub(super) struct Job<'a> {
    pub(super) asked: &'a SlurmArgs,
    pub(super) partition: &'a str,
    pub(super) nodes: u32,
    pub(super) only: &'a [String],
    /// A job for each node, and how many at a time.
    pub(super) array: Option<u32>,
    pub(super) time: Duration,
    pub(super) folder: &'a Path,
    pub(super) program: &'a str,
}

impl Job<'_> {
    /// What it may cost, in node-minutes, and what it does if no study needs longer.
    pub(super) fn cost(&self, budget: Option<Duration>) -> String {
        let minutes = |time: Duration| u64::from(self.nodes) * time.as_secs().div_ceil(60);
        let many = report::number::many;
        let usual = budget.map_or_else(String::new, |budget| {
            let usual = minutes(budget.min(self.time));
            format!("about {}, ", many(usual, "node-minute"))
        });
        format!(
            "{}: {usual}at most {} (a time limit of {} each)",
            many(self.nodes.into(), "node"),
            many(minutes(self.time), "node-minute"),
            limit(self.time)
        )
    }

    pub(super) fn check(&self) -> Result<()> {
        let asked = self.asked;
        let names = [
            ("--account", &asked.account, "-_.+@"),
            ("--qos", &asked.qos, "-_.+@"),
            ("--constraint", &asked.constraint, "-_.+&|*,:=()[]"),
            ("--gres", &asked.gres, "-_.,:="),
            ("--reservation", &asked.reservation, "-_.+,"),
        ];
        let names = names
            .into_iter()
            .filter_map(|(option, word, more)| Some((option, word.as_deref()?, more)));
        let partition = [("--slurm", self.partition, "-_.+,")].into_iter();
        let nodes = self
            .only
            .iter()
            .map(|node| ("--only", node.as_str(), "-_.[]"));
        for (option, word, more) in partition.chain(names).chain(nodes) {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
            ensure!(!word.is_empty(), "{option} is empty: give it a name");
            ensure!(
                !word.starts_with('-') && word.chars().all(is_plain),
                "{option} '{word}': use letters, digits and {more} alone, and no - in front"
            );
        }
        let folder = self.folder.to_str();
        let is_replaced = |c: char| c.is_control() || "\"\\%".contains(c);
        ensure!(
            folder.is_some_and(|folder| !folder.contains(is_replaced)),
            "--out {}: sbatch would replace some of its characters: name a folder without \" \\ and %",
            self.folder.display()
        );
        Ok(())
    }

    pub(super) fn script(&self) -> String {
        let folder = self.folder.display().to_string();
        let only = Some(self.only.join(",")).filter(|only| !only.is_empty());
        let asked = self.asked;
        let named = [
            ("nodelist", &only),
            ("account", &asked.account),
            ("qos", &asked.qos),
            ("constraint", &asked.constraint),
            ("gres", &asked.gres),
            ("reservation", &asked.reservation),
        ];
        // Without a number one, or as many as the partition gives.
        let cpus = self
            .asked
            .cpus
            .map(|cpus| format!("--cpus-per-task={cpus}"));
        let share = match (self.asked.shared_nodes, &cpus) {
            (false, _) => "#SBATCH --exclusive\n".to_owned(),
            (true, None) => "# Other jobs may be on the same nodes.\n".to_owned(),
            (true, Some(cpus)) => {
                format!("# Other jobs may be on the same nodes.\n#SBATCH {cpus}\n")
            }
        };
        let (nodes, array) = match self.array {
            None => (self.nodes, String::new()),
            Some(at_once) => (1, format!("#SBATCH --array=1-{}%{at_once}\n", self.nodes)),
        };
        let output = if self.array.is_some() { "%A-%a" } else { "%j" };
        let cpus = cpus.map_or(String::new(), |cpus| cpus + " ");
        let asked: String = named
            .iter()
            .filter_map(|(option, word)| {
                Some(format!("#SBATCH --{option}=\"{}\"\n", word.as_ref()?))
            })
            .collect();
        format!(
            "#!/bin/sh\n\
             #SBATCH --job-name=flowgauge\n\
             #SBATCH --partition=\"{}\"\n\
             #SBATCH --nodes={}\n\
             #SBATCH --ntasks-per-node=1\n\
             {share}\
             #SBATCH --time={}\n\
             # A node that is down does not have the others begin again.\n\
             #SBATCH --no-requeue\n\
             #SBATCH --output=\"{folder}/slurm-{output}.out\"\n\
             {asked}\
             {array}\
             # One task a node, on all CPUs of the job there; a node that fails ends no other.\n\
             exec srun --ntasks-per-node=1 {cpus}--cpu-bind=none --kill-on-bad-exit=0 --wait=0 \\\n  \
             {} fleet node --shared {}\n",
            self.partition,
            nodes,
            limit(self.time),
            quoted(self.program),
            quoted(&folder),
        )
    }

    pub(super) fn submit(&self, script: &Path, wait: bool) -> Result<String> {
        let partitions = partitions();
        self.has_room(&partitions)?;
        let mut command = Command::new("sbatch");
        if wait {
            command.arg("--wait");
        }
        let output = command.arg(script).stdin(Stdio::null()).output();
        let output = output.context("sbatch cannot be started: is Slurm installed here?")?;
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        // With --wait its exit code is the job's; the nodes report themselves.
        ensure!(
            output.status.success() || (wait && !output.stdout.is_empty()),
            "{}",
            self.refusal(&said(&output.stderr), &partitions)
        );
        Ok(said(&output.stdout))
    }

    /// Slurm accepts a job that never fits, and it waits for ever.
    fn has_room(&self, partitions: &Partitions) -> Result<()> {
        let own = partitions.iter().find(|(name, _)| name == self.partition);
        let there = own.and_then(|(_, nodes)| *nodes).unwrap_or(u32::MAX);
        ensure!(
            self.nodes <= there,
            "the partition '{}' has {}, not {}: use --nodes {there} or fewer",
            self.partition,
            report::number::many(there.into(), "node"),
            self.nodes
        );
        Ok(())
    }

    fn refusal(&self, said: &str, partitions: &Partitions) -> String {
        let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
        let partition = self.partition;
        let why = if says(&["nvalid partition"]) {
            let names: Vec<&str> = partitions.iter().map(|(name, _)| name.as_str()).collect();
            let there = match names.as_slice() {
                [] => "sinfo lists those there are".to_owned(),
                names => format!("there are: {}", names.join(", ")),
            };
            format!("Slurm has no partition '{partition}'; {there}")
        } else if says(&["Invalid node name"]) {
            format!(
                "Slurm knows no node of one of the names {}",
                self.only.join(",")
            )
        } else if says(&[
            "Node count specification invalid",
            "configuration is not available",
        ]) {
            let nodes = report::number::many(self.nodes.into(), "node");
            format!("the partition '{partition}' cannot give {nodes} (sinfo -p {partition})")
        } else if says(&["Unable to contact slurm controller"]) {
            "Slurm's controller does not answer (scontrol ping)".to_owned()
        } else if says(&["Invalid account", "Access/permission denied"]) {
            format!("you may not use the partition '{partition}'")
        } else {
            return format!("sbatch refuses the job: {said}");
        };
        format!("{why}: {said}")
    }
}

fn partitions() -> Partitions {
    let mut sinfo = Command::new("sinfo");
    sinfo.args(["--noheader", "--summarize", "--format=%R %D"]);
    let listed = sinfo.stdin(Stdio::null()).output();
    let text = listed.map_or_else(|_| Vec::new(), |output| output.stdout);
    let text = String::from_utf8_lossy(&text);
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        Some((name, words.next().and_then(|nodes| nodes.parse().ok())))
    };
    text.lines().filter_map(line).collect()
}

/// `days-hours:minutes:seconds`; Slurm counts whole minutes.
fn limit(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60).max(1);
    let (days, hours) = (minutes / 1_440, minutes / 60 % 24);
    format!("{days}-{hours:02}:{:02}:00", minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(asked: SlurmArgs) -> Job<'static> {
        Job {
            asked: Box::leak(Box::new(asked)),
            partition: "debug",
            nodes: 2,
            only: &[],
            array: None,
            time: Duration::from_secs(90),
            folder: Path::new("/shared/it's"),
            program: "/shared/flowgauge",
        }
    }

    fn usual() -> Job<'static> {
        job(SlurmArgs::default())
    }

    /// The sentences of Slurm 22.05 and 23.11.
    #[test]
    fn what_sbatch_refuses_is_named() {
        let only = &["n9".to_owned()];
        let job = Job { only, ..usual() };
        let there = vec![("batch".to_owned(), Some(4)), ("gpu".to_owned(), None)];
        for (said, words) in [
            (
                "sbatch: error: invalid partition specified: debug",
                "no partition 'debug'; there are: batch, gpu",
            ),
            (
                "sbatch: error: Batch job submission failed: Node count specification invalid",
                "'debug' cannot give 2 nodes",
            ),
            (
                "sbatch: error: Batch job submission failed: Requested node configuration is not available",
                "'debug' cannot give 2 nodes",
            ),
            (
                "sbatch: error: Batch job submission failed: Invalid node name specified",
                "names n9",
            ),
            (
                "error: Unable to contact slurm controller (connect failure)",
                "does not answer",
            ),
            (
                "sbatch: error: Invalid qos specification",
                "refuses the job: sbatch: error",
            ),
        ] {
            let why = job.refusal(said, &there);
            assert!(why.contains(words) && why.ends_with(said), "{why}");
        }
        let none = job.refusal("invalid partition specified: debug", &Vec::new());
        assert!(none.contains("sinfo lists"), "{none}");
    }

    /// Slurm queues it, and does not say that it cannot start.
    #[test]
    fn a_job_for_more_nodes_than_the_partition_has_is_refused() {
        let job = usual();
        let of = |nodes| vec![("debug".to_owned(), nodes)];
        let why = job.has_room(&of(Some(1))).unwrap_err().to_string();
        assert!(
            why.contains("'debug' has 1 node, not 2: use --nodes 1"),
            "{why}"
        );
        for enough in [of(Some(2)), of(None), Vec::new()] {
            job.has_room(&enough).unwrap();
        }
    }

    /// `--only 'node1 --wrap=id'` submitted another job, and so did a line break in a partition.
    #[test]
    fn words_that_would_be_options_of_sbatch_are_refused() {
        let refused = |job: &Job<'_>, option: &str| {
            let why = job.check().unwrap_err().to_string();
            assert!(why.starts_with(option), "{why}");
        };
        for word in [
            "node1 --wrap=id",
            "a\nb",
            "",
            "-n1",
            "a#b",
            "a\"b",
            "$(id)",
            "é",
        ] {
            let only = &[word.to_owned()];
            refused(&Job { only, ..usual() }, "--only");
            let partition = word;
            refused(
                &Job {
                    partition,
                    ..usual()
                },
                "--slurm",
            );
            let of = |put: fn(&mut SlurmArgs) -> &mut Option<String>, option| {
                let mut asked = SlurmArgs::default();
                *put(&mut asked) = Some(word.to_owned());
                refused(&job(asked), option);
            };
            of(|asked| &mut asked.account, "--account");
            of(|asked| &mut asked.qos, "--qos");
            of(|asked| &mut asked.constraint, "--constraint");
            of(|asked| &mut asked.gres, "--gres");
            of(|asked| &mut asked.reservation, "--reservation");
        }
        for folder in ["/a\nb", "/a\"b", "/a\\b", "/a%jb"] {
            let folder = Path::new(folder);
            refused(&Job { folder, ..usual() }, "--out");
        }
        let good = Job {
            folder: Path::new("/a b"),
            only: &["n[1-3".to_owned(), "5]".to_owned()],
            ..job(SlurmArgs {
                constraint: Some("[rack1*2&rack2*4]|gpu".to_owned()),
                ..SlurmArgs::default()
            })
        };
        good.check().unwrap();
    }

    #[test]
    fn the_script_names_what_was_asked_for() {
        let given = |word: &str| Some(word.to_owned());
        let job = Job {
            only: &["n1".to_owned(), "n3".to_owned()],
            ..job(SlurmArgs {
                account: given("physics"),
                qos: given("long"),
                constraint: given("a&b"),
                gres: given("gpu:1"),
                reservation: given("maintenance"),
                ..SlurmArgs::default()
            })
        };
        let script = job.script();
        for line in [
            "#SBATCH --exclusive\n",
            "#SBATCH --gres=\"gpu:1\"\n",
            "#SBATCH --reservation=\"maintenance\"\n",
            "#SBATCH --partition=\"debug\"\n",
            "#SBATCH --nodes=2\n",
            "#SBATCH --nodelist=\"n1,n3\"\n",
            "#SBATCH --account=\"physics\"\n",
            "#SBATCH --qos=\"long\"\n",
            "#SBATCH --constraint=\"a&b\"\n",
            r"'/shared/flowgauge' fleet node --shared '/shared/it'\''s'",
        ] {
            assert!(script.contains(line), "{line}: {script}");
        }
    }

    #[test]
    fn an_array_is_a_job_a_node_and_shared_nodes_are_not_taken_whole() {
        let array = Job {
            array: Some(3),
            nodes: 64,
            ..job(SlurmArgs {
                shared_nodes: true,
                cpus: Some(4),
                ..SlurmArgs::default()
            })
        };
        let script = array.script();
        for line in [
            "#SBATCH --nodes=1\n",
            "#SBATCH --array=1-64%3\n",
            "#SBATCH --cpus-per-task=4\n",
            "/slurm-%A-%a.out\"\n",
            "exec srun --ntasks-per-node=1 --cpus-per-task=4 ",
        ] {
            assert!(script.contains(line), "{line}: {script}");
        }
        assert!(!script.contains("exclusive"), "{script}");
        let minute = Duration::from_secs(60);
        assert_eq!(
            array.cost(Some(minute)),
            "64 nodes: about 64 node-minutes, at most 128 node-minutes (a time limit of 0-00:02:00 each)"
        );
        let cost = array.cost(Some(20 * minute));
        assert!(
            cost.contains("about 128 node-minutes, at most 128 "),
            "{cost}"
        );
        let day = Job {
            time: 24 * 60 * minute,
            ..array
        };
        let cost = day.cost(None);
        assert!(
            cost.starts_with("64 nodes: at most 92,160 node-minutes"),
            "{cost}"
        );
    }

    /// `--out "a b"` made a script that sbatch did not understand.
    #[test]
    fn a_folder_with_a_space_is_one_word_of_the_script() {
        let job = Job {
            folder: Path::new("/a b"),
            ..usual()
        };
        assert!(
            job.script()
                .contains("#SBATCH --output=\"/a b/slurm-%j.out\"\n")
        );
    }

    /// Slurm began the whole fleet again when a node went down.
    #[test]
    fn a_job_has_a_time_limit_and_is_not_begun_again() {
        let script = usual().script();
        assert!(script.contains("#SBATCH --no-requeue\n"), "{script}");
        assert!(script.contains("#SBATCH --time=0-00:02:00\n"), "{script}");
        let two_days = Duration::from_secs(2 * 86_400 + 3 * 3_600 + 61);
        assert_eq!(limit(two_days), "2-03:02:00");
    }
}
