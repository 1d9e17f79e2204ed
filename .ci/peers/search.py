"""Search beside ripgrep."""
import os
import re

from peers.common import SPREAD, run, table

TITLE = "Search"


def measure(asked):
    if not asked.tree:
        raise FileNotFoundError("no tree to search: --tree FOLDER, such as the sources of Linux")
    run("cargo", "build", "--release", "-q", "-p", "flowgauge")
    environment = {"LARGE_MIB": "550", **os.environ}
    text = run("cargo", "run", "--release", "-q", "-p", "flowgauge-search", "--example", "search_vs_others",
               "--", asked.tree, str(asked.rounds), env=environment)
    for program in ["rg", *filter(None, environment.get("RIPGREPS", "").split(":"))]:
        version = run(program, "--version").split()[1]
        text = re.sub(rf"(?m)  {re.escape(program)}( -|$)", rf"  rg-{version}\1", text)
    tree = os.path.basename(os.path.abspath(asked.tree))
    return f"in {tree}; large files are three of {environment['LARGE_MIB']} MiB\n{text}"


def show(text):
    rows, case, sides, floor = [], "", [], "-"
    ripgrep = re.compile(r"(^|/)rg\S* ")

    def flush():
        peers = [side for side in sides[1:] if ripgrep.search(side[3] + " ")]
        if peers:
            own = sides[0]
            wall, name = min((side[0], side[3]) for side in peers)
            by, cpu = next((side[2], side[4]) for side in peers if side[0] == wall)
            peak = min(side[1] for side in peers)
            rows.append([case, own[0], f"{name} {wall}", by, cpu, floor, own[1], peak])
        sides.clear()

    for line in text.splitlines():
        head = re.match(r"(\S.*), \d+ rounds$", line)
        side = re.match(rf" +([\d.]+) +[\d.]+ +([\d.]+) +\d+ +({SPREAD}) +({SPREAD}) +(\S.*)", line)
        if head:
            flush()
            case, floor = head[1].replace("|", "\\|"), "-"
        elif side and side[11].startswith("floor"):
            floor = side[1]
        elif side:
            sides.append((float(side[1]), float(side[2]), side[3], side[11].split("/")[-1], side[7]))
    flush()
    heads = ["case", "ours, ms", "fastest ripgrep, ms", "ratio, quartiles", "of CPU time", "bound: files read only, ms", "peak, MiB",
             "least of ripgrep's"]
    return table(heads, rows) + "\n\nSearched " + text.partition("\n")[0] + "."
