"""What the parts share."""
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
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def ratio(ours, theirs):
    return f"{ours / theirs:.2f}" if theirs else "-"
