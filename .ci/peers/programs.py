"""Programs under the allocator and its peers: CPU time and peak memory.

Programs of mimalloc-bench as that suite runs them, from the checkout that `--suite` names; redis-server, if the one on
the path has no allocator of its own; and sqlite3. Where a program runs for a fixed time, or a server until it is
stopped, CPU time is that of an operation.
"""
import os
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from peers.common import ROOT, not_here, ratios, run, table

TITLE = "Programs that allocate"
PEERS = {"mimalloc 2": "libmimalloc.so.2", "jemalloc": "libjemalloc.so.2"}
# By folder of the suite: files, and what the compiler needs beside them.
SOURCES = {
    "cfrac": ("*.c", "-std=gnu89 -DNOMEMOPT=1"),
    "alloc-test": ("test_common.cpp allocator_tester.cpp", "-std=c++17 -DBENCH=4"),
    "larson": ("larson.cpp", "-std=c++17 -DCPP=1"),
    "mstress": ("mstress.c", ""),
    "rptest": ("rptest.c thread.c timer.c", ""),
    "shbench": ("sh6bench-new.c", "-DBENCH=1 -DSYS_MULTI_THREAD=1"),
    "xmalloc-test": ("xmalloc-test.c", ""),
}
UNUSED = ["cfrac/getopt.c", "cfrac/ltop.c", "cfrac/ptob.c", "cfrac/pfactor.c"]
CPUS = os.cpu_count()
# By name: the program, its words, and what it prints of operations a second over how many seconds.
RUNS = {
    "cfrac": ("cfrac", "17545186520507317056371138836327483792789528", None),
    "alloc-test, 1 thread": ("alloc-test", "1", None),
    f"alloc-test, {CPUS} threads": ("alloc-test", f"{CPUS}", None),
    f"larson, {CPUS} threads": ("larson", f"5 8 1000 5000 100 4141 {CPUS}", (r"Throughput = *(\d+)", 5)),
    f"mstress, {CPUS} threads": ("mstress", f"{CPUS} 50 25", None),
    f"rptest, {CPUS} threads": ("rptest", f"{CPUS} 0 1 2 500 1000 100 8 16000", None),
    f"sh6bench, {2 * CPUS} threads": ("shbench", f"{2 * CPUS}", None),
    f"xmalloc-test, {2 * CPUS} threads": ("xmalloc-test", f"-w {CPUS} -t 5 -s 64", (r"free/sec: ([\d.]+) M", 5e6)),
}
SQL = """
CREATE TABLE t(n INTEGER PRIMARY KEY, word TEXT);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300000)
  INSERT INTO t SELECT n, 'word ' || (n * 7919 % 100003) FROM c;
CREATE INDEX by_word ON t(word);
SELECT count(*), sum(length(a)) FROM (SELECT group_concat(word) AS a FROM t GROUP BY n % 5000);
UPDATE t SET word = word || ' more' WHERE n % 3 = 0;
SELECT count(DISTINCT substr(word, 6)) FROM t;
"""
# A small process whose child the program is: the peak of a child is at least that of the process that starts it.
LAUNCHER = r"""
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int n, char **words) {
    (void)n;
    struct rusage used;
    int status;
    pid_t child = fork();
    if (child == 0) { execvp(words[1], words + 1); _exit(127); }
    if (wait4(child, &status, 0, &used) < 0 || status != 0) return 1;
    double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    fprintf(stderr, "\nused %f %ld\n", cpu, used.ru_maxrss);
}
"""


def allocators():
    run("cargo", "build", "--release", "-q", "-p", "flowgauge-alloc-preload")
    found = {"ours": str(ROOT / "target/release/libflowgauge_malloc.so"), "libc": ""}
    installed = run("/sbin/ldconfig", "-p")
    for name, file in PEERS.items():
        place = re.search(rf"{re.escape(file)} .*=> (.*)", installed)
        found |= {name: place[1]} if place else {}
    return found


def compile_suite(suite, folder):
    """The names of what can be run, and of what cannot."""
    missing = []
    for name, (files, flags) in SOURCES.items():
        sources = [file for word in files.split() for file in sorted((suite / "bench" / name).glob(word))]
        sources = [file for file in sources if f"{name}/{file.name}" not in UNUSED]
        compiler = "c++" if ".cpp" in files else "cc"
        includes, libraries = f"-I{suite}/bench/{name}", ["-lpthread", "-lm"]
        command = [compiler, "-O3", "-DNDEBUG", "-w", *flags.split(), includes, *sources, "-o", folder / name, *libraries]
        if not sources or subprocess.run(command).returncode:
            missing.append(f"{name} of mimalloc-bench ({files} in {suite / 'bench' / name})")
    return missing


def start(launcher, library, words):
    """In the launcher's folder: rptest leaves a file where it runs."""
    command = [launcher, "env", f"LD_PRELOAD={library}", *words]
    return subprocess.Popen(command, text=True, cwd=launcher.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            stdin=subprocess.DEVNULL)


def figures(process, per):
    """CPU seconds, or those of a million operations, and peak MiB."""
    out, errors = process.communicate(timeout=300)
    if process.returncode or "cannot be preloaded" in errors:
        raise subprocess.CalledProcessError(process.returncode, process.args, out, errors)
    cpu, peak = map(float, re.search(r"\nused ([\d.]+) (\d+)\n", errors).groups())
    if per:
        pattern, seconds = per
        cpu *= 1e6 / (float(re.search(pattern, out)[1]) * seconds)
    return cpu, peak / 1024


REQUESTS = 400_000


def redis(launcher, library):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    server = start(launcher, library, ["redis-server", "--port", port, "--save", "", "--bind", "127.0.0.1"])
    asked = ["redis-cli", "-p", port]
    while server.poll() is None and subprocess.run([*asked, "ping"], capture_output=True).returncode:
        time.sleep(0.05)
    load = ["redis-benchmark", "-p", port, "-r", "1000000", "-n", str(REQUESTS), "-q", "-P", "16"]
    subprocess.run([*load, "lpush", "a", *"12345"], check=True, capture_output=True)
    subprocess.run([*load, "lrange", "a", "1", "5"], check=True, capture_output=True)
    subprocess.run([*asked, "shutdown", "nosave"], capture_output=True)
    cpu, peak = figures(server, None)
    return cpu * 1e6 / (2 * REQUESTS), peak


def needs_redis():
    server = shutil.which("redis-server")
    if not server or not shutil.which("redis-benchmark"):
        return "redis-server (built with MALLOC=libc)"
    linked = subprocess.run(["ldd", server], capture_output=True, text=True).stdout
    return "redis-server without jemalloc (built with MALLOC=libc)" if "jemalloc" in linked else None


def measure(asked):
    libraries = allocators()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "launch.c").write_text(LAUNCHER)
        launcher = folder / "launch"
        subprocess.run(["cc", "-O1", "-o", launcher, folder / "launch.c"], check=True)
        missing = compile_suite(Path(asked.suite), folder) if asked.suite else ["mimalloc-bench (--suite FOLDER)"]
        missing += [f"{name} ({file})" for name, file in PEERS.items() if name not in libraries]

        def program(words, per):
            return lambda library: figures(start(launcher, library, words), per)

        runs = {name: program([folder / file, *words.split()], per)
                for name, (file, words, per) in RUNS.items() if (folder / file).is_file()}
        if shutil.which("sqlite3"):
            runs["sqlite3, in memory"] = program(["sqlite3", ":memory:", SQL], None)
        else:
            missing.append("sqlite3")
        if lacks := needs_redis():
            missing.append(lacks)
        else:
            runs["redis, a million requests"] = lambda library: redis(launcher, library)
        lines = [f"not here: {name}" for name in missing]
        for _ in range(asked.rounds):
            for name, measured in runs.items():
                for allocator, library in libraries.items():
                    cpu, peak = measured(library)
                    lines.append(f"{name}: {allocator}: {cpu:.6f} {peak:.2f}")
                    print(lines[-1], flush=True)
    return "\n".join(lines)


def show(text):
    found = {}
    for name, allocator, cpu, peak in re.findall(r"(?m)^(.*): (.*): ([\d.]+) ([\d.]+)$", text):
        found.setdefault(name, {}).setdefault(allocator, []).append((float(cpu), float(peak)))
    peers, rows = [*PEERS, "libc"], []
    for name, by in found.items():
        sides = {allocator: list(zip(*figures)) for allocator, figures in by.items()}
        row = [name]
        for what in range(2):
            ours = sides["ours"][what]
            row += [f"{statistics.median(ours):.3g}"]
            row += [ratios(ours, sides[peer][what]) if peer in sides else "-" for peer in peers]
        rows.append(row)
    over = [f"over {peer}" for peer in peers]
    return (table(["program", "CPU, s", *over, "peak, MiB", *over], rows) + not_here(text) + "\n\nCPU time of a run; of a million "
            "operations of larson, xmalloc-test and redis, of which each run has another number.")
