#!/usr/bin/env python3
"""Streams graphs that TensorFlow wrote: graphs.py AXC AXRUN.

graphs/graphs.json says of each graph how it is streamed, and the delay and the rate; one without a delay is refused. Any chunks of the
recorded inputs give the recorded output, and chunks of 1 see the delay. Of the first frames of the inputs, from none on, any chunks give
what a batch run gives, or are refused where it is.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from streamed import check_chunks, expect, frames_of, output_in, read, run, stated, write  # noqa: E402

AXC, AXRUN = sys.argv[1], sys.argv[2]
FOLDER = pathlib.Path(__file__).resolve().parent / "graphs"
SHORT = (0, 1, 2, 3, 5, 8)
REFUSED = 3  # the exit code for a sequence that is refused
# Formulas of the language that are not sizes of a stream, with the problem.
WRONG_SIZES = {"~(T*)": "is no formula of a streamed size", "~(3)": "has a name", "~(T+U)": "two names", "~(T/0)": "divides by 0",
               "~(T/2)": "does not grow with its symbol"}


def axis_of(text):
    """The streamed axis of an input, and how many frames it has for each T; none where it does not stream."""
    sizes = text[text.index("[") + 1:-1].split(",")
    axes = [axis for axis, size in enumerate(sizes) if size.startswith("~")]
    return (axes[0], eval(sizes[axes[0]][1:], {"T": 1})) if axes else None


def cut(inputs, name, length, folder):
    """The inputs with T = length, as options."""
    options = []
    for text in inputs:
        port, streamed = text.partition("=")[0], axis_of(text)
        path = FOLDER / f"{name}.{port}.npy"
        if streamed:
            write(folder / f"{port}.npy", *frames_of(*read(path), streamed[0], streamed[1] * length))
            path = folder / f"{port}.npy"
        options += ["-i", f"{port}={path}"]
    return options


def check_short(name, facts, bundle, folder):
    streamed = facts["inputs"][0]
    axis, times = axis_of(streamed)
    longest = read(FOLDER / f"{name}.{streamed.partition('=')[0]}.npy")[0][axis] // times
    for length in (length for length in SHORT if length <= longest):
        values, what = cut(facts["inputs"], name, length, folder), f"{name}, T = {length}"
        batch = subprocess.run([AXRUN, "run", bundle, *values, "-o", folder / "whole"], capture_output=True, text=True)
        if batch.returncode == 0:
            check_chunks(what, AXRUN, bundle, values, output_in(folder / "whole"), folder / "out", chunks=("1", "3,1", None))
            continue
        expect(batch.returncode == REFUSED, f"{what}: the batch run ends with {batch.returncode}: {batch.stderr}")
        for chunk in ("1", "1000"):
            run(AXRUN, "stream", bundle, *values, "--chunk", chunk, status=REFUSED)


def check_graph(name, facts, folder):
    graph = [FOLDER / f"{name}.pb", *(word for text in facts["inputs"] for word in ("--input", text))]
    bundle = folder / "model.axb"
    if facts["delay"] is None:
        for words in (["import", *graph, "--stream"], ["build", *graph, "-o", bundle]):
            text = run(AXC, *words, status=1)
            expect("E0526" in text and " = help: " in text, f"{name} is not refused with its reason:\n{text}")
        return
    stated(name, AXC, ["import", *graph], facts)
    run(AXC, "build", *graph, "-o", bundle)
    values = [word for text in facts["inputs"] for word in ("-i", "{0}={1}.{0}.npy".format(text.partition("=")[0], FOLDER / name))]
    check_chunks(name, AXRUN, bundle, values, read(FOLDER / f"{name}.out.npy"), folder / "out", facts["delay"])
    check_short(name, facts, bundle, folder)


def check_sizes():
    for size, wrong in WRONG_SIZES.items():
        done = subprocess.run([AXC, "import", FOLDER / "slices.pb", "--input", f"x=f32[{size},3]", "--stream"], capture_output=True, text=True)
        expect(done.returncode in (1, 2) and wrong in done.stdout + done.stderr, f"{size}: {done.returncode} {done.stdout}{done.stderr}")


def main():
    graphs = json.loads((FOLDER / "graphs.json").read_text())
    expect(sorted(graphs) == sorted(path.stem for path in FOLDER.glob("*.pb")), "graphs.json does not list the graphs of its folder")
    check_sizes()
    failures = []
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for name, facts in list(graphs.items())[::every]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check_graph(name, facts, pathlib.Path(folder))
            except SystemExit as failure:
                failures.append(str(failure))
    sys.exit("\n".join(failures) or None)


if __name__ == "__main__":
    main()
