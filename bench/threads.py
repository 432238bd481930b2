#!/usr/bin/env python3
"""Compares a run of several threads with one of one thread: threads.py [--threads N] [--rounds R] BUNDLE...

`axrun bench` of one thread, N of these at the same time, and one of N threads take turns. A round counts if the machine lends N processors
to the N: if each of them is as fast as the one alone, within 5 %. Prints the median of the rounds' ratios of least times, and how
many rounds counted.
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

    def begin(self):
        self.process.stdin.write(f"run {RUNS} {UNTIMED}\n")
        self.process.stdin.flush()

    def times(self):
        """Of the runs that began, in microseconds."""
        return [float(word) for word in self.process.stdout.readline().split()]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def taken(workers):
    """The times of each of these workers, which run at the same time."""
    for worker in workers:
        worker.begin()
    return [worker.times() for worker in workers]


def compare(axrun, bundle, threads, rounds, seconds=120):
    """Median ratio of the times of one thread and of several, the median times, and the rounds that counted."""
    singles, team = [Worker(axrun, bundle, 1) for _ in range(threads)], Worker(axrun, bundle, threads)
    times, end = [], time.monotonic() + seconds
    while len(times) < rounds and time.monotonic() < end:
        one = min(taken(singles[:1])[0])
        many = min(taken([team])[0])
        together = statistics.mean(statistics.median(each) for each in taken(singles))
        if 0.95 * together <= one <= 1.05 * together:
            times.append((one, many))
    for worker in (*singles, team):
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
    given = parser.parse_args()
    for bundle in given.bundles:
        found = compare(given.axrun, bundle, given.threads, given.rounds)
        name = pathlib.Path(bundle).stem
        if found is None:
            print(f"{name}: the machine never lent {given.threads} processors")
            continue
        ratio, one, many, counted = found
        print(f"{name}: 1 thread {one:.0f} us, {given.threads} threads {many:.0f} us, {ratio:.2f} times as fast, {counted} rounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
