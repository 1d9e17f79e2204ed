//! Latency at a constant rate, beside what it must be: a server whose latencies are known, asked by the
//! built-in generator and by the load generators that are installed, in turn.
//!
//! ```text
//! cargo bench -p flowgauge-program --bench latency [-- ROUNDS]
//! ```
//!
//! # Theory
//!
//! The server answers at once, but not in the first tenth of each period, which is a second and a half
//! millisecond. Of requests that are planned at a constant rate, a tenth wait for a time that is uniform from 0
//! to 100 ms, so that the quantile q above 0.9 is (q - 0.9) periods: 50 ms at 0.95, 90 ms at 0.99, 99 ms at 0.999. A
//! generator that sends the next request only after an answer sees fewer waits than that (coordinated
//! omission). A period has a tenth of a request more than a whole number of them, so that in ten periods waits
//! of all lengths come up; with a whole number each period has the same twenty waits, 5 ms apart.
//!
//! There are fewer connections than requests that a stall holds up: some of them wait for a connection
//! first, and that wait must count too.
//!
//! Other generators are asked for 10 s at the same rate with the same connections, and their p99 is taken
//! from what they write. `wrk2` is a name that its users give it: its own one is `wrk`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use flow::{Answer, Interrupt, Latencies, Launcher, Model, SlotSpec, Variant};
use measure::clock::now_ns;
use program::{Http, Load, Program, Ready, Served};
use workload::Work;

/// The first argument of the server.
const SERVER: &str = "stalls";
const RATE: u32 = 197;
const CONNECTIONS: u32 = 16;
const SECONDS: u32 = 10;
/// 197.1 requests.
const PERIOD_NS: u64 = 1_000_507_614;
const STALL_NS: u64 = PERIOD_NS / 10;
const SHARES: [f64; 3] = [0.95, 0.99, 0.999];

/// Other generators: name, what is run by a shell (`$URL`, `$RATE`, `$EACH` a connection), and where the
/// p99 is in what it writes, with its unit in ms.
const OTHERS: [(&str, &str, &str, f64); 4] = [
    (
        "wrk2",
        "wrk2 --latency -t 1 -c 16 -R $RATE -d 10s $URL",
        "99.000%",
        1.0,
    ),
    (
        "vegeta",
        "echo GET $URL | vegeta attack -rate=$RATE -duration=10s -max-connections=16 | vegeta report -type=json",
        "\"99th\":",
        1e-6,
    ),
    (
        "oha",
        "oha --no-tui --output-format json --latency-correction -q $RATE -c 16 -z 10s $URL",
        "\"p99\":",
        1e3,
    ),
    ("hey", "hey -c 16 -q $EACH -z 10s $URL", "99%", 1e3),
];

fn main() {
    if flow::is_slot_process() {
        flow::slot_process_main(Work::run);
    }
    if program::load::is_load() {
        program::load::load_main(|_| Err(std::io::Error::other("no rounds here")));
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == SERVER) {
        return serve(words.get(1).map_or("0", String::as_str));
    }
    let rounds = words.iter().find_map(|text| text.parse().ok());
    let mut launcher = Launcher::new(Interrupt::install().expect("signals"));
    compare(&mut launcher, rounds.unwrap_or(5));
}

/// Answers at a port, but not in the first part of each second.
fn serve(port: &str) {
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).expect("the port");
    println!("{}", listener.local_addr().expect("an address").port());
    for stream in listener.incoming().flatten() {
        std::thread::spawn(|| answer(stream));
    }
}

fn answer(mut stream: TcpStream) {
    let _slower_is_fine = stream.set_nodelay(true);
    let mut asked = Vec::new();
    let mut bytes = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut bytes) {
        asked.extend_from_slice(&bytes[..read]);
        if !asked.ends_with(b"\r\n\r\n") {
            continue;
        }
        asked.clear();
        let phase = now_ns() % PERIOD_NS;
        std::thread::sleep(Duration::from_nanos(STALL_NS.saturating_sub(phase)));
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

fn compare(launcher: &mut Launcher, rounds: usize) {
    println!(
        "{rounds} rounds of {SECONDS} s each, {RATE} requests/s over {CONNECTIONS} connections; ratios to the known \
         latency, medians with the lowest and the highest"
    );
    let mut ours = vec![Vec::new(); SHARES.len()];
    let mut others = vec![Vec::new(); OTHERS.len()];
    for _ in 0..rounds {
        let latencies = ask(launcher);
        for (share, ratios) in SHARES.into_iter().zip(&mut ours) {
            let ns = latencies.quantile_ns(share).expect("answers") as f64;
            ratios.push(ns / known_ns(share));
        }
        for (other, ratios) in OTHERS.iter().zip(&mut others) {
            ratios.extend(p99_of(other).map(|ms| ms * 1e6 / known_ns(0.99)));
        }
    }
    for (share, ratios) in SHARES.into_iter().zip(&mut ours) {
        let known = known_ns(share) / 1e6;
        show(
            &format!("flowgauge, p{} ({known:.0} ms)", share * 100.0),
            ratios,
        );
    }
    for ((name, ..), ratios) in OTHERS.into_iter().zip(&mut others) {
        show(&format!("{name}, p99 (90 ms)"), ratios);
    }
}

/// The quantile that the server makes.
fn known_ns(share: f64) -> f64 {
    (share - 0.9) * PERIOD_NS as f64
}

fn show(what: &str, ratios: &mut [f64]) {
    ratios.sort_by(f64::total_cmp);
    match *ratios {
        [] => println!("  {what:28} not measured: it is not installed, or wrote no p99"),
        [low, .., high] => {
            let middle = ratios[ratios.len() / 2];
            println!("  {what:28} {middle:.3}  [{low:.3} ... {high:.3}]");
        }
        [only] => println!("  {what:28} {only:.3}"),
    }
}

/// What another generator says of the p99 of a server of its own, in ms.
fn p99_of((name, line, key, unit): &(&str, &str, &str, f64)) -> Option<f64> {
    let find = Command::new("sh")
        .args(["-c", &format!("command -v {name}")])
        .output();
    find.ok().filter(|found| found.status.success())?;
    let (mut server, url) = server();
    let each = f64::from(RATE) / f64::from(CONNECTIONS);
    let ran = Command::new("sh")
        .args(["-c", line])
        .env("URL", url)
        .env("RATE", RATE.to_string())
        .env("EACH", each.to_string())
        .stderr(Stdio::null())
        .output();
    server.kill().expect("it runs");
    server.wait().expect("it ends");
    let text = String::from_utf8_lossy(&ran.ok()?.stdout).into_owned();
    let (_, rest) = text.split_once(key)?;
    let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    Some(rest[..end].parse::<f64>().ok()? * unit)
}

/// A server at a free port, and where it is asked.
fn server() -> (Child, String) {
    let own = std::env::current_exe().expect("a path");
    let mut server = Command::new(own);
    let server = server.args([SERVER, "0"]).stdout(Stdio::piped());
    let mut server = server.spawn().expect("the server");
    let mut port = String::new();
    let mut said = server.stdout.take().expect("a pipe");
    while !port.ends_with('\n') {
        let mut byte = [0];
        said.read_exact(&mut byte).expect("its port");
        port.push(char::from(byte[0]));
    }
    (server, format!("http://127.0.0.1:{}/", port.trim()))
}

/// A slot in which the built-in generator asks.
fn ask(launcher: &mut Launcher) -> Latencies {
    let own = std::env::current_exe().expect("a path");
    let served = Served {
        server: Program::new(format!("{} {SERVER} {{port}}", own.display())),
        ready: Ready::Tcp,
        ready_s: 10.0,
        load: Load::Http(Http {
            rate: Some(RATE.into()),
            connections: CONNECTIONS,
            seconds: SECONDS.into(),
            ..Http::new(vec!["http://127.0.0.1:{port}/".to_owned()])
        }),
        slo_p99_s: None,
    };
    let spec = SlotSpec {
        grace_s: 2.0,
        ..SlotSpec::new(
            Work::Served(Box::new(served)),
            Variant::new(Model::Process, 1),
        )
    };
    let mut outcome = launcher.launch(&spec).expect("launch");
    let Answer::Done(record) = &mut outcome.answer else {
        panic!("{:?}", outcome.answer)
    };
    let latencies = record.reps[0].latencies.take();
    *latencies.expect("it was asked at a rate")
}
