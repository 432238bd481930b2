"""Writes all models of models.py again and prints how many of them give TensorFlow's values as frozen graphs, as SavedModels, and as
emitted source: rates.py AXC [OUT]. Needs the packages of requirements.txt. Reuses models that OUT already has."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from values import HERE, graphs_of, wrong

WAYS = [("as frozen graphs", "frozen", False), ("as SavedModels", "saved", False), ("as emitted source", "frozen", True)]


def models(out, kind):
    folder = out / kind
    if not folder.exists():
        quiet = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [sys.executable, HERE / "make_models.py", folder, *(["--saved"] if kind == "saved" else [])]
        subprocess.run(command, env=quiet, stderr=subprocess.DEVNULL, check=True)
    return graphs_of(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("axc")
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    all_agree = True
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or pathlib.Path(folder)
        for way, kind, is_emitted in WAYS:
            graphs = models(out, kind)
            failed = {graph.stem: what for graph in graphs if (what := wrong(options.axc, graph, is_emitted))}
            for name, what in failed.items():
                print(f"{name}, {way}: {what.strip().splitlines()[0]}")
            print(f"{len(graphs) - len(failed)} of {len(graphs)} models {way}")
            all_agree = all_agree and graphs and not failed
    return 0 if all_agree else 1


if __name__ == "__main__":
    sys.exit(main())
