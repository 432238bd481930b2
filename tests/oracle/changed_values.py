"""Tests that `axc compare` finds a changed number: changed_values.py AXC [NAME...].

Dumps all tensors of each graph in operators/ (`axc run --dump-all`); `axc compare` must find no difference. Then changes one number of one
tensor at a time; `axc compare` must name the tensor and the place.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent / "operators"
CODES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}


def inputs(graph, folder):
    with zipfile.ZipFile(graph.with_suffix(".npz")) as arrays:
        arrays.extractall(folder)
    return [word for path in sorted(pathlib.Path(folder).glob("in.*.npy")) for word in ("-i", f"{path.name.split('.')[1]}={path}")]


def outputs(graph):
    with zipfile.ZipFile(graph.with_suffix(".npz")) as arrays:
        return sorted(name.split(".")[1] for name in arrays.namelist() if name.startswith("out."))


def compared(axc, graph, words, reference):
    ran = subprocess.run([axc, "compare", graph, *words, "--against", reference, "--format=json"], capture_output=True, text=True)
    return ran, json.loads(ran.stdout)


def change(path):
    """Adds a half to the last number of a file and returns its place; leaves files unchanged whose format this cannot read."""
    data = bytearray(path.read_bytes())
    header = data[10:10 + struct.unpack("<H", data[8:10])[0]].decode()
    kind, shape = re.search(r"'descr': '(...)'", header), re.search(r"'shape': \(([^)]*)\)", header)[1]
    sizes = [int(size) for size in shape.split(",") if size.strip()]
    if not kind or kind[1] not in CODES or 0 in sizes:
        return None
    code = "<" + CODES[kind[1]]
    width = struct.calcsize(code)
    number = struct.unpack(code, data[-width:])[0]
    if not abs(number) < 1000:
        return None
    data[-width:] = struct.pack(code, number + (0.5 if code[1] in "fd" else 100))
    path.write_bytes(data)
    return [size - 1 for size in sizes]


def wrong(axc, graph):
    """The problem, if there is one, and the number of tensors that were changed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, given = pathlib.Path(scratch) / "all", inputs(graph, scratch)
        given += [word for name in outputs(graph) for word in ("--output", name)]
        ran = subprocess.run([axc, "run", graph, *given, "--dump-all", folder], capture_output=True, text=True)
        if ran.returncode:
            return ran.stderr, 0
        names = {path.stem for path in folder.glob("*.npy")} - {word.split("=")[0] for word in given if "=" in word}
        same, said = compared(axc, graph, given, folder)
        if same.returncode or said["first"] or not said["compared"]:
            return f"against itself: {same.stdout}{same.stderr}", 0
        changed = 0
        for name in sorted(names):
            path = folder / (name + ".npy")
            before, place = path.read_bytes(), change(path)
            if place is None:
                continue
            ran, said = compared(axc, graph, given, folder)
            path.write_bytes(before)
            first = said["first"] or {}
            spelt = re.sub("[/:]", ".", first.get("name", ""))
            if ran.returncode != 3 or spelt not in (name, name + ".0") or first.get("at") != place:
                return f"{name} is changed at {place}: {ran.stdout}{ran.stderr}", changed
            changed += 1
        return "", changed


def main():
    axc, *names = sys.argv[1:]
    graphs = [path for path in sorted(HERE.glob("*.pb")) if not names or path.stem in names]
    failed = changed = 0
    for graph in graphs:
        what, count = wrong(axc, graph)
        changed += count
        if what:
            failed += 1
            print(f"{graph.stem}:\n{what}")
    print(f"{len(graphs) - failed} of {len(graphs)} graphs, {changed} changed tensors found")
    return 1 if failed or changed < len(graphs) else 0


if __name__ == "__main__":
    sys.exit(main())
