"""Messages between ranks, beside a bare loop in C."""
import re
import shutil

from peers.common import run, table

TITLE = "Messages of MPI"


def measure(asked):
    run("cargo", "build", "--release", "-q", "-p", "flowgauge")
    if not (shutil.which("mpicc.openmpi") or shutil.which("mpicc.mpich")):
        raise FileNotFoundError("no MPI is installed (apt-get install openmpi-bin libopenmpi-dev mpich libmpich-dev)")
    return run(".ci/ranks-figures", "target/release/flowgauge", "--bodies", "--launches", str(asked.rounds))


def show(text):
    shape = rf"(\w+): (.*), (\S+ \w+): ([\d.]+) \[([\d.]+) \.\.\. ([\d.]+)\] of bare C \(([\d,]+) and ([\d,]+) ns\)"
    rows = [[body, size.split()[0], mpi, ours, bare, f"{by} [{low} ... {high}]"]
            for mpi, body, size, by, low, high, ours, bare in re.findall(shape, text)]
    return table(["body", "bytes or side", "MPI", "ours, ns", "bound: a bare loop in C, ns", "ratio, quartiles"], rows)
