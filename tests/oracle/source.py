"""Writes graphs of `frozen/` and `operators/` as source and compares the text with `source/`: source.py AXC [--update]."""
import argparse
import difflib
import pathlib
import sys
import tempfile

from values import HERE, emitted, outputs_of

SOURCES = HERE / "source"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("axc")
    parser.add_argument("--update", action="store_true", help="rewrite the expected source; look at the diff")
    options = parser.parse_args()
    failed = 0
    for golden in sorted(SOURCES.glob("*.ax")):
        graph = next(path for kind in ("frozen", "operators") if (path := HERE / kind / f"{golden.stem}.pb").exists())
        with tempfile.TemporaryDirectory() as folder:
            made, trouble = emitted(options.axc, graph, outputs_of(graph), folder)
            text = made[0][0].read_text() if made else trouble
        if options.update and made:
            golden.write_text(text)
        if text != golden.read_text():
            failed += 1
            lines = difflib.unified_diff(golden.read_text().splitlines(), text.splitlines(), str(golden), "now", lineterm="")
            print("\n".join(lines))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
