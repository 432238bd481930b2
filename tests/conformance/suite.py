#!/usr/bin/env python3
"""Runs a suite of the conformance folder, if this machine has one: suite.py SUITE AXC [AXRUN].

The folder is $AXLE_SHARED/conformance, else ../shared/conformance beside the repository. Prints the suite's table and
fails below the suite's floor, or on any crash, time-out or wrong answer. Without the folder it says so and exits 77
(skipped).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLOORS = {  # the least share of cases that must pass
    "programs": 1.0,
    "dims": 0.97,
    "numbers": 0.98,  # an entry of any rank cannot be built without --set, which the suite does not give
    "shape-bugs": 1.0,
    "tensorflow": 0.99,
    "emit": 0.985,
    "streams": 1.0,
}
FOLDERS = {"emit": "tensorflow"}  # suites whose folder has another name
NEVER = ("crashed", "timed out", "wrong")


def main():
    shared = pathlib.Path(os.environ.get("AXLE_SHARED") or ROOT.parent / "shared") / "conformance"
    if not (shared / "run.py").is_file():
        by = "named by" if os.environ.get("AXLE_SHARED") else "beside the repository, without"
        print(f"SKIPPED: there is no conformance suite in {shared} ({by} AXLE_SHARED)")
        return 77
    suite, axc, *axrun = sys.argv[1:]
    floor = FLOORS[suite]
    through = ["--through-bundle", axrun[0]] if axrun else []
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        command = [sys.executable, shared / "run.py", suite, shared / FOLDERS.get(suite, suite), "--axc", axc, *through,
                   "--json", report, "--verbose"]
        subprocess.run(command, check=True)
        counts = json.loads(report.read_text())
    total = counts["total"]
    print(f"{counts['passed']} of {total} cases passed, the floor is {floor:.0%}")
    states = [case["state"] for case in counts["cases"]]
    bad = {what: states.count(what) for what in NEVER if what in states}
    print(*(f"never allowed: {count} {what}" for what, count in bad.items()), sep="\n")
    return 1 if bad or not total or counts["passed"] < floor * total else 0


if __name__ == "__main__":
    sys.exit(main())
