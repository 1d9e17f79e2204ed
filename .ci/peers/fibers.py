"""Switches, wake-ups and creation of fibers, beside coroutines."""
import re

from peers.common import SPREAD, not_here, ratio, run, table

TITLE = "Fibers"


def measure(asked):
    return run("cargo", "bench", "-q", "-p", "flowgauge-fiber", "--bench", "switch", "--", str(asked.rounds))


OURS = [
    ("fiber packed, 4 words on stack, 192 B", "an ordinary closure, packed"),
    ("fiber guarded, 4 words on stack, 4 KiB", "an ordinary closure, guarded"),
    ("fiber packed", "the best case: live words in registers, packed"),
    ("fiber guarded, 16 KiB", "the best case, guarded"),
]
USED = [
    ("fiber packed, slots used before", "packed, slots used before"),
    ("fiber guarded, 16 KiB, slots used before", "guarded, slots used before"),
]
NO_PEERS = ("fiber", "generator,", "bare", "of it", "read and", "4 words", "in registers")
WORDS = "4 words"


def show(text):
    tables, title, found, rows = [], "", {}, []
    heads = ["what", "flows", "ns, least [median]", "best peer with stacks", "ratio", "best stackless", "ratio", "bound"]

    def best(of):
        peers = {name: cell for name, cell in found.items() if not name.startswith(NO_PEERS) and of(name)}
        return min(peers.items(), key=lambda peer: peer[1][1], default=(None, None))

    # Least by least: on one CPU, whoever else runs there only adds.
    def cells(ours, peer):
        name, its = peer
        return [f"{name} {its[1]:g}", ratio(ours[1], its[1])] if name else ["-", "-"]

    def bound(name):
        is_page = title.startswith("create") and "guarded" in name and "used" not in name
        floor = found.get("bare: a page is mapped, touched, unmapped" if is_page else "bare switch, no API")
        return f"{floor[1]:g}" if floor else "-"

    def flush():
        stacks = best(lambda name: "stackless" not in name)
        what = {"suspend": "wake in random order: ", "create": "create, run, join: ", "values": "values: "}
        what = next((word for head, word in what.items() if title.startswith(head)), "yield: ")
        number = re.search(r"([\d,]+)(?: flows$| at a time|$)", title)
        flows = f"{int(number[1]):,}" if number else ""
        own = [(name, name) for name in found if name.startswith(("4 words", "in registers", "generator,"))]
        for name, shown in OURS + USED if what[0] in "yc" else own:
            if name in found:
                # Coroutines keep as much as the flow beside which they stand.
                words = WORDS in name and any(WORDS in peer for peer in found if "stackless" in peer)
                stackless = best(lambda peer: "stackless" in peer and (WORDS in peer) == words)
                median, low, _ = found[name]
                rows.append([what + shown, flows, f"{low:g} [{median:g}]"]
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
    tables.append(table(heads, rows))
    return "\n".join(tables) + not_here(text)
