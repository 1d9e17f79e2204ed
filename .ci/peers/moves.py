"""Moves of flows between processes, beside a copy through a ring."""
import csv
import tempfile
from pathlib import Path

from peers.common import ratio, run, table

TITLE = "Moves"


def measure(asked):
    """Of each case and variant: the median of ns a move, with its interval."""
    run("cargo", "build", "--release", "-q", "-p", "flowgauge")
    with tempfile.TemporaryDirectory() as folder:
        run("target/release/flowgauge", "migrate", "--case", "pipelined,pipelined-same-cpu", "--bytes", "256",
            "--rounds", str(max(asked.rounds, 7)), "--out", folder)
        rows = csv.DictReader((Path(folder) / "quantities.csv").read_text().splitlines())
        return "\n".join(f"{row['case']}: {row['subject']}: {row['estimate']} {row['low']} {row['high']}"
                         for row in rows if row["quantity"] == "time" and not row["reference"])


def show(text):
    cases = {}
    for line in text.splitlines():
        case, what, numbers = line.split(": ")
        cases.setdefault(case, {})[what] = tuple(map(float, numbers.split()))
    rows = []
    for case, found in cases.items():
        where = "one CPU" if "same-cpu" in case else "two CPUs"
        shown = {what: f"{middle:.1f} [{low:.1f} ... {high:.1f}]" for what, (middle, low, high) in found.items()}
        for what, goal in {"moved flow": 50, "by copy": 150}.items():
            rows.append([where, what, shown[what], goal, shown["memcpy"], ratio(found[what][0], found["memcpy"][0])])
    return table(["processes on", "256 flows of 256 B", "ns a move", "goal", "bound: memcpy through a ring", "ratio"], rows)
