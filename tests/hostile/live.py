#!/usr/bin/env python3
"""Sends random requests to `axc lsp` and random lines to `axc repl`: live.py AXC [lsp|repl] [--seconds N] [--seed N] [--sanitized]

Each runs for half of the seconds (15). Whatever comes, both must answer within a limit and go on: they may neither end,
nor report a bug of axc. The texts are pieces of our programs and sessions, mutated token by token. On a failure the seed
and the last texts are printed. --sanitized allows ten times as long for an answer.
"""
import argparse
import os
import pathlib
import random
import re
import select
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools/lsp"))
import client  # noqa: E402
from client import Client, Failed  # noqa: E402

LIMIT_S = 30
# Entries that once ended a session; each run begins with them.
ONCE_FATAL = ["a, a = f(1)", "h, g, h = split(full([6], 1.0), parts=3)"]
SHOWN = 6  # how many of the last texts to show on a failure
METHODS = ["hover", "definition", "references", "prepareRename", "rename", "completion", "signatureHelp", "documentSymbol",
           "inlayHint", "formatting", "codeAction"]
TOKENS = ["0", "1", "-1", "9223372036854775807", "9223372036854775808", "1e308", "n", "s", "t", "_", "x", "f", "f32", "i64", "bool",
          "(", ")", "[", "]", "{", "}", ";", ",", ":", "=", "==", ">=", "->", "@", "#", "~", "?", "*", "/", "%", "+", "-", "..", "\"",
          "fn", "if", "else", "match", "where", "import", "param", "nn.dense", "reshape", "transpose", "sum", "concat", "flatten",
          "conv2d", "matmul", "expand", "size(s)", "or", "and", "not", "\u00e9", "\U0001f600", "\0", "//", "///", "'"]
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
# These may run forever, and `exit` ends a session.
ENDLESS = re.compile(r"\b(while|loop|exit|quit)\b|^\s*:(q|t(i|im|ime)?\b)", re.MULTILINE)
BUG = re.compile(r"this is a bug in axc|Sanitizer|runtime error:")


def programs():
    files = [*ROOT.glob("stdlib/*.ax"), *ROOT.glob("examples/**/*.ax"), *ROOT.glob("tests/**/files/*.ax")]
    return [path.read_text() for path in sorted(files) if path.stat().st_size < 20000]


def entries():
    """Statements and commands of a session."""
    found = []
    for path in sorted((ROOT / "tests/tools/axc/files/repl").glob("*.in")):
        found += path.read_text().splitlines()
    found += [line[2:] for line in (ROOT / "docs/repl.md").read_text().splitlines() if line.startswith("> ")]
    for text in programs():
        found += re.split(r"(?<=;)\n", text)
    return [entry for entry in found if entry.strip() and len(entry) < 600]


def mutated(dice, text, others):
    """The text with a few tokens removed, doubled, exchanged, or replaced by those of other texts."""
    tokens = TOKEN.findall(text) or [""]
    for _ in range(dice.choice([0, 1, 1, 2, 3, 8])):
        at = dice.randrange(len(tokens))
        kind = dice.randrange(6)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, dice.choice(TOKENS))
        elif kind == 2:
            tokens[at] = dice.choice(TOKENS)
        elif kind == 3:
            other = dice.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 4:
            tokens[at:at] = tokens[at:at + dice.choice([1, 3, 10])]
        else:
            other = TOKEN.findall(dice.choice(others)) or [""]
            begin = dice.randrange(len(other))
            tokens[at:at + 1] = other[begin:begin + dice.choice([1, 5, 20])]
        tokens = tokens or [""]
    return "".join(tokens)


def junk(dice, depth=0):
    """Any JSON value."""
    kinds = [None, True, -1, 0, 1, 10**30, 1e300, 0.5, "", "x", "file:///none.ax", "\0"]
    if depth > 3 or dice.random() < 0.6:
        return dice.choice(kinds)
    if dice.random() < 0.5:
        return [junk(dice, depth + 1) for _ in range(dice.randrange(4))]
    names = ["textDocument", "position", "range", "uri", "text", "line", "character", "contentChanges", "context", "x"]
    return {dice.choice(names): junk(dice, depth + 1) for _ in range(dice.randrange(4))}


class Server:
    """The language server with one document, which is edited."""

    def __init__(self, axc, folder, dice):
        self.dice, self.texts, self.text = dice, programs(), ""
        self.client = Client(axc, folder)
        self.client.open("hostile.ax", "")

    def position(self):
        lines = self.text.split("\n")
        line = self.dice.randrange(len(lines))
        if self.dice.random() < 0.05:
            return self.dice.choice([(line, 10**9), (2**31, 0), (len(lines), 1)])
        return line, self.dice.randrange(len(lines[line].encode("utf-16-le")) // 2 + 1)

    def step(self, log):
        dice, c = self.dice, self.client
        if not self.text or dice.random() < 0.1:
            self.text = mutated(dice, dice.choice(self.texts), self.texts)
            log(self.text)
            c.change("hostile.ax", self.text)
        elif dice.random() < 0.6:
            self.text = mutated(dice, self.text, self.texts)
            log(self.text)
            c.change("hostile.ax", self.text)
        else:
            # An edit of a range. Its positions may be invalid, so the text is unknown afterwards and sent whole.
            begin, end = sorted([self.position(), self.position()])
            log(f"edit {begin} {end}")
            c.change("hostile.ax", (begin, end, dice.choice(TOKENS)), self.text)
        for _ in range(3):
            method, at = dice.choice(METHODS), self.position()
            place = {"line": at[0], "character": at[1]}
            params = {"textDocument": {"uri": c.uri("hostile.ax")}, "position": place, "newName": dice.choice(TOKENS), "options": {},
                      "context": {"diagnostics": [], "includeDeclaration": True}, "range": {"start": place, "end": place}}
            if dice.random() < 0.1:
                params = junk(dice)
            log(f"{method} {params}")
            answer = c.answer("textDocument/" + method, params)
            if "error" in answer and answer["error"]["code"] not in (-32600, -32602, -32803):
                raise Failed(f"{method}: {answer['error']}")
        c.notified.clear()

    def close(self):
        self.client.close()


class Session:
    """`axc repl` on pipes. After each entry a question with a known answer shows that it goes on."""

    def __init__(self, axc, folder, dice):
        self.dice, self.texts, self.asked = dice, [e for e in entries() if not ENDLESS.search(e)], 0
        self.first = list(ONCE_FATAL)
        self.process = subprocess.Popen([axc, "repl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                                        env={**os.environ, "XDG_STATE_HOME": str(folder)})
        self.said = b""

    def step(self, log):
        text = self.first.pop() if self.first else mutated(self.dice, self.dice.choice(self.texts), self.texts)
        if ENDLESS.search(text):
            return
        log(text)
        self.asked += 1
        mark = f"unknown command `:zebra{self.asked}`".encode()
        self.process.stdin.write(text.encode(errors="replace") + f"\n\n\n:help zebra{self.asked}\n".encode())
        self.process.stdin.flush()
        end = time.monotonic() + LIMIT_S
        while mark not in self.said:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise Failed("the session is silent")
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                raise Failed(f"the session is gone: exit {self.process.wait()}: {self.said[-2000:].decode(errors='replace')}")
            self.said += got
        said, _, self.said = self.said.partition(mark)
        if BUG.search(said.decode(errors="replace")):
            raise Failed(said.decode(errors="replace"))

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(LIMIT_S)
        if code not in (0, 1):
            raise Failed(f"the session ends with {code}")


def drive(make, axc, seconds, seed):
    last, steps = [], 0

    def log(text):
        last.append(text)
        del last[:-SHOWN]

    with tempfile.TemporaryDirectory() as folder:
        driven = make(axc, pathlib.Path(folder), random.Random(seed))
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                driven.step(log)
                steps += 1
            driven.close()
        except (Failed, OSError, subprocess.TimeoutExpired) as failed:
            print(f"{make.__name__}, seed {seed}, step {steps}: {failed}")
            for text in last:
                print("----\n" + text)
            return 1
    print(f"{make.__name__}: {steps} steps with seed {seed}")
    return 0


def main():
    global LIMIT_S
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axc", type=pathlib.Path)
    parser.add_argument("which", nargs="?", choices=["lsp", "repl"])
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sanitized", action="store_true")
    given = parser.parse_args()
    if given.sanitized:
        LIMIT_S *= 10
        client.LIMIT_S *= 10
    kinds = {"lsp": Server, "repl": Session}
    chosen = [kinds[given.which]] if given.which else list(kinds.values())
    return max(drive(kind, given.axc.resolve(), given.seconds / len(chosen), given.seed) for kind in chosen)


if __name__ == "__main__":
    sys.exit(main())
