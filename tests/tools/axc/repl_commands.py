#!/usr/bin/env python3
"""Checks that each command of `axc repl` has help, is on docs/repl.md, and is used in a replayed session: repl_commands.py AXC."""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def session(axc, lines):
    return subprocess.run([axc, "repl"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=60).stdout


def main():
    axc = str(pathlib.Path(sys.argv[1]).resolve())
    page = (ROOT / "docs/repl.md").read_text()
    replayed = "".join(path.read_text() for path in sorted((HERE / "files/repl").glob("*.in")))
    replayed += "".join(line[2:] + "\n" for line in page.splitlines() if line.startswith("> "))
    commands = re.findall(r"^  :(\w+)", session(axc, [":help"]), re.MULTILINE)
    missing = [] if len(commands) > 10 else [f":help lists {commands}"]
    for name in commands:
        help_lines = session(axc, [f":help {name}"]).splitlines()
        if len(help_lines) < 3 or not help_lines[1].strip():
            missing.append(f":{name} has no help with an example in tools/repl/commands.def")
        if not re.search(rf":{name}\b", page):
            missing.append(f":{name} is not on docs/repl.md")
        if not re.search(rf"^:{name}\b", replayed, re.MULTILINE):
            missing.append(f":{name} is used neither on docs/repl.md nor in tests/tools/axc/files/repl")
    print("\n".join(missing) or f"{len(commands)} commands")
    return min(len(missing), 1)


sys.exit(main())
