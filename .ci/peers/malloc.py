"""The allocator alone, beside those that are installed."""
import re

from peers.common import ratio, run, table

TITLE = "The allocator"
UNITS = {"grow": "large, ms", "zeros": "large, MB", "sparse": "large, MB"}


def measure(asked):
    run("cargo", "build", "--release", "-q", "-p", "flowgauge-alloc-preload")
    return run("cargo", "bench", "-q", "-p", "flowgauge-alloc", "--bench", "allocators", "--", str(asked.rounds))


def show(text):
    """`12.3 (1.00 [0.98, 1.02])` a cell, a line for each allocator under a line of heads."""
    rows, what, heads, found, version = [], "", [], {}, "mimalloc"

    def flush():
        nonlocal version
        version = next((name for name in ("mimalloc 3", "mimalloc 2") if name in found), version)
        for place, head in enumerate(heads):
            cells = {name: own[place] for name, own in found.items()}
            ours = cells.pop("core-aware", None)
            if ours and cells:
                name, best = min(cells.items(), key=lambda cell: cell[1])
                mimalloc = cells.get(version)
                rows.append([UNITS.get(head, what), head, f"{ours:g}", f"{mimalloc:g}" if mimalloc else "-", ratio(ours, mimalloc),
                             *(["", ""] if name == version else [f"{name} {best:g}", ratio(ours, best)])])
        found.clear()

    for line in text.splitlines():
        cells = re.findall(r"([\d.]+) \([\d.]+ \[[\d.]+, [\d.]+\]\)", line)
        if "ratio to libc" in line:
            flush()
            what, heads = re.sub(r"(\d+) threads", r"\1", line.split(", ")[0].strip()) + ", " + line.split(": ")[1].split()[0], []
        elif cells:
            found[line[:12].strip()] = [float(cell) for cell in cells]
        elif line.startswith(" " * 12) and not heads:
            heads = line.split()
    flush()
    heads = ["threads, unit (ns: of CPU)", "blocks of, or what", "ours", version, "ratio", "a peer faster than mimalloc", "ratio"]
    return table(heads, rows)
