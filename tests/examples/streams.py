#!/usr/bin/env python3
"""Streams the models of a folder as a user would: streams.py AXC AXRUN FOLDER.

FOLDER/models.json says of each model how its graph is streamed, and the delay and the rate. The batch result equals the golden output,
of the model in `.ax` and of its graph. So does what `axrun stream` gives in chunks of any size, and the delay that chunks of 1 see is the
one stated. A model with a `reason` is refused with it.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

AXC, AXRUN, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
CHUNKS = ("1", "3", "1,4,2", "random:1", "random:2", "1000000", None)


def run(*command, status=0):
    """Standard output, or both outputs where failure is expected."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}\nexit {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr if status else done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(what)


def read(path):
    """The shape and the elements of an f32 tensor."""
    data = path.read_bytes()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    return eval(data[10:end], {})["shape"], struct.unpack(f"<{(len(data) - end) // 4}f", data[end:])


def stated(words, facts):
    """Checks what `--stream` states of a model."""
    outputs = json.loads(run(AXC, *words, "--stream", "--format=json"))["stream"]["outputs"]
    found = [(output["delay"], output["stride"]) for output in outputs]
    expect(found == [(facts["delay"], facts["stride"])], f"{words[1]}: {found} is stated, not {facts}")


def check_stream(name, bundle, value, golden, delay, scratch):
    shape, expected = read(golden)
    for chunk in CHUNKS:
        words = [AXRUN, "stream", bundle, "-i", value, "-o", scratch, "--format=json", *(["--chunk", chunk] if chunk else [])]
        seen = json.loads(run(*words))["stream"]
        [output] = [path for path in scratch.glob("*.npy")]
        got, values = read(output)
        output.unlink()
        what = f"{name} in chunks of {chunk}"
        expect(got == shape, f"{what}: the shape is {got}, not {shape}")
        expect(all(abs(a - b) <= 1e-5 + 1e-4 * abs(b) for a, b in zip(values, expected)), f"{what}: the values differ")
        expect(chunk != "1" or seen["delay"] == delay, f"{what}: a delay of {seen['delay']} is seen, not {delay}")
    return seen["state_bytes"]


def check_model(name, facts, folder):
    bundle, scratch = folder / "model.axb", folder / "out"
    value, golden = f"{facts['input'].partition('=')[0]}={FOLDER / name}.in.npy", FOLDER / f"{name}.out.npy"
    source = [FOLDER / f"{name}.ax", "--weights", FOLDER / f"{name}.safetensors"]
    graph = [FOLDER / f"{name}.pb", "--input", facts["input"]]
    run(AXC, "run", graph[0], "-i", value, "--expect", f"out={golden}")
    if "reason" in facts:
        for words in (["check", *source, "--stream"], ["build", *source, "-o", bundle], ["import", *graph, "--stream"]):
            text = run(AXC, *words, status=1)
            expect(facts["reason"] in text, f"{name} is not refused with its reason:\n{text}")
        return
    stated(["check", *source], facts)
    run(AXC, "build", *source, "-o", bundle)
    run(AXRUN, "run", bundle, "-i", value, "--expect", f"out={golden}")
    state = check_stream(f"{name}.ax", bundle, value, golden, facts["delay"], scratch)
    stated(["import", *graph], facts)
    run(AXC, "build", *graph, "-o", bundle)
    check_stream(f"{name}.pb", bundle, value, golden, facts["delay"], scratch)
    print(f"{name}: delay {facts['delay']}, state {state} bytes")


def main():
    models = json.loads((FOLDER / "models.json").read_text())
    expect(sorted(models) == sorted(path.stem for path in FOLDER.glob("*.ax")), "models.json does not list the models of its folder")
    for name, facts in models.items():
        with tempfile.TemporaryDirectory() as folder:
            check_model(name, facts, pathlib.Path(folder))


if __name__ == "__main__":
    main()
