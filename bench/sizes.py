"""Sizes of axrun, of a release build and of the builds for ARM."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
AXC = ROOT / "build/release/bin/axc"
RUNTIME_LIMITS = {"arm64": 350, "armhf": 260}  # KB, of a runtime for DS-CNN alone
STRIPS = {"release": "strip", "arm64": "aarch64-linux-gnu-strip", "armhf": "arm-linux-gnueabihf-strip"}


def stripped_size(preset):
    """Bytes of this preset's axrun without symbols; None if it is not built."""
    tool, strip = ROOT / f"build/{preset}/bin/axrun", shutil.which(STRIPS[preset])
    if not tool.is_file() or not strip:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "axrun"
        subprocess.run([strip, "-o", copy, tool], check=True)
        return copy.stat().st_size


def runtime_size(model, target):
    """Bytes of a runtime for this model alone; None if it cannot be linked."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "axrun"
        done = subprocess.run([AXC, "build", model, "--runtime", out, "--target", target], capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stderr.rstrip(), file=sys.stderr)
            return None
        return out.stat().st_size
