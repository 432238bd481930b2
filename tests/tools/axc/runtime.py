#!/usr/bin/env python3
"""Tests `axc build --runtime`: runtime.py AXC AXRUN TARGET [EMULATOR...].

A runtime for one bundle computes what axrun computes, is smaller, refuses other bundles, and needs only libc and libm.
Where the target's compiler or device library is missing it exits with 77, which ctest shows as skipped.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
AXC, AXRUN, TARGET, *EMULATOR = sys.argv[1:]
MODELS = {
    # f32 only; several element types for one operator; a body; an epilogue and a chain
    "floats.ax": "main = fn (x : f32 [n, 6], w : f32 [6, 4]) { relu(matmul(x, w) + 1) };\n",
    "mixed.ax": "main = fn (x : f32 [n], y : i64 [n]) { (x + x * x, y + y * y, sum(x)) };\n",
    # the operators of a network for keyword spotting, with separable convolutions
    "keywords.ax": """
param first : f32 [10, 4, 1, 64];
param depth : f32 [3, 3, 1, 64];
param point : f32 [1, 1, 64, 64];
param dense : f32 [64, 12];
param bias : f32 [64];
main = fn (x : f32 [n, 49, 10, 1]) {
  a = relu(conv2d(x, first, stride=[2, 2], padding="same") + bias);
  b = relu(conv2d(relu(conv2d(a, depth, padding="same", groups=64) + bias), point) + bias);
  softmax(matmul(mean(b, axis=[1, 2]), dense))
};
""",
}
MOST_BYTES = {"arm64": 350_000, "armhf": 260_000}  # of the runtime for keywords.ax, as bench/sizes.py promises
LIBC = re.compile(r"lib[cm]\.so\.6|ld-linux[\w-]*\.so\.\d")


def run(*words, cwd, exit_code=0, env=None):
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, env=env)
    if done.returncode != exit_code:
        sys.exit(f"{words}\nexit {done.returncode}, not {exit_code}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def expect(condition, what):
    if not condition:
        sys.exit(what)


def results(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def check_targets(folder):
    """One layout of weights is for all machines, so a bundle may be built for each and is the same."""
    made = set()
    for number, target in enumerate(("host", "arm64", "arm64:cortex-a72", "armhf:cortex-a7", "x86-64", "x86-64:znver4", "portable")):
        run(AXC, "build", "floats.ax", "--target", target, "-o", f"{number}.axb", cwd=folder)
        made.add((folder / f"{number}.axb").read_bytes())
    expect(len(made) == 1, f"bundles for {len(made)} kinds of targets")
    for target, problem in (("nonsense", "takes one of host, arm64, armhf, x86-64 and portable, not nonsense"), ("", "takes one of host"),
                            ("host:cortex-a72", "takes one of host"), ("portable:cortex-a72", "takes one of host"),
                            ("arm64:cortex", "of arm64 it takes cortex-a35, "), ("arm64:", "of arm64 it takes ")):
        told = run(AXC, "build", "floats.ax", "--target", target, "-o", "no.axb", cwd=folder, exit_code=2)
        expect(problem in told, told)
    told = run(AXC, "build", "floats.ax", "--target", "portable", "-o", "no.axb", "--runtime", "no", cwd=folder, exit_code=2)
    expect("a runtime is for one machine" in told, told)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in MODELS.items():
            (folder / file).write_text(text)
        probe = subprocess.run([AXC, "build", "floats.ax", "--runtime", "probe", "--target", TARGET], cwd=folder,
                               capture_output=True, text=True)
        if TARGET != "host" and re.search("there is no device library|no compiler for", probe.stderr):
            expect(probe.returncode == 2 and not (folder / "probe").exists(), "a failure leaves a file")
            print(f"SKIPPED: {probe.stderr}", file=sys.stderr)
            return 77

        sizes = {}
        for model in MODELS:
            stem = model.removesuffix(".ax")
            weights = ["--weights", "random:1"] if "param" in MODELS[model] else []
            run(AXC, "build", model, *weights, "-o", f"{stem}.axb", "--runtime", stem, "--target", TARGET, cwd=folder)
            run(AXC, "build", f"{stem}.axb", "--runtime", f"{stem}.again", "--target", TARGET, cwd=folder)
            expect((folder / stem).read_bytes() == (folder / f"{stem}.again").read_bytes(), "model and bundle link different runtimes")
            runs = (*EMULATOR, folder / stem)
            run(*runs, "run", f"{stem}.axb", "--set", "n=5", "-o", f"{stem}.own", cwd=folder)
            run(AXRUN, "run", f"{stem}.axb", "--set", "n=5", "-o", f"{stem}.whole", cwd=folder)
            own, whole = results(folder / f"{stem}.own"), results(folder / f"{stem}.whole")
            expect(own.keys() == whole.keys(), f"{model}: other outputs")
            if TARGET == "host":  # another machine rounds differently
                expect(own == whole, f"{model}: other results than those of axrun")
            run(*runs, "info", f"{stem}.axb", cwd=folder)
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", stem, cwd=folder))
            expect(all(LIBC.fullmatch(library) for library in needed), f"{stem} needs {needed}")
            sizes[stem] = (folder / stem).stat().st_size
        expect(sizes["keywords"] <= MOST_BYTES.get(TARGET, sizes["keywords"]), f"a runtime is too large: {sizes}")
        if TARGET == "host":
            expect(max(sizes.values()) < pathlib.Path(AXRUN).stat().st_size * 0.7, f"as large as axrun: {sizes}")
        told = run(*EMULATOR, folder / "floats", "info", "mixed.axb", cwd=folder, exit_code=1)
        expect("is not in this runtime, which was built for another bundle" in told, told)

        # has threads only if the bundle is planned for them, and no profiling
        run(AXC, "build", "floats.ax", "--threads", "2", "-o", "two.axb", "--runtime", "two", "--target", TARGET, cwd=folder)
        expect((folder / "two").stat().st_size > sizes["floats"], "a runtime of two threads is not larger")
        for program, exit_code in (("two", 0), ("floats", 2)):
            told = run(*EMULATOR, folder / program, "run", "two.axb", "--set", "n=5", "--threads", "2", cwd=folder, exit_code=exit_code)
            expect(("2 threads: this program is linked for 1" in told) == (program == "floats"), told)
        run(*EMULATOR, folder / "floats", "run", "two.axb", "--set", "n=5", cwd=folder)
        for words in (["run", "--profile"], ["bench"]):
            told = run(*EMULATOR, folder / "floats", *words, "floats.axb", "--set", "n=5", cwd=folder, exit_code=2)
            expect("error: unknown" in told, told)

        check_targets(folder)
        told = run(AXC, "build", "floats.ax", "--runtime", "no", "-o", "no", cwd=folder, exit_code=2)
        expect("-o and --runtime name the same file" in told, told)
        told = run(AXC, "build", "floats.ax", "--runtime", "floats.ax", cwd=folder, exit_code=2)
        expect("cannot be written over it" in told, told)
        told = run(AXC, "build", "floats.ax", cwd=folder, exit_code=2)
        expect("-o OUT is missing" in told, told)
        told = run(AXC, "build", "floats.ax", "-o", "no.axb", "--runtime", "no", "--target", TARGET, "--device-lib", "nowhere", cwd=folder,
                   exit_code=2)
        expect("there is no device library" in told and "--device-lib names another folder" in told, told)
        told = run(AXC, "build", "floats.ax", "-o", "no.axb", "--runtime", "no", "--target", TARGET, cwd=folder, exit_code=2,
                   env={"PATH": str(folder)})
        expect("no compiler for" in told and "scripts/setup" in told, told)
        expect(not (folder / "no").exists() and not (folder / "no.axb").exists(), "a failure leaves a file")
        print(TARGET, sizes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
