#!/usr/bin/env python3
"""Streams the models of a folder as a user would: streams.py AXC AXRUN FOLDER.

FOLDER/models.json says of each model how its graph is streamed, and the delay and the rate. The batch result equals the golden output,
of the model in `.ax` and of its graph. So does what `axrun stream` gives in chunks of any size, and the delay that chunks of 1 see is the
one stated. A model with a `reason` is refused with it.
"""
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "streams"))
from streamed import check_chunks, expect, read, run, stated  # noqa: E402

AXC, AXRUN, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


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
    stated(f"{name}.ax", AXC, ["check", *source], facts)
    run(AXC, "build", *source, "-o", bundle)
    run(AXRUN, "run", bundle, "-i", value, "--expect", f"out={golden}")
    state = check_chunks(f"{name}.ax", AXRUN, bundle, ["-i", value], read(golden), scratch, facts["delay"])
    stated(f"{name}.pb", AXC, ["import", *graph], facts)
    run(AXC, "build", *graph, "-o", bundle)
    check_chunks(f"{name}.pb", AXRUN, bundle, ["-i", value], read(golden), scratch, facts["delay"])
    print(f"{name}: delay {facts['delay']}, state {state} bytes")


def main():
    models = json.loads((FOLDER / "models.json").read_text())
    expect(sorted(models) == sorted(path.stem for path in FOLDER.glob("*.ax")), "models.json does not list the models of its folder")
    for name, facts in models.items():
        with tempfile.TemporaryDirectory() as folder:
            check_model(name, facts, pathlib.Path(folder))


if __name__ == "__main__":
    main()
