"""A function of your own over many items: threads, processes or subinterpreters of Python, which is
better, by how much, and how sure is that.

    import flowgauge

    def work(n):
        return sum(i * i for i in range(n))

    if __name__ == "__main__":
        print(flowgauge.compare(work, [100_000] * 64))

Each launch is a fresh interpreter that runs the function over all items with one kind of workers. The
program flowgauge launches them in random order, checks that all find the same results (their repr), and
answers. Start-up of the interpreter is part of each launch: choose items that take some tenths of a second.
What a function prints goes to standard error, and hashes of strings are the same in all launches.

Python 3.9 or later, for other interpreters that are compared too.
"""

import concurrent.futures as futures
import hashlib
import itertools
import json
import multiprocessing
import os
import pickle
import runpy
import shlex
import shutil
import subprocess
import sys
import time

__all__ = ["MODELS", "Answer", "compare"]

#: Kinds of workers that this interpreter has, the reference first.
MODELS = ["serial", "threads"] + multiprocessing.get_all_start_methods()
if hasattr(futures, "InterpreterPoolExecutor"):
    MODELS.append("interpreters")


#: Folder of results and jobs.
RESULTS = "flowgauge-results"
#: In the environment of a launch.
LAUNCHED = "FLOWGAUGE_PYTHON_LAUNCH"
#: Where this interpreter's own modules lie, which another interpreter has for itself.
INSTALLED = (os.path.abspath(sys.prefix), os.path.abspath(sys.base_prefix))

_runs = itertools.count()


class Answer:
    """What a run found: `text` as on a terminal, `findings` as data, `folder` with the report."""

    def __init__(self, text, folder):
        self.text, self.folder = text, folder
        with open(os.path.join(folder, "findings.json"), encoding="utf-8") as file:
            self.findings = json.load(file)

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        escaped = self.text.replace("&", "&amp;").replace("<", "&lt;")
        return f"<pre>{escaped}</pre>"


def compare(function, items, models=None, workers=None, pythons=None, options=()):
    """Runs `function` over `items` with each of `models`, by `workers` workers each.

    models   kinds of workers, the reference first; default: all that there are (MODELS)
    workers  number of workers; default: one for each CPU
    pythons  interpreters to compare, such as ["python3.13", "python3.13t"]; default: this one
    options  further options of `flowgauge exec`, such as ["--budget", "60s"]

    Raises ValueError for a function that other interpreters cannot import, RuntimeError with the words of
    flowgauge where a run fails, FileNotFoundError where the program is missing.
    """
    if os.environ.get(LAUNCHED):
        raise RuntimeError("compare is called where a launch imports the program: put the call under if __name__ == '__main__'")
    if not callable(function):
        raise TypeError(f"{function!r} is no function")
    for name, given in [("models", models), ("pythons", pythons), ("options", options)]:
        if isinstance(given, str):
            raise TypeError(f"{name} is a list, such as [{given!r}]")
    if workers is not None and not (isinstance(workers, int) and workers > 0):
        raise ValueError(f"workers is a number from 1 on, and not {workers!r}")
    items, models = list(items), list(models or MODELS)
    unknown = [model for model in models if model not in MODELS]
    if unknown:
        raise ValueError(f"no workers of the kind {unknown[0]!r} here: use {', '.join(MODELS)}")
    if not items:
        raise ValueError("no items: there is nothing to do")
    workers = workers or len(os.sched_getaffinity(0))
    out = _out(options)
    job = _kept(_job(function, items))
    words = [_program(), "exec", "--same-output", "--work", str(len(items))]
    for python in pythons or [sys.executable]:
        for model in models:
            name = model if not pythons else f"{model} {python}"
            line = [python, os.path.abspath(__file__), model, str(workers), job]
            words += ["--variant", f"{name}={shlex.join(line)}"]
    options = list(options) if "--out" in options else [*options, "--out", out]
    settings = {**os.environ, LAUNCHED: "1", "PYTHONHASHSEED": "0"}
    asked = subprocess.run([*words, *options], capture_output=True, text=True, env=settings)
    if asked.returncode not in (0, 1, 3):
        errors = [line for line in asked.stderr.splitlines() if not line.startswith("exec commands: look")]
        raise RuntimeError("\n".join(errors).strip())
    return Answer(asked.stdout, out)


def _out(options):
    """The results folder: that of the options, or a new one."""
    options = list(options)
    if "--out" in options:
        return os.path.abspath(options[options.index("--out") + 1])
    return os.path.abspath(f"{RESULTS}/{time.strftime('%Y-%m-%dT%H-%M-%SZ', time.gmtime())}-python-{os.getpid()}-{next(_runs)}")


def _kept(job):
    """The job as a file, which stays: a run that is taken up needs it again."""
    os.makedirs(RESULTS, exist_ok=True)
    path = os.path.abspath(f"{RESULTS}/{hashlib.sha256(job).hexdigest()[:16]}.job")
    with open(path, "wb") as file:
        file.write(job)
    return path


def _program():
    found = os.environ.get("FLOWGAUGE") or shutil.which("flowgauge")
    if not found:
        raise FileNotFoundError("the program flowgauge is not on the PATH: build it (README), or name it in FLOWGAUGE")
    return found


def _job(function, items):
    """What a fresh interpreter needs: where modules lie, the program itself, and then the work."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    try:
        work = pickle.dumps((function, items), 4)
    except Exception as error:
        raise ValueError(f"{function!r} and its items cannot be sent to another interpreter: {error}") from error
    if function.__module__ == "__main__" and not (main and os.path.isfile(main)):
        raise ValueError(f"{function.__qualname__} is defined in a session: put it into a module, which others can import")
    own = [os.path.abspath(path) for path in sys.path if not os.path.abspath(path).startswith(INSTALLED)]
    return pickle.dumps((own, main and os.path.abspath(main)), 4) + work


def _pool(model, workers):
    if model == "threads":
        return futures.ThreadPoolExecutor(workers)
    if model == "interpreters":
        return futures.InterpreterPoolExecutor(workers)
    return futures.ProcessPoolExecutor(workers, multiprocessing.get_context(model))


def _launch(model, workers, job):
    """One launch: prints a checksum of the results."""
    answers = os.dup(1)
    os.dup2(2, 1)
    with open(job, "rb") as file:
        own, main = pickle.load(file)
        sys.path += [path for path in own if path not in sys.path]
        if main:
            # As multiprocessing does: the program without what it does as a program.
            names = runpy.run_path(main, run_name="__mp_main__")
            sys.modules["__main__"].__dict__.update(names)
            sys.modules["__main__"].__file__ = main
        function, items = pickle.load(file)
    if model == "serial":
        results = [function(item) for item in items]
    else:
        chunk = max(1, len(items) // (4 * workers))
        with _pool(model, workers) as pool:
            results = list(pool.map(function, items, chunksize=chunk))
    os.write(answers, hashlib.sha256(repr(results).encode()).hexdigest().encode() + b"\n")


if __name__ == "__main__":
    _launch(sys.argv[1], int(sys.argv[2]), sys.argv[3])
