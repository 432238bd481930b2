#!/usr/bin/env python3
"""Checks, builds and runs one example as a user would: example.py AXC AXRUN FOLDER.

The result must equal the committed reference to 1e-5, with the bundle and with `axc run`. For digits, at least 97 % of the images must be
read correctly, and a wrong size must be refused before anything runs, with a message that names the input.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/digits"))
from accuracy import right  # noqa: E402

AXC, AXRUN, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def run(*command, status=0):
    """Standard output, or standard error where failure is expected."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}\nexit {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stderr if status else done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(what)


def check_and_build(scratch):
    model = FOLDER / f"{FOLDER.name}.ax"
    weights = ["--weights", FOLDER / f"{FOLDER.name}.safetensors"]
    types = run(AXC, "check", model, *weights)
    expect("main : " in types, f"no type of main in:\n{types}")
    run(AXC, "build", model, *weights, "-o", scratch / "model.axb")
    return model, weights, scratch / "model.axb"


def compare(model, weights, bundle):
    reference = ["-i", f"x={FOLDER / 'x.npy'}", "--expect", f"out={FOLDER / 'expected.npy'}", "--rtol", "1e-5", "--atol", "1e-5"]
    for words in ([AXRUN, "run", bundle], [AXC, "run", model, *weights]):
        report = run(*words, *reference)
        expect("out: largest error" in report, f"no comparison in:\n{report}")


def read_digits(model, weights, bundle, scratch):
    images = f"images={FOLDER / 'test_images.npy'}"
    for number, words in enumerate(([AXRUN, "run", bundle], [AXC, "run", model, *weights])):
        results = scratch / f"results{number}"
        run(*words, "-i", images, "-o", results)
        count, of = right(results / "out.npy", FOLDER / "test_labels.npy")
        expect(of == 360 and count >= 0.97 * of, f"only {count} of {of} digits are read correctly")
    message = run(AXRUN, "run", bundle, "-i", f"images={FOLDER / 'wrong_size.npy'}", status=3)
    expect("images" in message and "9" in message, f"the refusal does not name the input and its size:\n{message}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        model, weights, bundle = check_and_build(scratch)
        if FOLDER.name == "digits":
            read_digits(model, weights, bundle, scratch)
        else:
            compare(model, weights, bundle)


if __name__ == "__main__":
    main()
