#!/usr/bin/env python3
"""Streams keep their law: streams.py AXC AXRUN [--sanitized].

Of each program below, and of each length from 0 on: what `axrun stream` gives in chunks of any size equals what `axrun run`
gives for the whole sequence, and a length that the one refuses the other refuses too. The delay that a stream in chunks of 1
sees is the one that `axc check --stream` states. A long sequence takes at most 1.05 times the multiply-adds of a batch run.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "streams"))
from streamed import difference, read, write  # noqa: E402

# name: (shape of the input, where T is the length, the longest length to try, program)
PROGRAMS = {
    "same": ((1, "T", 2), 9, """param k : f32 [5, 2, 3];
main = fn (x : f32 [1, ~T, 2]) { relu(conv1d(x, k, padding="same")) };"""),
    "valid of a batch": ((2, "T", 2), 12, """param k : f32 [3, 2, 3];
main = fn (x : f32 [2, ~T, 2]) { conv1d(x, k, stride=[2], dilation=[2]) };"""),
    "pools and convolutions that pad one tensor differently": ((1, "T", 2), 8, """param k : f32 [3, 2, 2];
main = fn (x : f32 [1, ~T, 2]) {
  concat(conv1d(x, k, padding="same"), max_pool1d(x, size=[3], stride=[1], padding="same"),
         avg_pool1d(x, size=[4], stride=[1], padding="same"), axis=-1)
};"""),
    "pads under a pool": (("T", 2), 8, """main = fn (x : f32 [~T, 2]) {
  f = fn (y) { squeeze(max_pool1d(expand(y, axis=0), size=[3], stride=[1], padding="same"), axis=0) };
  f(pad(x, [[2, 1], [0, 0]])), f(x), relu(pad(x, [[1, 3], [0, 0]]))
};"""),
    "transposed": ((1, "T", 2), 7, """param k : f32 [4, 3, 2];
main = fn (x : f32 [1, ~T, 2]) { tanh(conv_transpose1d(x, k, stride=[3])), repeat(x, times=2, axis=1) };"""),
    "transposed, filters of all lengths": ((1, "T", 2), 9, "".join(f"param k{n} : f32 [{n}, 2, 2];\n" for n in range(1, 8)) + """
main = fn (x : f32 [1, ~T, 2]) {
""" + ",\n".join(f"  conv_transpose1d(x, k{n}, stride=[{s}]{padding})" for n in range(1, 8)
                 for s, padding in ((2, ""), (3, ', padding="same"'))) + "\n};"),
    "both ends": (("T", 2), 9, """main = fn (x : f32 [~T, 2]) {
  pad(x, [[2, 1], [0, 0]], mode="edge"), pad(x, [[2, 2], [0, 0]], mode="reflect"), x[1:T-2], x[2::3]
};"""),
    "what has come so far": (("T", 2), 7, """param first : f32 [2];
main = fn (x : f32 [~T, 2]) {
  _, y = loop(first, fn (s, e) { s' = 0.5 * s + tanh(e); s', s' }, x);
  y, cumsum(x, exclusive=true), cummax(x), cumprod(x), concat(expand(first, axis=0), x)
};"""),
    "frames": (("T",), 70, """main = fn (x : f32 [~T]) { irfft(rfft(frame(x, length=16, step=8)), n=16) };"""),
    "overlaps": (("T",), 40, """main = fn (x : f32 [~T]) { overlap_add(frame(x, length=8, step=4), step=4) };"""),
    "branches of different delay": ((1, "T", 2), 9, """param a : f32 [7, 2, 2];
param b : f32 [2, 2, 2];
main = fn (x : f32 [1, ~T, 2]) { conv1d(x, a, padding="same") + x * conv1d(x, b, padding=[[1, 0]]) };"""),
    "rates": ((1, "T", 2), 14, """main = fn (x : f32 [1, ~T, 2]) { max_pool1d(repeat(x, times=2, axis=1), size=[3]) };"""),
}
CHUNKS = ("1", "2", "3,1", "5", "1000", "random:3")
SANITIZED_CHUNKS = ("1", "random:3")  # each run takes ten times as long
MOST_WORK = 1.05  # relative to a batch run
LARGEST_ARENA = 4 << 20  # if the number of frames in a push is not given
REFUSED = 3  # the exit code for a sequence that is refused


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60)


def results(folder):
    return {path.name: read(path) for path in sorted(folder.glob("*.npy"))}


def differences(name, expected, actual):
    if list(expected) != list(actual):
        yield f"{name}: outputs {list(actual)}, not {list(expected)}"
        return
    for output, tensor in expected.items():
        if wrong := difference(tensor, actual[output]):
            yield f"{name}: {output}: {wrong}"


def breaches(axc, axrun, folder, name, chunks):
    shape, longest, text = PROGRAMS[name]
    source, bundle = folder / "program.ax", folder / "program.axb"
    source.write_text(text)
    stated = run(axc, "check", source, "--stream", "--format=json")
    built = run(axc, "build", source, "--weights", "random", "-o", bundle)
    if stated.returncode or built.returncode:
        yield f"{name}: {stated.stderr}{built.stderr}"
        return
    delay = json.loads(stated.stdout)["stream"]["outputs"][0]["delay"]
    draw = random.Random(1)
    taken = 0
    for length in range(longest + 1):
        sizes = [length if size == "T" else size for size in shape]
        count = 1
        for size in sizes:
            count *= size
        write(folder / "x.npy", sizes, [draw.uniform(-1, 1) for _ in range(count)])
        whole, parts = folder / f"whole{length}", folder / f"parts{length}"
        batch = run(axrun, "run", bundle, "-i", f"x={folder / 'x.npy'}", "-o", whole)
        taken += batch.returncode == 0
        for chunk in chunks:
            at = f"{name}, {length} frames in chunks of {chunk}"
            stream = run(axrun, "stream", bundle, "-i", f"x={folder / 'x.npy'}", "--chunk", chunk, "-o", parts, "--format=json")
            if (stream.returncode, batch.returncode) == (REFUSED, REFUSED):
                continue
            if stream.returncode or batch.returncode:
                yield f"{at}: exit code {stream.returncode}, of the batch {batch.returncode}: {stream.stdout}"
                continue
            yield from differences(at, results(whole), results(parts))
            seen = json.loads(stream.stdout)["stream"]["delay"]
            if chunk == "1" and (seen > delay or length == longest and seen != delay):
                yield f"{at}: a delay of {seen}, {delay} is stated"
    for chunk in ("1", "7"):
        counts = json.loads(run(axrun, "stream", bundle, "--set", "T=300", "--chunk", chunk, "--format=json").stdout)["stream"]
        if counts["multiply_adds"] > MOST_WORK * counts["batch_multiply_adds"]:
            yield f"{name}, in chunks of {chunk}: {counts['multiply_adds']} multiply-adds, {counts['batch_multiply_adds']} are needed"
    if taken < 4:
        yield f"{name}: a batch run takes {taken} of its lengths only"


def chunk_breaches(axc, axrun, folder):
    """A bundle's number of frames in a push, where `axrun stream` is not told another one."""
    source, bundle = folder / "program.ax", folder / "program.axb"
    source.write_text(PROGRAMS["same"][2])
    for given, options, pushes in (((), (), 1), (("--chunk", 8), (), 3), (("--chunk", 8), ("--chunk", 10), 2)):
        built = run(axc, "build", source, "--weights", "random", *given, "-o", bundle)
        stream = run(axrun, "stream", bundle, "--set", "T=20", *options, "--format=json")
        if built.returncode or stream.returncode or json.loads(stream.stdout)["stream"]["pushes"] != pushes:
            yield f"chunks {given} {options}: not {pushes} pushes: {built.stderr}{stream.stdout}"
    built = run(axc, "build", source, "--weights", "random", "-o", bundle)
    stream = run(axrun, "stream", bundle, "--set", "T=1000000", "--format=json")
    counts = json.loads(stream.stdout)["stream"]
    if counts["frames_out"] != 1000000 or counts["pushes"] < 2 or counts["arena_bytes"] > LARGEST_ARENA:
        yield f"a long sequence takes more memory than it needs: {stream.stdout}"
    built = run(axc, "build", source, "--weights", "random", "--chunk", "auto", "--stream-report", "-o", bundle)
    best = re.search(r"best chunk (\d+)", built.stdout)
    stream = run(axrun, "stream", bundle, "--set", "T=5000", "--format=json")
    if not best or json.loads(stream.stdout)["stream"]["pushes"] != -(-5000 // int(best[1])):
        yield f"the best chunk is not kept: {built.stdout}{built.stderr}{stream.stdout}"
    source.write_text("main = fn (x : f32 [~T]) { mean(frame(x, length=400, step=160), axis=1) };")
    built = run(axc, "build", source, "--stream-report", "-o", bundle)
    rows = [line.split()[:2] for line in built.stdout.splitlines() if line[:5].strip().isdigit()]
    if [row[0] for row in rows] != ["160", "320", "640", "1280", "2560"]:
        yield f"the chunks of windows in steps of 160 are not multiples of 160: {built.stdout}{built.stderr}"
    for chunk, delay in rows:
        stream = run(axrun, "stream", bundle, "--set", "T=20000", "--chunk", chunk, "--format=json")
        seen = json.loads(stream.stdout)["stream"]["delay"]
        if seen != int(delay):
            yield f"in chunks of {chunk}, the report says delay {delay}, and a run has {seen}"


def main():
    axc, axrun, *options = sys.argv[1:]
    chunks = SANITIZED_CHUNKS if options == ["--sanitized"] else CHUNKS
    found = []
    with tempfile.TemporaryDirectory() as folder:
        found += chunk_breaches(axc, axrun, pathlib.Path(folder))
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            found += breaches(axc, axrun, pathlib.Path(folder), name, chunks)
    print("\n".join(found) or f"{len(PROGRAMS)} programs keep the law of streams")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
