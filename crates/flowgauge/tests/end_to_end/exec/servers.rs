//! Servers: started, asked, stopped, and what fails about them.

use super::{exec, failed, failure};
use crate::common::{Home, Run, says};

/// A server that answers on its port, of the system's Python.
const SERVER: &str = "python3 -m http.server {port} --bind 127.0.0.1";

fn served(home: &Home, server: &str, further: &str) -> Run {
    let load = "--connections 2 --duration 0.2s --load http://127.0.0.1:{port}/page.txt";
    home.write("page.txt", "a page\n");
    exec(home, &format!(r#"--serve "{server}" {load} {further}"#))
}

#[test]
fn a_server_is_asked_and_stopped_and_every_request_is_counted() {
    for (further, metric) in [("--same-body", "request"), ("--rate 40", "p99")] {
        let home = Home::new();
        served(&home, SERVER, further).answered();
        assert_eq!(failure(&home), "");
        let case = home.case();
        assert_eq!(serde_json::to_value(case.case.metric).unwrap(), metric);
        let requests = case.variants[0].requests.expect("requests were answered");
        let is_right = requests.count > 0 && requests.p99_ns >= requests.p50_ns;
        assert!(is_right, "{requests:?}");
        home.assert_nothing_left();
    }
}

#[test]
fn a_server_that_is_none_fails_with_what_it_said() {
    for (server, said) in [
        (
            "sh -c 'echo no config >&2; exit 4' {port}",
            "ended before it was ready: exit code 4; it said: no config",
        ),
        (
            "sh -c 'echo {port}; echo broken >&2; sleep 60'",
            "still at work",
        ),
    ] {
        let home = Home::new();
        served(&home, server, "--deadline 1s");
        let failure = failure(&home);
        let is_told = failure.contains(said) || failure.contains("was not ready");
        assert!(is_told, "{failure}");
        home.assert_nothing_left();
    }
    let home = Home::new();
    let load = "false wrk http://127.0.0.1:{port}/";
    exec(&home, &["--serve", SERVER, "--load", load]);
    failed(&home, &["the load failed: exit code 1"]);
    home.assert_nothing_left();
}

/// A port that somebody holds, and a server that dies under load.
#[test]
fn a_taken_port_and_a_server_that_dies_are_failures_with_what_was_said() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let server = format!("sh -c 'exec python3 -m http.server {port} --bind 127.0.0.1' {{port}}");
    served(&home, &server, r#"--ready "Serving HTTP""#);
    failed(&home, &["ended before it was ready", "in use"]);

    let home = Home::new();
    home.write(
        "dies.py",
        "import socket, sys\ns = socket.socket()\ns.bind(('127.0.0.1', int(sys.argv[1])))\n\
         s.listen()\ns.accept()\ns.accept()\nsys.exit('out of order')\n",
    );
    served(&home, "python3 dies.py {port}", "");
    failed(
        &home,
        &["the server ended while it was asked", "out of order"],
    );
    home.assert_nothing_left();
}

/// A rate at which nothing could be measured was not in the answer at all.
#[test]
fn a_server_whose_slots_all_failed_is_in_the_answer_with_the_reason() {
    let home = Home::new();
    let run = served(&home, "sh -c 'exit 4' {port}", "--rate 20");
    let said = "all slots failed: the server ended before it was ready: exit code 4";
    says(&run.stdout, &[said]);
}

/// A server that answers one connection at a time refuses others, and that hid what it answered.
#[test]
fn what_a_server_answers_is_named_and_not_the_connections_that_it_refused() {
    let home = Home::new();
    let load = "http://127.0.0.1:{port}/nofile";
    exec(
        &home,
        &["--serve", SERVER, "--load", load, "--duration", "0.2s"],
    );
    failed(&home, &["an answer with status 404"]);
    home.assert_nothing_left();
}

/// What was asked was given as what was answered, and waiting for a server as lateness of the
/// generator; of one that closes its connections, what was left at the end was never sent.
#[test]
fn a_server_that_falls_behind_is_given_the_rate_that_it_reached() {
    let home = Home::new();
    home.write(
        "slow.py",
        "import http.server as h, sys, time\nclass Slow(h.SimpleHTTPRequestHandler):\n    \
         def do_GET(self):\n        time.sleep(0.03)\n        super().do_GET()\n\
         h.HTTPServer(('127.0.0.1', int(sys.argv[1])), Slow).serve_forever()\n",
    );
    let server = "python3 slow.py {port}";
    let run = served(&home, server, "--rate 100").answered();
    let requests = home.case().variants[0].requests.unwrap();
    assert!(requests.per_s <= 34.0, "{requests:?}");
    let behind = "of the 100 requests a second that it was asked";
    says(&run.stdout, &[behind, "requests waited for a connection"]);
}

/// The time of `--timeout` was that of a request, and servers had 20 s whatever it was.
#[test]
fn a_server_has_as_long_to_be_ready_as_the_timeout_says() {
    let home = Home::new();
    served(&home, "sh -c 'sleep 60' {port}", "--timeout 0.3s");
    let said = failure(&home);
    let is_soon = ["0.", "1."].map(|s| said.contains(&format!("was not ready after {s}")));
    assert!(is_soon.contains(&true), "{said}");
    home.assert_nothing_left();
}

#[test]
fn a_bound_on_latency_names_the_highest_rate_or_says_that_none_met_it() {
    let home = Home::new();
    let run = served(&home, SERVER, "--rate 40,20 --slo p99=5s").answered();
    let few = "too few rounds to say which of these rates has a p99";
    let rates = [": at 20 requests/s p99 ", "; at 40 p99 "];
    says(
        &run.stdout,
        &[few, rates[0], rates[1], "compared by p99 latency"],
    );
    says(
        &run.stdout,
        &["p99.9 ", "answered a second", "% of one CPU"],
    );
}

/// Only the text of the command was filled in, and servers often take their port from a variable.
#[test]
fn a_server_may_learn_its_port_from_its_environment() {
    let home = Home::new();
    let server = "sh -c 'exec python3 -m http.server $PORT --bind 127.0.0.1'";
    served(&home, server, "--env PORT={port}").answered();
    assert_eq!(failure(&home), "");
    home.assert_nothing_left();
}

/// A server that forks for each connection and ignores `SIGCHLD`: "9.25x slower" was said of CPU time for equal work,
/// since the sum lacked every child.
#[test]
fn cpu_time_of_a_server_that_ignores_its_children_is_whole_or_not_available() {
    let home = Home::new();
    home.write(
        "forks.py",
        "import os, signal, socket, sys\n\
         answer = b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok'\n\
         if sys.argv[2] == 'forgets':\n    signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
         s = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n\
         while True:\n    c, _ = s.accept()\n    if os.fork() == 0:\n\
         \x20       signal.signal(signal.SIGTERM, signal.SIG_DFL)\n\
         \x20       while c.recv(4096):\n            sum(range(20_000)); c.sendall(answer)\n\
         \x20       os._exit(0)\n    c.close()\n",
    );
    let line = r#"--serve "python3 forks.py {port} forgets" --connections 2 --duration 0.5s
                  --load http://127.0.0.1:{port}/"#;
    exec(&home, line).answered();
    let case = home.case();
    let variant = &case.variants[0];
    let own = variant.self_managed.as_ref().unwrap();
    if let (Some(cpu_ns), Some(phases)) = (variant.cpu_ns, variant.phases) {
        // Each of two connections has a child that computes nearly all the time.
        assert!(cpu_ns > 0.2 * phases.steady_ns, "{cpu_ns} {phases:?}");
        assert!(own.user_ns.is_some());
    } else {
        assert!(own.user_ns.is_none() && own.cpu_share.is_none());
    }
    let cpu = case.quantity("cpu", &variant.label).unwrap();
    assert_eq!(cpu.value.value().is_some(), variant.cpu_ns.is_some());
    assert!(variant.not_counted[0].contains("SIGCHLD is ignored"));
    home.assert_nothing_left();
}
