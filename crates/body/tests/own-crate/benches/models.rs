//! `cargo bench --bench models -- --ops 1e6`: processes, threads and fibers on the function.

fn main() -> std::process::ExitCode {
    body::bench("digits")
}
