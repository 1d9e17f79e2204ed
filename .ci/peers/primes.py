"""The sieve beside primesieve."""
import re

from peers.common import run, table

TITLE = "The sieve"


def measure(asked):
    return run("cargo", "run", "--release", "-q", "-p", "flowgauge-workload", "--example", "primes_vs_primesieve",
               "--", str(asked.rounds))


def show(text):
    number = r"([\d.]+) \(quartiles ([\d.]+)\.\.([\d.]+)"
    found = re.findall(rf"(\d+)\.\.(\d+): \d+ primes\s+ours +{number}.*\s+theirs +{number}.*\s+ratio +{number}", text)
    rows = [[f"{int(end) - int(start):,} from {int(start):,}", ours, theirs, f"{by} [{low} ... {high}]"]
            for start, end, ours, _, _, theirs, _, _, by, low, high in found]
    return table(["numbers", "ours, ms", "primesieve, one thread, ms", "ratio, quartiles"], rows)
