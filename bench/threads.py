#!/usr/bin/env python3
"""Compares a run of several threads with one of one thread: threads.py [--threads N] [--rounds R] [--peak PEAK] BUNDLE...

Two `axrun bench` take turns. A round counts if the machine lends N processors before and after it: PEAK, a program that
prints the GFLOP/s of `PEAK THREADS SECONDS`, must give N threads at least 0.95 N times what it gives one. Without PEAK all
rounds count. Prints the median of the rounds' ratios of least times, and how many rounds counted.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUNS, UNTIMED = 5, 1


class Worker:
    """`axrun bench` with this number of threads."""

    def __init__(self, axrun, bundle, threads):
        self.process = subprocess.Popen([axrun, "bench", bundle, "--threads", str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"axrun bench {bundle} does not start")

    def least(self):
        """The least of a few times, in microseconds."""
        self.process.stdin.write(f"run {RUNS} {UNTIMED}\n")
        self.process.stdin.flush()
        return min(float(word) for word in self.process.stdout.readline().split())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def lends_all(peak, threads):
    """Whether this many threads reach the peak of as many processors."""
    if not peak:
        return True
    one, many = (float(subprocess.run([peak, str(n), "0.05"], capture_output=True, text=True, check=True).stdout)
                 for n in (1, threads))
    return many >= 0.95 * threads * one


def compare(axrun, bundle, threads, rounds, peak, seconds=120):
    """Median ratio of the times of one thread and of several, the median times, and the rounds that counted."""
    workers = [Worker(axrun, bundle, n) for n in (1, threads)]
    times, end = [], time.monotonic() + seconds
    while len(times) < rounds and time.monotonic() < end:
        if not lends_all(peak, threads):
            continue
        turn = [worker.least() for worker in (workers if len(times) % 2 == 0 else workers[::-1])]
        if lends_all(peak, threads):
            times.append(turn if len(times) % 2 == 0 else turn[::-1])
    for worker in workers:
        worker.end()
    if not times:
        return None
    return (statistics.median(one / many for one, many in times), statistics.median(one for one, _ in times),
            statistics.median(many for _, many in times), len(times))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundles", nargs="+", metavar="BUNDLE")
    parser.add_argument("--axrun", default=ROOT / "build/release/bin/axrun")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--peak", help="a program that prints the peak of THREADS in SECONDS")
    given = parser.parse_args()
    for bundle in given.bundles:
        found = compare(given.axrun, bundle, given.threads, given.rounds, given.peak)
        name = pathlib.Path(bundle).stem
        if found is None:
            print(f"{name}: the machine never lent {given.threads} processors")
            continue
        ratio, one, many, counted = found
        print(f"{name}: 1 thread {one:.0f} us, {given.threads} threads {many:.0f} us, {ratio:.2f} times as fast, {counted} rounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
