#!/usr/bin/env python3
"""Runs the code blocks of the pages for users and compares their output: pages.py RULE BIN, where BIN holds the built axc and axrun; exit 1
and one line per breach.

    pages      README.md, docs/*.md and docs/errors/*.md are right (docs/errors.md is made of the latter: errors.py; docs/mistakes.md
               is made and run by tests/mistakes)
    planted    a page with one wrong block gives one breach
    update     not a rule: rewrites the output that the pages show (look at the diff)

A page has four kinds of block. They are run in order, in a copy of the repository whose build/release/bin is BIN and on the PATH. Each page
gets a fresh copy, except that the pages of docs/errors share one.

    ```sh      is run as typed
    ```ax      is written to a file (`example.ax`, or the name that follows, as in ```ax layers.ax) and given to `axc check`
    ```repl    is a session of `axc repl`: text after `> `, or after `. ` if an entry continues, is typed, and the terminal must
               show the whole block
    ```text    right after one of these is what the terminal shows; there and in a session, `...` stands for any text within a
               line, or for any lines if it is alone on a line

Commands must succeed; a program that must be refused is followed by a text with its `error[`. Blocks that begin with scripts/demo or
scripts/test are not run, since they build and run this test; their scripts must exist.
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*) ?(\S*)\n(.*?)^```$", re.M | re.S)
WHOLE_BUILDS = re.compile(r"scripts/(demo|test)\b")
# A build with sanitizers prints this when an allocation fails; a page may show a failing allocation.
OF_SANITIZERS = re.compile(r"^==\d+==WARNING: AddressSanitizer failed to allocate .*\n", re.M)


def blocks(text):
    """(line, kind, name, text) of each fenced block."""
    return [(text.count("\n", 0, m.start()) + 1, m[1], m[2], m[3]) for m in BLOCK.finditer(text)]


def alike(shown, written):
    lines = ["(.*\n)*" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + "\n"
             for line in written.strip().splitlines()]
    return re.fullmatch("".join(lines), shown.strip() + "\n") is not None


def on_terminal(command, folder):
    """(exit code, what a terminal without colours shows)"""
    master, slave = pty.openpty()
    path = f"{folder / 'build/release/bin'}:{os.environ['PATH']}"
    child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                             env={**os.environ, "NO_COLOR": "1", "AXLE_INSTRUCTION_SET": "plain", "PATH": path})
    os.close(slave)
    shown = b""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:                                    # the last writer has closed it
            break
    os.close(master)
    return child.wait(), OF_SANITIZERS.sub("", shown.decode().replace("\r\n", "\n"))


def run(kind, name, text, folder):
    """(exit code, what the terminal shows)"""
    if kind == "ax":
        (folder / (name or "example.ax")).write_text(text)
        return on_terminal(["axc", "check", name or "example.ax"], folder)
    if kind == "repl":
        typed = [line[2:] for line in text.splitlines() if line.startswith(("> ", ". ")) or line in (">", ".")]
        (folder / "session.in").write_text("\n".join(typed) + "\n")
        return on_terminal(["bash", "-c", "axc repl --echo <session.in"], folder)
    if WHOLE_BUILDS.match(text):
        missing = [word for word in text.split() if word.startswith("scripts/") and not (ROOT / word).is_file()]
        return len(missing), "".join(f"there is no {word}" for word in missing)
    return on_terminal(["bash", "-e", "-c", text], folder)


def breaches(page, written, folder):
    """What is wrong with the blocks of one page."""
    found = blocks(written)
    for (line, kind, name, text), (_, next_kind, _, after) in zip(found, [*found[1:], (0, "", "", "")]):
        if kind == "text":
            continue
        if kind == "repl":
            _, shown = run(kind, name, text, folder)
            if not alike(shown, text):
                yield f"{page}:{line}: the session shows\n{shown}"
            continue
        if kind not in ("sh", "ax"):
            yield f"{page}:{line}: a block that nothing runs: `{kind}`"
            continue
        code, shown = run(kind, name, text, folder)
        expected = after if next_kind == "text" else None
        refused = kind == "ax" and expected is not None and "error[" in expected
        if code != (1 if refused else 0):
            yield f"{page}:{line}: exit {code}:\n{shown}"
        elif expected is not None and not alike(shown, expected):
            yield f"{page}:{line}: the terminal shows\n{shown}"
    for line in [line for (line, kind, _, _), before in zip(found, [(0, "text"), *found]) if kind == before[1] == "text"]:
        yield f"{page}:{line}: a text that no block shows"
    if written.count("\n```") + written.startswith("```") != 2 * len(found):
        yield f"{page}: a fence that is not one of a block's two"


def renewed(written, folder):
    """The page with each text as the terminal shows it now; where lines with `...` still fit, they stay."""
    parts, end, shown = [], 0, ""
    for found in BLOCK.finditer(written):
        if found[1] == "repl":
            shown = run("repl", "", found[3], folder)[1]
            parts += [written[end:found.start(3)], found[3] if alike(shown, found[3]) else shown]
            end = found.end(3)
        elif found[1] != "text":
            shown = run(found[1], found[2], found[3], folder)[1]
        elif not alike(shown, found[3]):
            kept = [line for line in found[3].splitlines() if "..." in line and line != "..."]
            lines = [next((old for old in kept if alike(line, old)), line) for line in shown.strip().splitlines()]
            parts += [written[end:found.start(3)], "\n".join(lines), "\n"]
            end = found.end(3)
    return "".join([*parts, written[end:]])


def house(scratch, binaries):
    folder = pathlib.Path(scratch) / "axle"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".git", "build", "__pycache__", "node_modules"))
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/bin").symlink_to(binaries.resolve())
    return folder


def all_pages():
    return [ROOT / "README.md", *sorted(set((ROOT / "docs").glob("*.md")) - {ROOT / "docs/errors.md", ROOT / "docs/mistakes.md"}),
            *sorted((ROOT / "docs/errors").glob("*.md"))]


def on_each(paths, binaries, use):
    """use(path, folder) for each path; the folder is a copy of the repository, without what other pages made."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = house(scratch, binaries)
        own = set(folder.iterdir())
        for path in paths:
            yield from use(path, folder)
            for made in set(folder.iterdir()) - own if path.parent.name != "errors" else ():
                shutil.rmtree(made) if made.is_dir() and not made.is_symlink() else made.unlink()


def renew(paths, binaries):
    def use(path, folder):
        path.write_text(renewed(path.read_text(), folder))
        return ()
    list(on_each(paths, binaries, use))


def update(binaries):
    renew(all_pages(), binaries)
    yield from ()


def pages(binaries):
    paths = all_pages()
    if not any(blocks(path.read_text()) for path in paths):
        yield "the pages have no blocks"
    yield from on_each(paths, binaries, lambda path, folder: breaches(path.relative_to(ROOT).as_posix(), path.read_text(), folder))


# a page, and the page after an update
RENEWED = [
    ("```repl\n> 1 + 1\nno\n```\nA.\n", "```repl\n> 1 + 1\ni64 []\n  2\n```\nA.\n"),
    ("```sh\necho a 1; echo b\n```\nA.\n```text\na ...\nc\n```\nB.\n",
     "```sh\necho a 1; echo b\n```\nA.\n```text\na ...\nb\n```\nB.\n"),
    ("```sh\necho a\n```\n```text\n...\n```\n", "```sh\necho a\n```\n```text\n...\n```\n"),
]

# a page, and the message of its one breach, or None
GOOD, BAD = "x = 1i32;\n", "x = 1i32 + 1i64;\n"
PLANTED = [
    ("```sh\necho a; echo b\n```\n```text\na\n...\n```\n", None),
    ("```sh\necho a\n```\n```text\nb\n```\n", "p.md:1: the terminal shows\na"),
    ("```sh\nfalse\ntrue\n```\n", "p.md:1: exit 1"),
    ("```sh\naxc --version\n```\n", None),
    ("```repl\n> f = fn (x) {\n.   x }\nf : (x : a) -> a\n```\n", None),
    ("```repl\n> 1 + 1\ni... []\n  2\n```\n", None),
    ("```repl\n> 1 + 1\ni64 []\n  3\n```\n", "p.md:1: the session shows\n> 1 + 1"),
    ("```text\na\n```\n", "p.md:1: a text that no block shows"),
    ("```sh\necho a\n```\n```text\na\n```\n```text\nb\n```\n", "p.md:7: a text that no block shows"),
    ("```python\nprint()\n```\n", "a block that nothing runs: `python`"),
    ("```sh\necho a\n", "a fence that is not one of a block's two"),
    (f"```ax\n{GOOD}```\n", None),
    (f"```ax\n{GOOD}```\n```text\nx : i32\n```\n", None),
    (f"```ax\n{GOOD}```\n```text\nx : i64\n```\n", "p.md:1: the terminal shows\nx : i32"),
    (f"```ax\n{GOOD}```\n```text\nerror[E0304]...\n```\n", "p.md:1: exit 0"),
    (f"```ax\n{BAD}```\n", "p.md:1: exit 1"),
    (f"```ax\n{BAD}```\n```text\n...\n```\n", "p.md:1: exit 1"),
    (f"```ax\n{BAD}```\n```text\nerror[E0304]...\n...\n```\n", None),
    (f"```ax\n{BAD}```\n```text\nerror[E0302]...\n...\n```\n", "p.md:1: the terminal shows\nerror[E0304]"),
    (f"```ax a.ax\n{GOOD}```\n```ax\nimport a; y = a.x;\n```\n```text\ny : i32\n```\n", None),
]


def planted(binaries):
    with tempfile.TemporaryDirectory() as scratch:
        folder = house(scratch, binaries)
        for page, expected in PLANTED:
            found = list(breaches("p.md", page, folder))
            right = not found if expected is None else len(found) == 1 and expected in found[0]
            if not right:
                yield f"{page!r} gave {found}, not {expected!r}"
        for page, expected in RENEWED:
            if (found := renewed(page, folder)) != expected:
                yield f"{page!r} became {found!r}, not {expected!r}"


RULES = {"pages": pages, "planted": planted, "update": update}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in RULES:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(RULES[sys.argv[1]](pathlib.Path(sys.argv[2])))
    print(*found, f"{sys.argv[1]}: {len(found)} breaches", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
