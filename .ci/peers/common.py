"""What the parts share."""
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPREAD = r"([\d.]+) \[([\d.]+) \.\.\. ([\d.]+)\]"


def run(*command, **more):
    print("+", " ".join(map(str, command)), file=sys.stderr)
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True, **more)
    return done.stdout


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(("| " + " | ".join(str(cell) for cell in line) + " |").replace("|  ", "| ") for line in lines)


def ratios(ours, theirs):
    """The median of the ratios of a round, with the least and the most."""
    by = sorted(a / b for a, b in zip(ours, theirs))
    return f"{statistics.median(by):.2f} [{by[0]:.2f} ... {by[-1]:.2f}]"


def not_here(text):
    """A paragraph for each line of a part's text that names what is missing."""
    missing = re.findall(r"(?m)^not here: (.*)", text.replace(f"{ROOT}/", ""))
    return "".join(f"\n\nNot here: {line}" for line in missing)


def ratio(ours, theirs):
    return f"{ours / theirs:.2f}" if theirs else "-"
