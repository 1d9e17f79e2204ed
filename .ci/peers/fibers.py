"""Switches, wake-ups and creation of fibers, beside coroutines."""
import re

from peers.common import SPREAD, not_here, ratio, run, table

TITLE = "Fibers"


def measure(asked):
    return run("cargo", "bench", "-q", "-p", "flowgauge-fiber", "--bench", "switch", "--", str(asked.rounds))


OURS = [
    ("fiber packed, 4 words on stack, 192 B", "closure, packed"),
    ("fiber guarded, 4 words on stack, 4 KiB", "closure, guarded"),
    ("fiber packed", "registers, packed"),
    ("fiber guarded, 16 KiB", "registers, guarded"),
]
USED = [
    ("fiber packed, slots used before", "used slots, packed"),
    ("fiber guarded, 16 KiB, slots used before", "used slots, guarded"),
]
NO_PEERS = ("fiber", "generator,", "bare", "of it", "read and", "4 words", "in registers")
WORDS = "4 words"
# In the names of rows and peers: what the page needs not.
SHORTER = {" (stackless)": "", "C++20 coroutines": "C++20", "boost.context fcontext, ring, 1,088 B": "boost.context",
           "corosensei, unguarded 4 KiB": "corosensei", "futures polled by hand": "futures",
           "4 words on stack": "stack", "in registers": "registers"}


def shorter(name):
    for long, short in SHORTER.items():
        name = name.replace(long, short)
    return name


def show(text):
    title, found, tables = "", {}, {}
    heads = ["flows", "ns, least [median]", "best peer with stacks", "ratio", "best stackless", "ratio", "bound"]

    def best(of):
        peers = {name: cell for name, cell in found.items() if not name.startswith(NO_PEERS) and of(name)}
        return min(peers.items(), key=lambda peer: peer[1][1], default=(None, None))

    # Least by least: on one CPU, whoever else runs there only adds.
    def cells(ours, peer):
        name, its = peer
        return [f"{shorter(name)} {its[1]:g}", ratio(ours[1], its[1])] if name else ["-", "-"]

    def bound(name):
        is_page = title.startswith("create") and "guarded" in name and "used" not in name
        floor = found.get("bare: a page is mapped, touched, unmapped" if is_page else "bare switch, no API")
        return f"{floor[1]:g}" if floor else "-"

    def flush():
        stacks = best(lambda name: "stackless" not in name)
        what = {"suspend": "wake in random order", "create": "create, run, join", "values": "value"}
        what = next((word for head, word in what.items() if title.startswith(head)), "yield")
        number = re.search(r"([\d,]+)(?: flows$| at a time|$)", title)
        flows = f"{int(number[1]):,}" if number else ""
        own = [(name, shorter(name)) for name in found if name.startswith(("4 words", "in registers", "generator,"))]
        for name, shown in OURS + USED if what[0] in "yc" else own:
            if name in found:
                # Coroutines keep as much as the flow beside which they stand.
                words = WORDS in name and any(WORDS in peer for peer in found if "stackless" in peer)
                stackless = best(lambda peer: "stackless" in peer and (WORDS in peer) == words)
                median, low, _ = found[name]
                tables.setdefault(what, []).append([shown, flows, f"{low:g} [{median:g}]"]
                            + cells(found[name], stacks) + cells(found[name], stackless) + [bound(name)])
        found.clear()

    for line in text.splitlines():
        row = re.match(r"  (.{40,}?) +" + SPREAD, line)
        if row:
            found[row[1].strip()] = tuple(float(row[at]) for at in (2, 3, 4))
        elif re.search(r"flows$|at a time$|^values", line):
            flush()
            title = line
    flush()

    def columns(what, rows):
        """Without columns of which nothing is known."""
        known = [place for place in range(len(rows[0])) if any(row[place] != "-" for row in rows)]
        return [[line[place] for place in known] for line in [[what, *heads], *rows]]

    shown = (columns(what, rows) for what, rows in tables.items())
    return "\n\n".join(table(lines[0], lines[1:]) for lines in shown) + not_here(text)
