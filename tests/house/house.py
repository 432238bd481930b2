#!/usr/bin/env python3
"""Rules of the repository that no compiler checks: house.py RULE [ROOT], exit 1 and one line per breach.

    includes   folders include each other in one direction: tools -> driver -> backend, import; backend -> ir, runtime;
               ir, import -> typecheck -> frontend, dims; ir, import, backend -> patterns; all of them -> io
    readmes    each folder has a README of about ten lines
    paths      no file contains a path of the machine that it was written on
    mentions   every file that a page or a comment names exists
    sizes      no source file has more than 500 lines, except tables of data
    classes    no class has its methods in more than two files
    planted    each rule finds exactly one breach in a copy of the repository with one breach planted
"""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What each folder ("room") may include. The compiler's folders may use the runtime, to fold constants and to run.
MAY_INCLUDE = {
    "io": {"io"},
    "dims": {"dims", "io"},
    "runtime": {"runtime", "dims", "io"},
    "grammar": {"grammar"},
    "frontend": {"frontend", "grammar", "stdlib", "io"},
    "typecheck": {"typecheck", "frontend", "dims", "io"},
    "patterns": {"patterns"},
    "ir": {"ir", "patterns", "typecheck", "frontend", "dims", "runtime", "io"},
    "import": {"import", "patterns", "typecheck", "frontend", "dims", "io"},
    "backend": {"backend", "ir", "patterns", "typecheck", "frontend", "dims", "runtime", "io"},
    "driver": {"driver", "backend", "import", "ir", "patterns", "typecheck", "frontend", "dims", "runtime", "io"},
    "tools": {"tools", "driver", "backend", "import", "ir", "patterns", "typecheck", "frontend", "dims", "runtime", "io"},
}
# Headers that other folders may not include.
PRIVATE = re.compile(r"frontend/(consequent_errors|layout_document|layout|layout_constructs|line_tokens|literals|syntax_errors|utf8|tokens|transform|parse_tree|foreign_syntax)\.h")
ROOMS = set(MAY_INCLUDE) | {"stdlib", "tests", "bench", "examples"}
# On a device there is no compiler, and static libstdc++ with its streams is too large.
DEVICE_FILES = re.compile(r"(io|runtime|driver/run)/|dims/(arithmetic|relation|evaluate|windows)|tools/axrun\b")
DEVICE_MAY_INCLUDE = {"io", "dims", "runtime", "driver", "tools"}
STREAMS = {"iostream", "fstream", "sstream", "ostream", "istream", "iomanip"}
NOT_ON_DEVICES = re.compile(r"antlr4-runtime|z3|google/protobuf|CLI/")

FOLDERS = ["io", "dims", "runtime", "grammar", "frontend", "typecheck", "patterns", "ir", "import", "backend", "driver", "stdlib", "tools", "tests",
           "cmake", "scripts", "bench", "examples", "docs", "editors"]
SOURCES = {".h", ".cc", ".c"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
MACHINE_PATH = re.compile(r"(?<![\w./-])/(work|home|root|Users|farm|mnt|opt)/[\w.]")
MENTION = re.compile(r"(?<![\w/.-])((?:\w+/)+\w+\.(?:h|cc|py|md|def|proto|ax|g4))\b")
BARE_MENTION = re.compile(r"`(\w+\.(?:h|cc|py|def|proto))`")
PAGE_MENTION = re.compile(r"(?<![\w/.-])([A-Z]{2,}\.md)\b")
GENERATED = {"bundle.nano.h"}
MOST_LINES = 500
# Tables of data, and programs that are lists of cases.
DATA = {"tests/oracle/make_operators.py", "tests/oracle/models.py", "tests/operators/make_cases.py",
        "tests/runtime/make_goldens.py", "tests/stdlib/make_goldens.py"}
# A method's definition at a line's beginning: `bool Parser::next(`, `Parser::Parser(`.
METHOD = re.compile(r"^(?:\w[\w:<>,*&\[\] ]+[ *&])?([A-Z]\w*)(?:<\w+>)?::~?\w+\(", re.M)
NOT_OURS = {".git", "build", "node_modules", "__pycache__"}


def files(root):
    """Every file of the repository, without build outputs."""
    for path in sorted(root.iterdir()):
        if path.name in NOT_OURS or path.is_symlink():
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def includes(root):
    for path in files(root):
        name = path.relative_to(root).as_posix()
        room = name.split("/")[0]
        if path.suffix not in SOURCES or room not in MAY_INCLUDE:
            continue
        on_device = DEVICE_FILES.match(name)
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            target = found[1]
            other = target.split("/")[0]
            if other in ROOMS and other not in MAY_INCLUDE[room]:
                yield f'{name}:{number}: {room}/ may not include "{target}"'
            elif other != room and PRIVATE.fullmatch(target):
                yield f'{name}:{number}: "{target}" is for {other}/ alone'
            elif on_device and (other in ROOMS - DEVICE_MAY_INCLUDE or NOT_ON_DEVICES.match(target)):
                yield f'{name}:{number}: a device has no "{target}"'
            elif on_device and target in STREAMS:
                yield f"{name}:{number}: <{target}> would cost a device half a megabyte"
            elif ".." in target.split("/"):
                yield f'{name}:{number}: "{target}" is not written from the repository\'s root'


def readmes(root):
    for folder in FOLDERS:
        page = root / folder / "README.md"
        if not (root / folder).is_dir():
            continue
        if not page.is_file():
            yield f"{folder}/ has no README.md"
        elif not 5 <= len(page.read_text().splitlines()) <= 20:
            yield f"{folder}/README.md is not about ten lines long"


def paths(root):
    for path in files(root):
        text = path.read_bytes()
        if b"\0" in text:
            continue
        text = text.decode(errors="replace")
        if not MACHINE_PATH.search(text):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line):
                yield f"{path.relative_to(root).as_posix()}:{number}: a machine's path: {line.strip()[:100]}"


def mentions(root):
    there = {path.relative_to(root).as_posix() for path in files(root)}
    names = {name.rsplit("/", 1)[-1] for name in there}
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SOURCES | {".md"} or name.startswith("docs/errors"):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if path.suffix in SOURCES and "//" not in line:
                continue
            for full in MENTION.findall(line):
                if full.split("/")[0] in ROOMS and full not in there:
                    yield f"{name}:{number}: there is no {full}"
            for page in PAGE_MENTION.findall(line):
                if page not in names:
                    yield f"{name}:{number}: there is no {page}"
            for bare in BARE_MENTION.findall(line) if path.name == "README.md" else []:
                if bare not in names and bare not in GENERATED:
                    yield f"{name}:{number}: there is no {bare}"


def sizes(root):
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SOURCES | {".py"} or name in DATA:
            continue
        length = path.read_text(errors="replace").count("\n")
        if length > MOST_LINES:
            yield f"{name}: {length} lines, more than {MOST_LINES}"


def classes(root):
    """Classes with methods in more than two files. Classes of one name in two folders are two classes."""
    where = {}
    for path in files(root):
        name = path.relative_to(root).as_posix()
        if path.suffix != ".cc" or name.startswith("tests/"):
            continue
        for found in METHOD.finditer(path.read_text(errors="replace")):
            where.setdefault((name.split("/")[0], found[1]), set()).add(name)
    for (room, owner), names in sorted(where.items()):
        if len(names) > 2:
            yield f"{room}/: the methods of {owner} are in {len(names)} files: {', '.join(sorted(names))}"


RULES = {"includes": includes, "readmes": readmes, "paths": paths, "mentions": mentions, "sizes": sizes,
         "classes": classes}


def append(name, text):
    """A file, and a function from its old text to its new one."""
    return name, lambda old: old + text


# rule, a breach of it (a result of None removes the file), part of the one line that the rule must report
BREACHES = [
    *[("includes", append(f"{low}/planted.cc", f'#include "{high}/planted.h"\n'), f'{low}/ may not include "{high}/planted.h"')
      for low in MAY_INCLUDE for high in MAY_INCLUDE if high not in MAY_INCLUDE[low] and low != "grammar"],
    ("includes", append("frontend/planted.cc", '  #  include "backend/planted.h"  // far up\n'), 'frontend/planted.cc:1: '),
    ("includes", append("ir/ops/planted.cc", '#include "../planted.h"\n'), "is not written from the repository's root"),
    ("includes", append("tools/planted.cc", '#include "frontend/utf8.h"\n'), '"frontend/utf8.h" is for frontend/ alone'),
    ("includes", append("runtime/planted.cc", "#include <iostream>\n"), "half a megabyte"),
    ("includes", append("io/planted.cc", "#include <google/protobuf/message.h>\n"), "a device has no"),
    ("includes", append("tools/axrun/planted.cc", '#include "backend/planted.h"\n'), "a device has no"),
    ("readmes", ("cmake/README.md", lambda old: None), "cmake/ has no README.md"),
    ("readmes", append("cmake/README.md", "more\n" * 20), "cmake/README.md is not about ten lines long"),
    ("mentions", append("cmake/README.md", "- `frontend/gone.h` was here.\n"), "there is no frontend/gone.h"),
    ("mentions", append("ir/planted.cc", "// See `ir/gone.cc`.\n"), "there is no ir/gone.cc"),
    ("mentions", append("ir/planted.cc", "// MANUAL" ".md, section 4\n"), "there is no MANUAL" ".md"),
    ("sizes", append("ir/planted.cc", "\n" * 501), "ir/planted.cc: 501 lines"),
    ("classes", append("dims/print.cc", "void DimStore::planted() {}\n"), "the methods of DimStore are in"),
    ("paths", append("scripts/setup", "cd /" "home/someone\n"), "scripts/setup:"),
]


def change(path, text):
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text)


def planted(root):
    before = {rule: set(check(root)) for rule, check in RULES.items()}
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "house"
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(*NOT_OURS))
        for rule, (name, made), expected in BREACHES:
            path = copy / name
            old = path.read_text() if path.exists() else None
            change(path, made(old or ""))
            found = [line for line in RULES[rule](copy) if line not in before[rule]]
            change(path, old)
            if len(found) != 1 or expected not in found[0]:
                yield f"{rule}: a planted breach gave {found}, not one line with {expected!r}"


def main():
    rules = RULES | {"planted": planted}
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in rules:
        print(__doc__, file=sys.stderr)
        return 2
    breaches = list(rules[sys.argv[1]](pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else ROOT))
    print(*breaches, f"{sys.argv[1]}: {len(breaches)} breaches", sep="\n")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
