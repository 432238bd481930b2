#!/usr/bin/env python3
"""Whether a test fails for each kernel whose results are wrong: tests/runtime/wrong_results.py FOLDER [WORD]...

FOLDER, made if it is missing, gets a copy of the sources, in which wrong_results.cc can make each kernel wrong, and a build of the runtime's
tests. The last element of each result of one kernel is changed, and the tests run until one fails: for each operator of runtime/ops.def, and
for each vector kernel in each instruction set that this machine has. WORD: only those whose name contains it. Exit 1 where all tests pass.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys

from wrong_kernels import MOST_SECONDS, ROOT, TESTS, build, configure, copied

# Programs end with this status where a table has no kernel at the index (wrong_results.cc).
NO_SUCH_KERNEL = 77
INSTRUCTION_SETS = {"x86_64": ("plain", "sse2", "avx2", "avx512"), "aarch64": ("plain", "neon")}
# Each operator of these is an operator of another call; wrong_kernels.txt has its mistake.
NEVER_ALONE = {"SHIFT"}

# In each file, what the copy has instead.
CHANGES = {
    "runtime/vector/kernel_sets.h": [
        (r"\(kernelsInUse\((.*)\)\)", r"(withWrongResult(#name, kernelsInUse(\1)))"),
        (r'(#include "runtime/vector/instruction_set.h")', r'\1\n#include "tests/runtime/wrong_results.h"')],
    "runtime/run.cc": [
        (r"(if \(step.isEmpty \|\| )\((.*)\)\)\n(\s+)continue;",
         r"\1((\2) && (step.outputCount() == 0 || (spoilResult(step.row->name, step.out(0).elem, step.out(0).shape.elements(),"
         r" step.out(0).data), true))))\n\3continue;"),
        (r'(#include "runtime/run_sizes.h")', r'\1\n#include "tests/runtime/wrong_results.h"')],
}


def changed():
    """The contents of files that the copy has instead of ours, and of its own."""
    made = {"runtime/vector/wrong_results.cc": (ROOT / "tests/runtime/wrong_results.cc").read_bytes()}
    for name, changes in CHANGES.items():
        text = (ROOT / name).read_text()
        for old, new in changes:
            text, count = re.subn(old, new, text)
            if count == 0:
                sys.exit(f"{name} does not have this: {old}")
        made[name] = text.encode()
    return made


def operators():
    rows = re.findall(r'^(?:OPERATOR|POINTWISE|REDUCTION|PRIMITIVE)\(\w+, +\d+, +"(\w+)"', (ROOT / "runtime/ops.def").read_text(), re.M)
    return [name for name in rows if name not in NEVER_ALONE]


def tables():
    headers = sorted((ROOT / "runtime/vector").glob("*.h"))
    return [name for header in headers for name in re.findall(r"^AXLE_KERNEL_SETS\(\w+, (\w+)\)", header.read_text(), re.M)]


def failing_test(folder, wrong, tests=TESTS):
    """The first test that fails, or does not end, where this kernel is wrong; None, or NO_SUCH_KERNEL."""
    environment = dict(os.environ, GTEST_FAIL_FAST="1", GTEST_BRIEF="1", AXLE_WRONG=wrong)
    for test in tests:
        try:
            done = subprocess.run([folder / "build/bin" / test], cwd=ROOT, capture_output=True, env=environment, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return test
        if done.returncode == NO_SUCH_KERNEL:
            return NO_SUCH_KERNEL
        if done.returncode != 0:
            return test
    return None


def kernels(folder, words):
    """[kernel as AXLE_WRONG names it, the test that fails]."""
    def isWanted(name):
        return not words or any(word in name for word in words)
    for name in filter(isWanted, operators()):
        yield name, failing_test(folder, name)
    for name, instructions in itertools.product(tables(), INSTRUCTION_SETS[os.uname().machine]):
        for index in itertools.count() if isWanted(f"{name} {instructions}") else ():
            found = failing_test(folder, wrong := f"{name} {index} {instructions}", sorted(TESTS, key=lambda test: "vector" not in test))
            if found == NO_SUCH_KERNEL:
                break
            yield wrong, found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    copied(folder, changed())
    configure(folder)
    if (problem := build(folder)) or (problem := failing_test(folder, "nothing")):
        sys.exit(f"with right results: {problem}")
    count = missed = 0
    for name, found in kernels(folder, sys.argv[2:]):
        count, missed = count + 1, missed + (found is None)
        print(f"{found or 'missed':30} {name}", flush=True)
    print(f"wrong_results: of {count} kernels {missed} can be wrong")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
