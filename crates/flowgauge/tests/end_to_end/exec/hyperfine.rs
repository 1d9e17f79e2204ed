//! Flags of hyperfine: kept, or refused with the reason.

use std::fs;

use serde_json::Value;

use super::{exec, failure, refused};
use crate::common::{Home, says};

#[test]
fn hyperfines_flags_work_and_its_json_is_written() {
    let home = Home::new();
    let line = r#"-w 1 -r 3 -N -L n 0.01,0.02 "sleep {n}" --export-json x.json --export-csv x.csv
                  --export-markdown x.md"#;
    exec(&home, line).answered();
    let read = |name: &str| fs::read_to_string(home.path(name)).unwrap();
    let json: Value = serde_json::from_str(&read("x.json")).unwrap();
    let results = json["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for (result, command) in results.iter().zip(["sleep 0.01", "sleep 0.02"]) {
        assert_eq!(result["command"], command);
        assert_eq!(result["times"].as_array().unwrap().len(), 3);
        assert_eq!(result["exit_codes"], serde_json::json!([0, 0, 0]));
        let (_, value) = command.split_once(' ').unwrap();
        assert_eq!(result["parameters"], serde_json::json!({ "n": value }));
        for key in ["mean", "stddev", "median", "user", "system", "min", "max"] {
            assert!(result[key].is_number(), "{key}: {result}");
        }
    }
    // The size of the launcher was taken for that of `sleep`.
    let memory = results[0].get("memory_usage_byte");
    let memory = memory.and_then(Value::as_array).into_iter().flatten();
    let mut bytes = memory.map(|bytes| bytes.as_u64().unwrap());
    assert!(bytes.all(|bytes| bytes < 5 << 20));
    let heads = "command,mean,stddev,median,user,system,min,max,parameter_n\nsleep 0.01,";
    let csv = read("x.csv");
    assert!(csv.starts_with(heads), "{csv}");
    says(&read("x.md"), &["| `sleep 0.02` |"]);
}

/// Each command has its own preparation, exit codes may be listed, and what cannot be kept is
/// refused with the reason.
#[test]
fn further_flags_of_hyperfine_work_or_are_refused() {
    let home = Home::new();
    let line = r#"-r 1 -p "touch a" -p "touch b" -i=3 "sh -c 'test -e a; exit 3'"
                  "sh -c 'test -e b; exit 3'" --export-json - --sort mean-time"#;
    let run = exec(&home, line);
    assert_eq!(failure(&home), "", "{}", run.stderr);
    says(&run.stdout, &["\"exit_codes\": [ 3 ]"]);
    refused(
        "\
true -p true -p true => 2 times, and the number of commands is 1
true --output inherit => between lines
true --work 0 => 0
true --env FOO => such as LC_ALL=C",
    );
}

/// hyperfine fills parameters in there too; `{n}` reached these commands as it is.
#[test]
fn parameters_are_filled_in_beside_the_command_too() {
    let home = Home::new();
    let line = r#"-r 1 -L n 1,2 "test -e made{n}" -s "touch set{n}" -p "touch made{n}"
                  -C "touch after{n}" -c "touch end{n}" --check "test -e set{n}""#;
    exec(&home, line).answered();
    assert_eq!(failure(&home), "");
    for file in ["after1", "after2", "end1", "end2"] {
        assert!(home.path(file).exists(), "{file}");
    }
}
