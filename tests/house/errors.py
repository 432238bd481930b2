#!/usr/bin/env python3
"""Checks that every code of axc and axrun has a page, docs/errors/CODE.md, and that docs/errors.md is made of these pages.

    errors.py check AXC     exit 1, one line per breach
    errors.py planted AXC   each rule finds a planted breach
    errors.py update [BIN]  writes docs/errors.md; with BIN, the folder of axc and axrun, first updates the messages on the pages

A page's heading is the code with its title, `# E0302: sizes differ`. It has a program that provokes the code, the message, and then the
corrected program (pages.py runs both). Only the pages listed below have no program, and say so. docs/errors.md is docs/errors/preface.md
followed by the pages in the order of the codes. `axc explain CODE` prints a page.
"""
import pathlib
import re
import subprocess
import sys

import pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/errors"
JOINED = ROOT / "docs/errors.md"
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.M | re.S)
# E0524 needs a file that changes between two steps of one command; E0810 can only happen in the C interface.
WITHOUT_PROGRAM = {"E0524", "E0810", "E0814", "E0815"}


def explained(axc, *code):
    return subprocess.run([axc, "explain", *code], check=True, capture_output=True, text=True).stdout


def listed(axc):
    """(code, title) of each code, as registered"""
    return [tuple(line.split("  ", 1)) for line in explained(axc).splitlines()]


def read_pages():
    return {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.md"))}


def join(texts):
    """docs/errors.md, of the texts by name"""
    return "\n".join([texts["preface"], *("#" + texts[name] for name in sorted(texts) if name != "preface")])


def breaches_of_page(code, text):
    found = BLOCK.findall(text)
    provoked = [i for i, (kind, shown) in enumerate(found) if kind == "text" and f"[{code}]" in shown]
    if code in WITHOUT_PROGRAM:
        if found:
            yield f"docs/errors/{code}.md has a program, but is listed as one without"
    elif not provoked:
        yield f"docs/errors/{code}.md: no program provokes the code"
    elif not any(kind != "text" for kind, _ in found[provoked[0] + 1:]):
        yield f"docs/errors/{code}.md: no program shows how to mend it"


def breaches(codes, texts, joined):
    """What is wrong with the codes (code, title), the pages (name -> text), and docs/errors.md."""
    titles = dict(codes)
    for code in sorted({code for code, _ in codes if [c for c, _ in codes].count(code) > 1}):
        yield f"{code} is declared twice"
    for code, title in titles.items():
        if code not in texts:
            yield f"{code} ({title}) has no page: write docs/errors/{code}.md, then run scripts/errors"
            continue
        if texts[code].split("\n", 1)[0] != f"# {code}: {title}":
            yield f"docs/errors/{code}.md does not begin with `# {code}: {title}`"
        yield from breaches_of_page(code, texts[code])
    for name in texts:
        if name not in titles and name != "preface":
            yield f"docs/errors/{name}.md is of a code that nothing declares"
    if joined != join(texts):
        yield "docs/errors.md is not made of docs/errors/: run scripts/errors"


def check(axc):
    texts = read_pages()
    yield from breaches(listed(axc), texts, JOINED.read_text())
    for code, _ in listed(axc):
        printed = explained(axc, code)
        lines = [line for line in texts.get(code, "").splitlines() if not line.startswith("```")]
        missing = [line for line in lines if line.removeprefix("# ") not in printed]
        if missing:
            yield f"`axc explain {code}` prints an older page, without `{missing[0]}`: build axc again"


# a change of (codes, texts, joined), and the message of its one breach
PLANTED = [
    (lambda c, t, j: ([*c, ("E9999", "planted")], t, j),
     "E9999 (planted) has no page: write docs/errors/E9999.md, then run scripts/errors"),
    (lambda c, t, j: ([*c, c[0]], t, j), "E0001 is declared twice"),
    (lambda c, t, j: (c[1:], t, j), "docs/errors/E0001.md is of a code that nothing declares"),
    (lambda c, t, j: ([("E0001", "planted"), *c[1:]], t, j), "docs/errors/E0001.md does not begin with `# E0001: planted`"),
    (lambda c, t, j: (c, t, j + "\n"), "docs/errors.md is not made of docs/errors/: run scripts/errors"),
    (lambda c, t, j: changed(c, t, "[E0001]", "[E0002]"), "docs/errors/E0001.md: no program provokes the code"),
    (lambda c, t, j: changed(c, t, r"\n```sh\naxc check model.ax\n```\n", ""), "docs/errors/E0001.md: no program shows how to mend it"),
]


def changed(codes, texts, old, new):
    texts = texts | {"E0001": re.sub(old, new, texts["E0001"]) if old.startswith(r"\n") else texts["E0001"].replace(old, new)}
    return codes, texts, join(texts)


def planted(axc):
    codes, texts = listed(axc), read_pages()
    for change, expected in PLANTED:
        found = list(breaches(*change(codes, texts, join(texts))))
        if found != [expected]:
            yield f"a planted breach gave {found}, not {expected!r}"


def update(binaries=None):
    if binaries:
        pages.renew(sorted(FOLDER.glob("*.md")), pathlib.Path(binaries))
    JOINED.write_text(join(read_pages()))
    return ()


def main():
    rules = {"check": (check, (1,)), "planted": (planted, (1,)), "update": (update, (0, 1))}
    rule, counts = rules.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, ()))
    if len(sys.argv) - 2 not in counts:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = list(rule(*sys.argv[2:]))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
