#!/usr/bin/env python3
"""Runs `axc check` on extreme programs and checks its limits: hostile.py AXC [--search] [--sanitized] [NAME...]

Takes all of programs.py, or only the named kinds (syntax, names, inference, sizes) or names. --search tries up to 1 MB of source and prints
the time and memory of each. --sanitized allows ten times as long and any memory, which a sanitizer needs itself.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import programs

SECONDS, BYTES = 10, 2 << 30


def check(axc, file, sanitized):
    """Exit code, processor seconds, peak MB and the first line of the errors of one check."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (20 * SECONDS, 20 * SECONDS) if sanitized else (2 * SECONDS, 2 * SECONDS))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))

    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([axc, "check", file], stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        errors.seek(0)
        first = errors.readline(200).decode(errors="replace").strip()
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10, first


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    search, sanitized = "--search" in sys.argv, "--sanitized" in sys.argv
    axc, names = pathlib.Path(words[0]).resolve(), words[1:]
    beyond = seen = 0
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "hostile.ax"
        for kind, made in programs.KINDS.items():
            for name, (make, small, large) in made.items():
                if names and kind not in names and name not in names:
                    continue
                size = large if search else small
                file.write_text(make(size))
                code, seconds, megabytes, first = check(axc, file, sanitized)
                within = code in (0, 1) and seconds <= SECONDS * (10 if sanitized else 1) and "out of memory" not in first
                seen += 1
                beyond += not within
                if search or not within:
                    print(f"{'' if within else 'BEYOND '}{kind}: {name} at {size} ({file.stat().st_size >> 10} KB): exit {code}, "
                          f"{seconds:.2f} s, {megabytes} MB {first}", flush=True)
    if not seen:
        sys.exit(f"no such program: {' '.join(names)}")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
