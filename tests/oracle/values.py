"""Runs the graphs of a folder and compares their outputs with TensorFlow's: values.py AXC [--folder FOLDER] [--emitted] [NAME...].

With --emitted each graph is first written as source (`axc import --emit ax`), and the source is run.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
# Its results have sizes computed from run-time sizes, which source cannot express.
NOT_EMITTED = {"found_groups"}
TOLERANCE = ("1e-4", "2e-5")
# It computes in bfloat16, which has eight bits, and TensorFlow sums in another order.
TOLERANCES = {"mixed_brain": ("1e-2", "1e-2")}


def outputs_of(graph):
    with zipfile.ZipFile(graph.with_suffix(".npz")) as arrays:
        names = [name.removesuffix(".npy") for name in arrays.namelist()]
    return [name.removeprefix("out.") for name in sorted(names) if name.startswith("out.")]


def emitted(axc, graph, outputs, folder):
    """The source emitted for the graph with its weights, and the names of its tensors there; or nothing and the problem."""
    source = pathlib.Path(folder) / "emitted.ax"
    wanted = [word for tensor in outputs for word in ("--output", tensor)]
    ran = subprocess.run([axc, "import", graph, *wanted, "--emit", "ax", "-o", source, "--format=json"],
                         capture_output=True, text=True)
    if ran.returncode:
        told = json.loads(ran.stdout)["diagnostics"] if ran.stdout else []
        return None, "\n".join(f"{d['code']}: {d['message']}" for d in told) + ran.stderr
    table = json.loads(ran.stdout)["emitted"]
    weights = ["--weights", table["weights"]] if "weights" in table else []
    return ([source, *weights], table["inputs"] | table["outputs"]), ""


def wrong(axc, graph, is_emitted):
    """What differs, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(graph.with_suffix(".npz")) as arrays:
            arrays.extractall(folder)
        tensors = [(*path.stem.split(".", 1), path) for path in sorted(pathlib.Path(folder).glob("*.npy"))]
        model, names = [graph], {}
        if is_emitted:
            made, trouble = emitted(axc, graph, [tensor for side, tensor, _ in tensors if side != "in"], folder)
            if not made:
                return trouble
            model, names = made
        words = []
        for side, tensor, path in tensors:
            if side == "in" and is_emitted and tensor not in names:
                continue  # no output needs it
            words += ["-i" if side == "in" else "--expect", f"{names.get(tensor, tensor)}={path}"]
            if side == "out":
                words += ["--output", names.get(tensor, tensor)]
        rtol, atol = TOLERANCES.get(graph.stem, TOLERANCE)
        ran = subprocess.run([axc, "run", *model, *words, "--rtol", rtol, "--atol", atol], capture_output=True, text=True)
    beyond = [line for line in ran.stdout.splitlines() if "beyond" in line or "expected" in line]
    return "\n".join([ran.stderr, *beyond]) if ran.returncode else ""


def graphs_of(folder):
    """Graphs (`.pb`) and SavedModels (folders) that have values (`.npz`) beside them."""
    named = [(path.with_suffix(".pb"), path.with_suffix("")) for path in sorted(folder.glob("*.npz"))]
    return [graph if graph.exists() else saved for graph, saved in named]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("axc")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE / "operators")
    parser.add_argument("--emitted", action="store_true")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one graph of N")
    options = parser.parse_intermixed_args()
    graphs = [path for path in graphs_of(options.folder) if path.stem in options.names or not options.names]
    graphs = [path for path in graphs if not options.emitted or path.stem not in NOT_EMITTED]
    graphs = graphs[::options.every]
    failed = 0
    for graph in graphs:
        if what := wrong(options.axc, graph, options.emitted):
            failed += 1
            print(f"{graph.stem}:\n{what}")
    print(f"{len(graphs) - failed} of {len(graphs)} graphs give TensorFlow's values")
    return 1 if failed or not graphs else 0


if __name__ == "__main__":
    sys.exit(main())
