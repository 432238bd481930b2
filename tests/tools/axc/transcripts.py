#!/usr/bin/env python3
"""Runs the commands of the transcripts and compares their whole output: transcripts.py [--update] AXC [NAME...]."""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(command, axc, folder):
    """The lines that a terminal shows for one command."""
    path = f"{axc.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
                          env={**os.environ, "PATH": path, "AXLE_INSTRUCTION_SET": "plain"})
    lines = re.sub(r'"times_ms":\[[^]]*\]', '"times_ms":[...]', done.stdout.decode()).splitlines()
    lines += [("! " + line).rstrip() for line in done.stderr.decode().splitlines()]
    return lines + ([f"[{done.returncode}]"] if done.returncode else [])


def shown(transcript, axc):
    """The transcript with the current output; comments and blank lines before a command stay."""
    lines, skipping = [], False
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE / "files", folder, dirs_exist_ok=True)
        for line in transcript.read_text().splitlines():
            if line.startswith("$ "):
                lines += [line] + run(line[2:], axc, folder)
                skipping = True
            elif line.startswith("#") or not line:
                skipping = False if line else skipping
                lines.append(line) if line.startswith("#") else None
                if not line:
                    lines.append("")
            elif not skipping:
                lines.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"


def main():
    words = sys.argv[1:]
    update = words[:1] == ["--update"]
    axc, names = pathlib.Path(words[update]).resolve(), words[update + 1:]
    failed = 0
    for transcript in sorted((HERE / "transcripts").glob("*.txt")):
        if names and transcript.stem not in names:
            continue
        found, expected = shown(transcript, axc), transcript.read_text()
        if found == expected:
            continue
        failed += 1
        if update:
            transcript.write_text(found)
        else:
            sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), found.splitlines(True), transcript.name, "now"))
    return 0 if update else min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
