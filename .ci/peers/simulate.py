"""The simulator beside cachegrind, over programs that are installed."""
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from peers.common import ROOT, SPREAD, ratios, run, table

TITLE = "The simulator"
MATRICES = """
#include <stdio.h>
enum { N = 200 };
static double a[N][N], b[N][N], c[N][N];
int main(void) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = i + j; b[i][j] = i - j; }
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) LOOP;
    printf("%f\\n", c[N / 2][N / 3]);
}
"""
# By columns of b, and by rows of it.
LOOPS = {"columns": "c[i][j] += a[i][k] * b[k][j]", "rows": "c[i][k] += a[i][j] * b[j][k]"}


def programs(folder):
    text = folder / "text"
    text.write_text("".join(f"{n * 7919 % 100003} a line of text, number {n}\n" for n in range(60000)))
    yield "mawk, an array", ["mawk", "BEGIN { for (i = 0; i < 200000; i++) a[i % 5000] += i; print a[17] }"]
    yield "sort", ["sort", "-n", str(text)]
    yield "gzip", ["gzip", "-kc", str(text)]
    yield "sha256sum", ["sha256sum", str(text)]
    yield "perl, a hash", ["perl", "-e", "$h{$_ * 7919 % 50021} += $_ for 1 .. 200000; print scalar keys %h"]
    for name, loop in LOOPS.items():
        source, program = folder / f"{name}.c", folder / name
        source.write_text(MATRICES.replace("LOOP", loop))
        if shutil.which("cc"):
            subprocess.run(["cc", "-O2", "-o", str(program), str(source)], check=True)
            yield f"matrices, by {name}", [str(program)]


def wall_and_cpu(command, folder):
    """CPU time suffers less where others use the machine; but where two processes share the work, it is the sum."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(asked):
    run("cargo", "build", "--release", "-q", "-p", "flowgauge")
    flowgauge = str(ROOT / "target/release/flowgauge")
    sides = {
        "flowgauge": [flowgauge, "simulate", "xeon-x5570,window=1G", "--"],
        "cachegrind": ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", "-q"],
        "emulator": ["qemu-x86_64"],
    }
    missing = [side[0] for side in sides.values() if not shutil.which(side[0])]
    if missing:
        raise FileNotFoundError(f"not installed: {', '.join(missing)} (apt-get install valgrind qemu-user)")
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, program in programs(Path(folder)):
            program[0] = shutil.which(program[0])
            if not program[0]:
                continue
            times = {side: [] for side in sides}
            for _ in range(asked.rounds):
                for side, command in sides.items():
                    times[side].append(wall_and_cpu(command + program, folder))
            ours, theirs = (list(zip(*times[side])) for side in ("flowgauge", "cachegrind"))
            both = [f"ratio {ratios(*pair)}" for pair in zip(ours, theirs)]
            middle = [f"{statistics.median(wall for wall, _ in times[side]):.2f}" for side in sides]
            lines.append(f"{name}: {' '.join(middle)} {' CPU '.join(both)}")
            print(lines[-1], file=sys.stderr)
    return "\n".join(lines)


def show(text):
    shape = rf"(.*): (\S+) (\S+) (\S+) ratio ({SPREAD}) CPU ratio ({SPREAD})"
    rows = [re.fullmatch(shape, line) for line in text.splitlines()]
    rows = [[row[1], row[2], row[3], row[5], row[9], row[4]] for row in rows if row]
    return table(["program", "ours, s", "cachegrind, s", "ratio", "of CPU time", "bound: the emulator alone, s"], rows)
