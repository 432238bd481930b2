#!/usr/bin/env python3
"""Builds the VS Code extension as a user does, and tests its grammar with VS Code's own reader: vscode.py

Exits 77 (skipped) without npm or a registry that it can reach.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from grammar import ROOT, SCOPES, lexer_rules, lines_of, texts, tokens

HERE = pathlib.Path(__file__).resolve().parent
EXTENSION = ROOT / "editors/vscode"
SKIPPED, LIMIT_S = 77, 300
MADE = ("node_modules", "out", "*.vsix")
UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "ENOTCACHED")


def run(command, folder, **more):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, **more)


def breaches_of_the_package(folder):
    package = json.loads((folder / "package.json").read_text())
    wanted = ["package.json", package["main"], *(g["path"] for g in package["contributes"]["grammars"]),
              *(language["configuration"] for language in package["contributes"]["languages"])]
    with zipfile.ZipFile(folder / "axle.vsix") as made:
        there = set(made.namelist())
        for path in wanted:
            if "extension/" + path.removeprefix("./") not in there:
                yield f"axle.vsix has no {path}"
        for path in sorted(there):
            if "node_modules" in path or path.startswith("extension/src"):
                yield f"axle.vsix has {path}, which only making it needs"
    locked = (folder / "package-lock.json").read_text()
    if re.search(r'"resolved"|registry\.', locked):
        yield "package-lock.json names a registry"
    for name, version in package["devDependencies"].items():
        if json.loads(locked)["packages"][f"node_modules/{name}"]["version"] != version:
            yield f"package-lock.json has another version of {name} than package.json"


def breaches_of_the_grammar(folder):
    rules = lexer_rules()
    lines = {name: lines_of(text) for name, text in texts()}
    read = run(["node", str(HERE / "textmate.js"), str(folder / "node_modules"),
                str(EXTENSION / "syntaxes/axle.tmLanguage.json")], folder, input=json.dumps(lines))
    if read.returncode:
        yield f"textmate.js: {read.stderr}"
        return
    given = json.loads(read.stdout)
    for name, of in lines.items():
        for number, (line, scoped) in enumerate(zip(of, given[name]), 1):
            for kind, begin, end in tokens(line, rules):
                wanted = SCOPES[kind]
                found = {next((s for s in scopes if s.startswith(wanted)), None) if wanted else ""
                         for first, last, scopes in scoped if first < end and begin < last}
                if wanted and (len(found) != 1 or None in found):
                    yield f"{name}:{number}: {kind} {line[begin:end]!r} has the scopes {scoped}"


def main():
    if not shutil.which("npm") or not shutil.which("node"):
        print("SKIPPED: there is no npm here; the extension of VS Code was not made, nor its grammar tried")
        return SKIPPED
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made) / "vscode"
        shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns(*MADE))
        fetched = run(["npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
        if fetched.returncode and any(word in fetched.stdout + fetched.stderr for word in UNREACHABLE):
            print(f"SKIPPED: npm reaches no registry; the extension of VS Code was not made\n{fetched.stderr}")
            return SKIPPED
        found = []
        for done in [fetched] if fetched.returncode else [run(["npm", "run", "package"], folder)]:
            if done.returncode:
                found.append(f"{' '.join(done.args)}: {done.stdout}{done.stderr}")
        if not found:
            found = [*breaches_of_the_package(folder), *breaches_of_the_grammar(folder)]
    print(*found[:40], f"{len(found)} breaches", sep="\n")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
