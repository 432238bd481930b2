#!/usr/bin/env python3
"""Installs a build and uses the installed files as a user does: install.py CMAKE CC BUILD.

The installed axc builds examples/digits and a stream; C programs outside the repository, compiled with the flags that
pkg-config gives, read a digit and show levels with these bundles, one of them in several runs, and a runtime linked for the
first reads it. The manual pages and completions are those that axc prints. The installed axrun needs no libraries but libc and libm.
"""
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE, CC, BUILD = sys.argv[1:4]
LIBC = re.compile(r"lib[cm]\.so\.6|ld-linux[\w-]*\.so\.\d")


def run(*command, cwd, stdin=b"", **environment):
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env={**os.environ, **environment}, input=stdin, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(words)}\nexit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout.decode()


def check_resumed(scratch):
    """A stream that is saved and restored twice gives what one that runs through gives; a damaged state is refused."""
    samples = struct.pack("<6400h", *[at * at % 32749 for at in range(6400)])
    through = [line.split()[0] for line in run(scratch / "show_level", "level.axb", cwd=scratch, stdin=samples).splitlines()[1:]]
    program, parts = [scratch / "resume_level", "level.axb", "level.state"], (samples[:2222], samples[2222:2226], samples[2226:])
    resumed = [line for part, end in zip(parts, ([], [], ["end"]))
               for line in run(*program, *end, cwd=scratch, stdin=part).splitlines()]
    if resumed != through or len(set(resumed)) < 9 or (scratch / "level.state").exists():
        sys.exit(f"not the levels of one run:\n{resumed}\n{through}")
    (scratch / "level.state").write_bytes(b"no state")
    refused = subprocess.run(program, cwd=scratch, input=samples, capture_output=True)
    if refused.returncode != 1 or b"E0815" not in refused.stderr:
        sys.exit(f"a damaged state is not refused: {refused}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        prefix, digits = scratch / "prefix", ROOT / "examples/digits"
        run(CMAKE, "--install", BUILD, "--prefix", prefix, "--strip", cwd=scratch)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", prefix / "bin/axrun", cwd=scratch))
        if strange := [name for name in needed if not LIBC.fullmatch(name)]:
            sys.exit(f"axrun needs {strange}")

        commands = re.findall(r"^\.TP\n\\fB(\w+)\\fR$", run(prefix / "bin/axc", "man", cwd=scratch).split(".SH EXIT STATUS")[0], re.M)
        pages = {"axc.1": ["man"], **{f"axc-{command}.1": ["man", command] for command in commands}}
        installed = {f"share/man/man1/{page}": words for page, words in pages.items()}
        installed |= {"share/bash-completion/completions/axc": ["completion", "bash"],
                      "share/zsh/site-functions/_axc": ["completion", "zsh"],
                      "share/fish/vendor_completions.d/axc.fish": ["completion", "fish"]}
        for path, words in installed.items():
            if (prefix / path).read_text() != run(prefix / "bin/axc", *words, cwd=scratch):
                sys.exit(f"{path} is not what axc {' '.join(words)} prints")
        if len(commands) < 10 or len(list((prefix / "share/man/man1").iterdir())) != len(pages):
            sys.exit(f"not a manual page for each command: {commands}")

        run(prefix / "bin/axc", "build", digits / "digits.ax", "--weights", digits / "digits.safetensors", "-o", "digits.axb",
            "--runtime", "digits-axrun", cwd=scratch)
        run(scratch / "digits-axrun", "info", "digits.axb", cwd=scratch)
        run(prefix / "bin/axc", "build", ROOT / "examples/embed/level.ax", "-o", "level.axb", cwd=scratch)
        flags = run("pkg-config", "--cflags", "--libs", "axle", cwd=scratch,
                    PKG_CONFIG_PATH=str(next(prefix.glob("lib*/**/pkgconfig"))))
        for program in ("read_digit", "show_level", "resume_level"):
            shutil.copy(ROOT / f"examples/embed/{program}.c", scratch)
            run(CC, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", f"{program}.c", *shlex.split(flags), "-o", program,
                cwd=scratch)
        answer = run(scratch / "read_digit", "digits.axb", cwd=scratch)
        if "reads as 5" not in answer:
            sys.exit(f"not the digit that was drawn:\n{answer}")
        answer = run(scratch / "show_level", "level.axb", cwd=scratch, stdin=struct.pack("<6400h", *[0, 16384] * 3200))
        levels = answer.splitlines()[1:]
        if len(levels) != 38 or any(not line.startswith("0.3536 ##############") for line in levels):
            sys.exit(f"not the level of the samples:\n{answer}")
        check_resumed(scratch)


if __name__ == "__main__":
    main()
