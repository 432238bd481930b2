#!/usr/bin/env python3
"""Drives `axc repl` through a pseudo-terminal: repl.py AXC; exit 1 at the first output that does not appear in time. Then runs every
command that asks a question, and checks that no question changes an inferred type."""
import fcntl
import os
import pathlib
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HERE = pathlib.Path(__file__).resolve().parent
CONTROL = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r|\x07")
# For builds with sanitizers: the line editor leaks two copies of its search text. Piped sessions are checked for leaks.
NO_LEAKS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
PATIENCE = 30                                              # seconds: the machine may be busy


class Terminal:
    """A session on a terminal of 100 columns."""

    def __init__(self, axc, folder, state, rows=0, **more):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100 if rows else 0, 0, 0))
        environment = {**os.environ, **NO_LEAKS, "TERM": "xterm", "XDG_STATE_HOME": str(state), "HOME": str(state),
                       "COLUMNS": "100", **more}
        environment.pop("EDITRC", None)
        self.child = subprocess.Popen([axc, "repl"], cwd=folder, stdin=slave, stdout=slave, stderr=slave, env=environment,
                                      start_new_session=True, preexec_fn=lambda: control(slave))
        os.close(slave)
        self.shown, self.at = b"", 0
        self.expect("> ")

    def type(self, text):
        os.write(self.master, text.encode())

    def expect(self, text, behind=None):
        """Waits until `text` is shown after what was looked at before."""
        deadline = time.monotonic() + PATIENCE
        while True:
            plain = CONTROL.sub(b"", self.shown)
            found = plain.find(text.encode(), self.at)
            if found >= 0:
                self.at = found + len(text)
                return
            os.set_blocking(self.master, False)
            try:
                self.shown += os.read(self.master, 65536)
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                deadline = 0
            if time.monotonic() > deadline:
                sys.exit(f"`{text}` is not shown; after what was looked at there is:\n{plain[self.at:].decode()}")

    def line(self, text, *shown):
        self.type(text + "\n")
        for one in shown:
            self.expect(one)

    def end(self):
        """Ctrl-D at an empty line; again each second, since one that comes before the line is read is lost."""
        started, typed = time.monotonic(), 0
        os.set_blocking(self.master, False)
        while self.child.poll() is None and time.monotonic() < started + PATIENCE:
            if time.monotonic() >= started + typed:
                self.type("\x04")
                typed += 1
            try:
                os.read(self.master, 65536)                # unread output would keep it from ending
            except OSError:
                time.sleep(0.01)
        code = self.child.poll()
        os.close(self.master)
        return code


def control(slave):
    """The terminal becomes the session's own, so that Ctrl-C reaches it."""
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


def values_and_errors(t):
    t.line("x = full([2], 1.5)", "x : t [2]", "> ")
    t.line("x + 1.0", "f32 [2]", "[2.5, 2.5]", "> ")
    t.line("nonsense", "error[E0201]", "nonsense", "> ")


def several_lines(t):
    t.line("f = fn (a) {", ". ")
    t.line("  a + 1.0", ". ")
    t.line("}", "f : (a : t s) -> t s", "> ")
    t.line("g = fn (a) {", ". ")
    t.line("", ". ")                                       # a function may have an empty line, but not two
    t.line("  a * 2.0", ". ")
    t.line("", ". ")
    t.line("}", "g : (a : t s) -> t s", "> ")
    t.line("g = fn (a) {", ". ")
    t.line("", ". ")
    t.line("", "unclosed `{`", "> ")
    t.line("h = ", ". ")
    t.line("", "expected an expression", "> ")


def pastes(t):
    def paste(text):
        t.type("\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")
    paste("p = fn (a) {\n\n\n  b = a + 1.0;\n\n  b\n}\nq = 7.5\nq + 1.0 // \u00fc\n")
    t.expect("p : (a : t s) -> t s")
    t.expect("q : ")
    t.expect("8.5")
    t.expect("> ")
    paste("q + 2.0\nq +")                                  # the last line, without a newline, waits to be entered
    t.expect("9.5")
    t.expect("> q +")
    t.line(" 3.0", "10.5", "> ")
    t.type("q * ")
    paste("4.0")
    t.line("", "30", "> ")


def completion(t):
    t.type(":pro\t")
    t.line("n >= 0", "prove n >= 0", "proved", "> ")
    t.type("softm\t")
    t.line("(x)", "softmax(x)", "[0.5, 0.5]", "> ")
    t.type("nn.group_n\t")                                 # before the import
    t.expect("nn.group_norm")
    t.type("\x15")
    t.line("import nn", "> ")
    t.type(":type nn.group_\t")
    t.line("", "nn.group_norm", "->", "> ")
    t.type(":load ml\t")
    t.expect("mlp.")
    t.type("ax\n")
    t.expect("main : (x : f32 [n, 3]) -> f32 [n, 2]")
    t.expect("> ")
    t.type(":type rnn.simple_rnn_f\t")                            # from a module that nothing imports
    t.line("", "rnn.simple_rnn_from", "->", "> ")
    t.type("softmax(full([2], 1.5), ax\t0)\n")
    t.expect("axis=0")
    t.expect("[0.5, 0.5]")
    t.expect("> ")
    t.type('conv2d(1, 2, padding="sa\t')
    t.expect('padding="same')
    t.type("\x15:shape softmax wi\t")
    t.expect("with")
    t.type("\x15")
    t.line("", "> ")
    t.type("re\t\t")                                       # several names: they are listed
    t.expect("reverse_sequence")
    t.type("\x15")
    t.line("", "> ")


def interrupts(t):
    t.line("x = full([2], 1.5)", "x : t [2]", "> ")
    t.type("half a li")
    t.expect("half a li")
    t.type("\x03")                                         # at the prompt: it deletes the line
    t.expect("> ")
    t.line("g = fn (a) {", ". ")
    t.type("\x03")
    t.expect("> ")
    started = time.monotonic()
    t.type("while(fn (n) { n >= 0 }, fn (n) { (n + 1) % 7 }, 0)\n")
    time.sleep(1)
    t.type("\x03")                                         # in an evaluation: the evaluation ends, the session continues
    t.expect("interrupted")
    t.expect("> ")
    if time.monotonic() - started > PATIENCE:
        sys.exit("an evaluation is not stopped in time")
    t.line("x * 2.0", "[3, 3]", "> ")
    t.type("while(fn (n) { n >= 0 }, fn (n) { (n + 1) % 7 }, 0)\n")
    time.sleep(1)
    os.kill(t.child.pid, signal.SIGINT)                    # sent to the session alone
    t.expect("interrupted")
    t.expect("> ")
    t.line("x * 3.0", "[4.5, 4.5]", "> ")


def history(t):
    t.type("\x10\x10\x10")                                 # lines of the previous session
    t.expect("x * 2.0")
    t.type("\x15")
    t.line("y = 1 + 1", "y : ", "> ")
    t.type("\x10")
    t.line("", "y : ", "> ")
    t.line("h = fn (a) {  // of two lines", ". ")          # a definition is recalled whole
    t.line("a + 1 }", "h : ", "> ")
    t.type("\x10")
    t.expect("h = fn (a) { a + 1 }")
    t.line("", "h : ", "> ")
    t.line("conv2d(y,  // slashes in a string, and behind one that has no end", ". ")
    t.line('  y, padding="sa//me") // "', "error", "> ")
    t.type("\x10")
    t.expect('conv2d(y, y, padding="sa//me")')
    t.type("\x15")
    t.line("z = max(y, // two", ". ")
    t.line('  y) + "a // b', "error", "> ")
    t.type("\x10")
    t.expect('z = max(y, y) + "a // b')
    t.type("\x15")


DEFINED = """import nn
param w
x = full([3, 4], 1.0)
z = 3
f = fn (a, b) { a + b }
g = fn (a : f32 [h, r], k : f32 [r]) { matmul(a, w) }
s = fn (a : f32 [~T, 4]) { a[2:] }
"""
NAMES = ["w", "x", "z", "f", "g", "s"]
QUERIES = [":type x + 1f32", ":type f(w, x)", ":shape f with a=[2, 3], b=[3]", ":shape g with h=2, r=4", ":solve f(x, q) = f32 [3, 4]",
           ":solve matmul(x, q : f32 [4, n]) = [3, 2]", ":solve matmul(x, q : f32 [5, n]) = [3, 2]", ":unify f32 [n] with t [3]",
           ":prove n >= 1, assuming n >= 2", ":why x[0]", ":why x", ":where g", ":stream s", ":ops matmul", ":doc f", ":time z + 1i32",
           "x + 2f32", "z + 1i32", "z + 1f64", "g(x, full([4], 1.0))", "f(w, full([7], 1f64))", ":help"]


def asking_changes_nothing(axc):
    """The types of all names, before and after each query."""
    told = [f":type {name}" for name in NAMES]
    lines = [*DEFINED.splitlines(), *told]
    for query in QUERIES:
        lines += [query, *told]
    done = subprocess.run([axc, "repl", "--echo"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=300)
    answers = [[] for _ in NAMES]
    shown = done.stdout.splitlines()
    for at, line in enumerate(shown[:-1]):
        if line[2:] in told and line.startswith("> "):
            answers[told.index(line[2:])].append(shown[at + 1])
    for name, types in zip(NAMES, answers):
        if len(types) != len(QUERIES) + 1 or len(set(types)) != 1:
            sys.exit(f"`{name}` had {len(types)} types: {set(types)}")


def definitions_cost_what_they_add(axc):
    """The processor's time of a session with eight times as many definitions is not many times more."""
    def cost(count):
        lines = "".join(f"f{i} = fn (x : f32 [n, {i + 1}]) {{ x + {i}.0 }}\n" for i in range(count))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([axc, "repl"], input=lines, stdout=subprocess.DEVNULL, text=True, check=True, timeout=300)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    few, many = max(cost(50), 0.01), min(cost(400) for _ in range(3))  # some machines count time in hundredths
    if many > 24 * few:                                    # a whole check each time makes it 60 times
        sys.exit(f"50 definitions take {few:.2f} s, 400 take {many:.2f} s")


def long_answers(axc, state):
    """An answer longer than the screen goes through the pager, with its colours; a short one does not, nor what is no terminal."""
    pager = {"PAGER": "false", "AXLE_PAGER": "sed s/^/paged:/"}
    t = Terminal(axc, HERE / "files", state, rows=10, **pager)
    t.line(":help", "paged:An expression", "paged:  :type", "> ")
    t.line(":type nn.dense", "type nn.dense", "(x : t s", "> ")
    t.line("y = 1", "y : t", "> ")
    for part in (b"paged:(x", b"paged:y"):
        if part in t.shown:
            sys.exit(f"a short answer is paged: {part}")
    for part in (b"y : \x1b[36mt", b"\x1b[1m>"):
        if part not in t.shown:
            sys.exit(f"not in colour: {part}")
    t.end()
    t = Terminal(axc, HERE / "files", state, rows=10, AXLE_PAGER="no-such-pager", NO_COLOR="1")
    t.line(":help", "An expression", ":quit", "> ")
    t.line("y = 1", "y : t", "> ")
    if b"\x1b[36m" in t.shown or b"\x1b[1m>" in t.shown:
        sys.exit("colour in spite of NO_COLOR")
    t.end()
    piped = subprocess.run([axc, "repl"], input=":help\ny = 1\n", capture_output=True, text=True, env={**os.environ, **pager})
    if "paged" in piped.stdout or "\x1b" in piped.stdout:
        sys.exit("a pager or colour where nobody reads")
    coloured = subprocess.run([axc, "repl", "--color=always"], input="y = 1\n", capture_output=True, text=True).stdout
    if "y : \x1b[36mt" not in coloured:
        sys.exit(f"no colour in spite of --color=always: {coloured}")


def main():
    axc = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as state:
        for sessions in [[values_and_errors, several_lines, pastes, completion, interrupts], [history]]:
            terminal = Terminal(axc, HERE / "files", state)
            for part in sessions:
                part(terminal)
            if (code := terminal.end()) != 0:
                sys.exit(f"the session ends with {code}")
        # a folder that cannot be made causes no message
        nowhere = Terminal(axc, HERE / "files", "/proc/nowhere")
        nowhere.line("1 + 1", "i64 []", "2", "> ")
        if nowhere.end() != 0:
            sys.exit("a session without a history ends badly")
        long_answers(axc, state)
    asking_changes_nothing(axc)
    definitions_cost_what_they_add(axc)


main()
