#!/usr/bin/env python3
"""Whether the tests of the runtime find mistakes in its kernels: tests/runtime/wrong_kernels.py FOLDER [WORD]... | --lines

FOLDER, made if it is missing, gets a copy of the sources and a build of the runtime's tests. Each line of wrong_kernels.txt that contains
a WORD is a mistake: it is made in the copy, the tests are built and run until one fails, and it is taken back. Exit 1 where all tests pass. --lines only looks whether each line still fits the sources.
"""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The fastest first.
TESTS = [f"runtime_{name}_test" for name in ("kernels", "golden", "vector", "session", "by_rows", "strips", "run_sizes", "fourier_oracle", "half",
                                             "oracle")]
MOST_SECONDS = 200  # of a test; a wrong size or condition may leave a loop without end
FOLDERS = ["cmake", "dims", "driver", "io", "runtime", "tests", "tools"]
# Mistakes are to be found fast, not to run fast, and may leave a variable without a use.
WARNS = "cmake/AxleOptions.cmake"
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DAXLE_COMPILER=OFF", "-DAXLE_UNITY=OFF"]


def mistakes(words):
    """[file, code, the same with a mistake], those of one file one after another. Ends the program where a file has the code not once."""
    lines = [line for line in (ROOT / "tests/runtime/wrong_kernels.txt").read_text().splitlines() if not line.startswith("#")]
    found = [line.split(" | ") for line in lines if not words or any(word in line for word in words)]
    for name, code, _ in found:
        if (count := (ROOT / "runtime" / name).read_text().count(code)) != 1:
            sys.exit(f"{name} has this {count} times: {code}")
    return found


def copied(folder, changed=None):
    """The sources in this folder, some of them with other contents; files that are the same keep their times."""
    source, contents = folder / "source", dict(changed or {})
    contents[WARNS] = (ROOT / WARNS).read_text().replace("-Werror", "-Wno-error").encode()
    for name in FOLDERS:
        for path in filter(pathlib.Path.is_file, (ROOT / name).rglob("*")):
            contents.setdefault(str(path.relative_to(ROOT)), path)
    for path in ROOT.glob("CMake*"):
        contents[path.name] = path
    for name, content in contents.items():
        to, made = source / name, content if isinstance(content, bytes) else content.read_bytes()
        if not (to.is_file() and to.read_bytes() == made):
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(made)
    return source


def configure(folder):
    subprocess.run(["cmake", "-S", folder / "source", "-B", folder / "build", "-G", "Ninja", *OPTIONS], check=True, stdout=subprocess.DEVNULL)


def build(folder):
    """None, or what the compiler says."""
    done = subprocess.run(["cmake", "--build", folder / "build", "--parallel", str(os.cpu_count()), "--target", *TESTS],
                          capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout[-3000:]


def failing_test(folder):
    """The first test that fails, or does not end; None if all pass."""
    for test in TESTS:
        environment = dict(os.environ, GTEST_FAIL_FAST="1", GTEST_BRIEF="1")
        try:
            done = subprocess.run([folder / "build/bin" / test], cwd=ROOT, capture_output=True, env=environment, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return test
        if done.returncode != 0:
            return test
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--lines":
        print(f"wrong_kernels: {len(mistakes([]))} mistakes fit the sources")
        return 0
    folder, wrongs = pathlib.Path(sys.argv[1]).resolve(), mistakes(sys.argv[2:])
    source = copied(folder)
    configure(folder)
    if (problem := build(folder)) or (problem := failing_test(folder)):
        sys.exit(f"without a mistake: {problem}")
    missed = 0
    for name, code, wrong in wrongs:
        path = source / "runtime" / name
        right = path.read_text()
        path.write_text(right.replace(code, wrong))
        try:
            problem = build(folder)
            found = "it does not compile" if problem else failing_test(folder)
        finally:
            path.write_text(right)
        if problem:
            sys.exit(f"{name}: {wrong}: {problem}")
        missed += found is None
        print(f"{'missed' if found is None else found:30} {name}: {wrong}", flush=True)
    print(f"wrong_kernels: {missed} mistakes are not found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
