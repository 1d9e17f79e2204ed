"""A function of your own over many items: threads, processes or subinterpreters of Python, which is
better, by how much, and how sure is that.

    import flowgauge

    def work(n):
        return sum(i * i for i in range(n))

    if __name__ == "__main__":
        print(flowgauge.compare(work, [100_000] * 64))

Each launch is a fresh interpreter that runs the function over all items with one kind of workers. The
program flowgauge launches them in random order, checks that all find the same results (their repr), and
answers. A kind of workers under which the function fails is given up, and the others have their answer. Start-up of the interpreter is part of each launch: choose items that take some tenths of a second.
What a function prints goes to standard error, and hashes of strings are the same in all launches.

Python 3.9 or later, for other interpreters that are compared too.
"""

import sys

#: The oldest Python that runs this, as the caller's and as a compared one.
LEAST = (3, 9)
if sys.version_info < LEAST:
    raise ImportError("flowgauge needs Python %d.%d or later, and %s is %d.%d" % (LEAST + (sys.executable,) + sys.version_info[:2]))

import concurrent.futures as futures
import hashlib
import importlib
import itertools
import json
import multiprocessing
import os
import pickle
import runpy
import shlex
import shutil
import subprocess
import sysconfig
import time
import traceback

__all__ = ["MODELS", "Answer", "Failed", "compare"]

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


class Failed(RuntimeError):
    """A run of which a part failed, with the words of flowgauge; `answer` is that of the other kinds of workers,
    or None where none had results."""

    def __init__(self, text, answer):
        super().__init__(text)
        self.answer = answer


def compare(function, items, models=None, workers=None, pythons=None, options=()):
    """Runs `function` over `items` with each of `models`, by `workers` workers each.

    models   kinds of workers, the reference first; default: all that there are (MODELS)
    workers  number of workers; default: one for each CPU
    pythons  interpreters to compare, such as ["python3.13", "python3.13t"]; default: this one
    options  further options of `flowgauge exec`; without --budget or --rounds among them a minute is enough

    Raises ValueError for a function that other interpreters cannot import, Failed where it fails under a kind of
    workers (its `answer` is that of the others), FileNotFoundError where a program is missing.
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
    items, models, options = list(items), list(models or MODELS), [os.fspath(one) for one in options]
    unknown = [model for model in models if model not in MODELS]
    if unknown:
        raise ValueError(f"no workers of the kind {unknown[0]!r} here: use {', '.join(MODELS)}")
    if not items:
        raise ValueError("no items: there is nothing to do")
    workers = workers or len(os.sched_getaffinity(0))
    for python in pythons or []:
        _check_python(python)
    options, out = _out(options)
    if not any(word.partition("=")[0] in ("--budget", "--rounds", "--resume") for word in options):
        options += ["--budget", "60s"]
    job = _kept(_job(function, items))
    # A launch that does not come to its end has no checksum: two of them would be the same.
    words = [_program(), "exec", "--same-output", "--check-output", "^[0-9a-f]{64}", "--work", str(len(items))]
    for python in pythons or [sys.executable]:
        for model in models:
            name = model if not pythons else f"{model} {python}"
            line = [python, os.path.abspath(__file__), model, str(workers), job]
            words += ["--variant", f"{name}={shlex.join(line)}"]
    settings = {**os.environ, LAUNCHED: "1", "PYTHONHASHSEED": "0"}
    asked = subprocess.run([*words, *options, "--out=" + out], capture_output=True, text=True, errors="replace", env=settings)
    has_results = os.path.isfile(os.path.join(out, "findings.json"))
    if asked.returncode in (0, 1, 3) and has_results:
        return Answer(asked.stdout, out)
    errors = [line for line in asked.stderr.splitlines() if not line.startswith("exec commands: look")]
    answer = Answer(asked.stdout, out) if has_results else None
    raise Failed("\n".join(errors).strip() or f"flowgauge ended with {asked.returncode}", answer)


def _out(options):
    """The options without a results folder, and the folder: that of the options, or a new one."""
    name = f"{time.strftime('%Y-%m-%dT%H-%M-%SZ', time.gmtime())}-python-{os.getpid()}-{next(_runs)}"
    out, left, words = os.path.join(RESULTS, name), [], iter(options)
    for word in words:
        if word == "--out":
            out = next(words, None)
            if not out:
                raise ValueError("--out has no folder: name one behind it")
        elif word.startswith("--out="):
            out = word[len("--out="):]
        else:
            left.append(word)
    return left, os.path.abspath(out)


def _check_python(python):
    """That another interpreter is there and can run this."""
    asked = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
    version = tuple(int(word) for word in asked.stdout.split())
    if asked.returncode or version < LEAST:
        found = ".".join(map(str, version)) or asked.stderr.strip()
        raise ValueError(f"{python} is no Python of {LEAST[0]}.{LEAST[1]} or later: {found}")


def _kept(job):
    """The job as a file, which stays: a run that is taken up needs it again."""
    os.makedirs(RESULTS, exist_ok=True)
    path = os.path.abspath(f"{RESULTS}/{hashlib.sha256(job).hexdigest()[:16]}.job")
    with open(path, "wb") as file:
        file.write(job)
    return path


def _program():
    # A wheel puts it among the scripts of this interpreter, which need not be on the PATH.
    own = shutil.which("flowgauge", path=sysconfig.get_path("scripts"))
    found = os.environ.get("FLOWGAUGE") or own or shutil.which("flowgauge")
    if not found:
        raise FileNotFoundError("the program flowgauge is not on the PATH: install it (README), or name it in FLOWGAUGE")
    return found


def _job(function, items):
    """What a fresh interpreter needs: where modules lie, the program itself, and then the work."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    try:
        work = pickle.dumps((function, items), 4)
    except Exception as error:
        raise ValueError(
            f"{getattr(function, '__qualname__', function)} or its items cannot be sent to another interpreter (pickle says: "
            f"{error}): use a function at the top of a module, and items that pickle knows"
        ) from error
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


#: The exit code of a child that came back from a function; no other child has it.
CAME_BACK = 197
_forks = []
os.register_at_fork(after_in_parent=lambda: _forks or _forks.append(True))


class _Guarded:
    """A function whose forks must not come back: two processes would answer."""

    def __init__(self, function, name):
        self.function, self.name = function, name

    def __call__(self, item):
        before = os.getpid()
        try:
            return self.function(item)
        finally:
            if os.getpid() != before:
                os._exit(CAME_BACK)
            if _forks:
                _check_children()


def _check_children():
    """Children that come back have a second for that; none is reaped, as it may be waited for."""
    until = time.monotonic() + 1
    while time.monotonic() < until:
        try:
            child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if child and child.si_status == CAME_BACK:
            raise RuntimeError("it forks, and the child returns from it: end the child by os._exit")
        time.sleep(0.01)


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
    name = f"{getattr(function, '__qualname__', function)} under {model}"
    if model != "interpreters":
        # By a name that every worker can import. No subinterpreter may fork.
        function = importlib.import_module("flowgauge")._Guarded(function, name)
    try:
        if model == "serial":
            results = [function(item) for item in items]
        else:
            chunk = max(1, len(items) // (4 * workers))
            with _pool(model, workers) as pool:
                results = list(pool.map(function, items, chunksize=chunk))
    except Exception as error:
        traceback.print_exc()
        sys.exit(f"{name} failed: {type(error).__name__}: {error}")
    os.write(answers, hashlib.sha256(repr(results).encode()).hexdigest().encode() + b"\n")


if __name__ == "__main__":
    _launch(sys.argv[1], int(sys.argv[2]), sys.argv[3])
