"""What is linked into flowgauge and is not its own: names, versions, licences and their texts (packages/pack asks).

Crates are those of cargo's tree of normal dependencies, without proc-macros; their texts are in the sources that
cargo has. Around them stand SQLite, Rust's library, glibc and libgcc."""

import html, json, pathlib, re, subprocess, sys, textwrap, tomllib, urllib.parse


def said(*words, root=None):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, cwd=root).stdout


class Parts:
    def __init__(self, root, target, libraries):
        self.root, self.target = root, target
        self.packages = ["flowgauge", "flowgauge-slot", "flowgauge-alloc-preload"]
        if (libraries / "libflowgauge_recorder.so").exists():
            self.packages.append("flowgauge-simulate-plugin")
        known = json.loads(said("cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={target}", root=root))
        known = {(one["name"], one["version"]): one for one in known["packages"]}
        locked = tomllib.loads((root / "Cargo.lock").read_text())["package"]
        self.sums = {(one["name"], one["version"]): one.get("checksum") for one in locked}
        self.crates, self.needs = {}, {}
        for package in self.packages: # each is built by itself, with its own features
            words = ["cargo", "tree", "--locked", "-p", package, "-e", "normal,no-proc-macro", "--target", target]
            above = []
            for line in said(*words, "--prefix", "depth", "--format", "|{p}", root=root).splitlines():
                depth, crate = line.split("|")
                name, version = crate.split()[:2]
                key = name, version.removeprefix("v")
                self.crates[key] = known[key]
                above[int(depth):] = [key]
                self.needs.setdefault(key, set())
                for parent in above[:-1][-1:]:
                    self.needs[parent].add(key)
        self.foreign = {key: one for key, one in sorted(self.crates.items()) if one["source"]}
        host = re.search("host: (.*)", said("rustc", "-vV"))[1]
        arch = target.split("-")[0]
        gcc = "gcc" if target == host else f"{arch}-linux-gnu-gcc"
        defined = dict(re.findall(r"#define (\w+) (.*)", said(gcc, "-dM", "-E", "-include", "features.h", "-xc", "-")))
        sqlite = self.folder(next(one for (name, _), one in self.crates.items() if name == "libsqlite3-sys"))
        sqlite = re.search(r'#define SQLITE_VERSION +"(.*)"', (sqlite / "sqlite3/sqlite3.h").read_text())[1]
        self.others = { # name: version, licence
            "gcc-libgcc": (said(gcc, "-dumpfullversion").strip(), "GPL-3.0-or-later WITH GCC-exception-3.1"),
            "glibc": (f"{defined['__GLIBC__']}.{defined['__GLIBC_MINOR__']}", "LGPL-2.1-or-later"),
            "rust-std": (said("rustc", "--version").split()[1], "(MIT OR Apache-2.0) AND Unicode-3.0"),
            "sqlite": (sqlite, "blessing"),
        }
        libc = "libc6-dev" if target == host else f"libc6-dev-{ {'aarch64': 'arm64', 'x86_64': 'amd64'}[arch] }-cross"
        self.libc_notices = pathlib.Path(f"/usr/share/doc/{libc}/copyright")
        self.rust_doc = pathlib.Path(said("rustc", "--print", "sysroot").strip()) / "share/doc/rust"
        for page in [self.libc_notices, self.rust_doc / "COPYRIGHT-library.html"]:
            if not page.exists():
                print(f"left out of THIRD-PARTY: {page} is not here", file=sys.stderr)

    def folder(self, crate):
        return pathlib.Path(crate["manifest_path"]).parent

    def expression(self, crate):
        return (crate["license"] or "NOASSERTION").replace("/", " OR ")

    def licence(self, own):
        """One expression for all that is linked in."""
        every = [own, *(self.expression(one) for one in self.foreign.values()), *(one for _, one in self.others.values())]
        terms = {term.strip("()") for one in every for term in one.split(" AND ")}
        terms = sorted({" OR ".join(sorted(term.split(" OR "))) for term in terms})
        return " AND ".join(f"({term})" if " OR " in term else term for term in terms)

    # The text THIRD-PARTY.

    def text(self, version):
        texts, of_crate = {}, {} # a text without its spaces: (number, text, crates)
        def add(text, whose):
            text = "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip("\n")
            number, _, users = texts.setdefault(" ".join(text.split()), (len(texts) + 1, text, []))
            if whose not in users:
                users.append(whose)
            return number

        lines = []
        for (name, of), crate in self.foreign.items():
            names = re.compile(r"(un)?licen[cs]e|copying|notice|copyright", re.I)
            folder = self.folder(crate)
            found = [one for one in sorted(folder.rglob("*")) if names.match(one.name) and one.is_file() and one.suffix != ".rs"]
            numbers = sorted({add(one.read_bytes().decode(errors="replace"), f"{name} {of}") for one in found})
            by = ", ".join(crate["authors"])
            numbers = ", ".join(map(str, numbers)) or f"no text in its source (by {by}): texts of flowgauge, LICENSE-*"
            lines.append(f"{name} {of}\n    {self.expression(crate)}\n    texts: {numbers}\n")
        rust = self.rust()
        licence = self.rust_doc / "licenses/Unicode-3.0.txt"
        if licence.exists():
            add(licence.read_text(), "rust-std " + self.others["rust-std"][0])
        glibc = "glibc " + self.others["glibc"][0]
        add((self.root / "packages/LGPL-2.1").read_text(), glibc)
        if self.libc_notices.exists():
            add(self.libc_notices.read_text(), glibc)
        made = f"What is built into flowgauge {version} ({self.target}) and was made by others\n\n"
        made += "\n\n".join([*self.around(), rust]) + "\n\n\nCrates, and the numbers of their texts below\n\n" + "".join(lines)
        for number, text, users in texts.values():
            made += f"\n\n{'=' * 100}\n" + textwrap.fill(f"Text {number}, of {', '.join(users)}", 100) + f"\n{'=' * 100}\n\n{text}\n"
        return made.encode()

    def around(self):
        version = {name: version for name, (version, _) in self.others.items()}
        paragraphs = [
            f"glibc {version['glibc']}, the GNU C library, is linked statically into the file `flowgauge`. It is free software under"
            " the GNU Lesser General Public License, version 2.1 or later (LGPL-2.1-or-later; the text is below, with the notices of"
            f" its parts). Its source: https://ftp.gnu.org/gnu/glibc/glibc-{version['glibc']}.tar.xz, with the changes of the"
            " distribution that the file was built on. You may change glibc and link flowgauge with it again: all sources of"
            " flowgauge, and packages/make, which builds and links this file from them, are where you find flowgauge's source; and"
            " you may look into the program to find errors in such changes.",
            f"libgcc {version['gcc-libgcc']} (GCC) is linked in under the GNU General Public License, version 3 or later, with the GCC"
            " Runtime Library Exception 3.1, which permits it in programs under any terms. https://gcc.gnu.org",
            f"SQLite {version['sqlite']} is in the public domain: \"The author disclaims copyright to this source code. In place of"
            " a legal notice, here is a blessing: May you do good and not evil. May you find forgiveness for yourself and forgive"
            " others. May you share freely, never taking more than you give.\" https://sqlite.org",
        ]
        return [textwrap.fill(one, 100, break_long_words=False, break_on_hyphens=False) for one in paragraphs]

    def rust(self):
        version = self.others["rust-std"][0]
        made = f"Rust's standard library {version}: MIT or Apache-2.0, as you like; https://www.rust-lang.org"
        page = self.rust_doc / "COPYRIGHT-library.html"
        if not page.exists():
            return made
        page = page.read_text()
        tree = page[page.index('<h2 id="in-tree-files">'):page.index('<h2 id="out-of-tree-dependencies">')]
        tree = html.unescape(re.sub("<[^>]*>", "", tree))
        tree = "\n".join("    " + " ".join(line.split()) for line in tree.splitlines() if line.strip())
        linked = "cfg-if foldhash gimli hashbrown libc rustc-demangle addr2line adler2 memchr miniz_oxide object"
        others = re.findall(r"<h3>\W*([\w+.-]+?)-(\d[^<]*)</h3>.*?License:</b> ([^<]*)<", page, re.S)
        others = [f"    {name} {of}: {html.unescape(licence).strip()}" for name, of, licence in others if name in linked.split()]
        return "\n".join([made, tree, "    Crates in it", *others])

    # The SBOM.

    def reference(self, key):
        return f"crate:{key[0]}@{key[1]}"

    def components(self):
        made = []
        for key, crate in sorted(self.crates.items()):
            name, version = key
            part = {"type": "library", "bom-ref": self.reference(key), "name": name, "version": version, "scope": "required"}
            if self.sums.get(key):
                part["hashes"] = [{"alg": "SHA-256", "content": self.sums[key]}]
            part["licenses"] = [{"expression": self.expression(crate)}]
            if crate["source"]:
                part["purl"] = f"pkg:cargo/{name}@{urllib.parse.quote(version)}"
            made.append(part)
        for name, (version, licence) in sorted(self.others.items()):
            part = {"type": "library", "bom-ref": name, "name": name, "version": version, "scope": "required"}
            part["licenses"] = [{"expression": licence}]
            part["purl"] = f"pkg:generic/{name}@{version}"
            made.append(part)
        return made

    def dependencies(self, file):
        around = {"gcc-libgcc": [], "glibc": [], "rust-std": ["gcc-libgcc", "glibc"], "sqlite": ["glibc"]}
        own = [self.reference(key) for key in sorted(self.crates) if key[0] in self.packages]
        made = [{"ref": file, "dependsOn": own + ["gcc-libgcc", "glibc", "rust-std"]}]
        for key in sorted(self.crates):
            needs = [self.reference(one) for one in sorted(self.needs[key])] + ["rust-std"]
            made.append({"ref": self.reference(key), "dependsOn": needs + ["sqlite"] * (key[0] == "libsqlite3-sys")})
        return made + [{"ref": name, "dependsOn": needs} for name, needs in sorted(around.items())]
