#!/usr/bin/env python3
"""Drives `axc lsp` over its protocol: protocol.py AXC [NAME...]."""
import inspect
import json
import pathlib
import sys
import tempfile
import traceback

import features
import robustness
from client import Client, Failed

TESTS = [test for module in (features, robustness) for test in vars(module).values()
         if inspect.isfunction(test) and list(inspect.signature(test).parameters) == ["c"]]


def main():
    axc, names = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    failed = 0
    for test in TESTS:
        if names and test.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            client = Client(axc, folder)
            client.axc = axc
            try:
                test(client)
                client.close()
            except (AssertionError, Failed, KeyError, TypeError, ValueError) as wrong:
                failed += 1
                print(f"---- {test.__name__}")
                traceback.print_exc(file=sys.stdout)
                print(json.dumps(client.notified[-2:], indent=1)[:2000])
                client.server.kill()
    print(f"{len(TESTS)} tests, {failed} failed")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
