"""Runs the graphs of this folder and compares what they give with what TensorFlow gave: values.py AXC [NAME...]."""
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent


def wrong(axc, graph):
    """What differs, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(graph.with_suffix(".npz")) as arrays:
            arrays.extractall(folder)
        words = []
        for path in sorted(pathlib.Path(folder).glob("*.npy")):
            side, tensor, _ = path.name.split(".")
            words += ["-i" if side == "in" else "--expect", f"{tensor}={path}"]
        ran = subprocess.run([axc, "run", graph, *words, "--rtol", "1e-4", "--atol", "2e-5"], capture_output=True, text=True)
    beyond = [line for line in ran.stdout.splitlines() if "beyond" in line or "expected" in line]
    return "\n".join([ran.stderr, *beyond]) if ran.returncode else ""


def main():
    names = sys.argv[2:]
    graphs = [path for path in sorted(HERE.glob("*.pb")) if not names or path.stem in names]
    failed = 0
    for graph in graphs:
        if what := wrong(sys.argv[1], graph):
            failed += 1
            print(f"{graph.stem}:\n{what}")
    print(f"{len(graphs) - failed} of {len(graphs)} graphs give TensorFlow's values")
    return 1 if failed or not graphs else 0


if __name__ == "__main__":
    sys.exit(main())
