#!/usr/bin/env python3
"""Tests Neovim without a screen, with editors/neovim and `axc lsp`: neovim.py AXC. Exits 77 (skipped) without nvim."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PLUGIN = HERE.parents[1] / "editors/neovim"
SKIPPED, LIMIT_S = 77, 120


def main():
    axc = pathlib.Path(sys.argv[1]).resolve()
    nvim = shutil.which("nvim")
    if not nvim:
        print("SKIPPED: there is no nvim here (scripts/setup installs it); nothing of the editor was tested")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HOME": folder, "AXC": str(axc), "FOLDER": folder, "XDG_CACHE_HOME": folder + "/cache",
                       "XDG_CONFIG_HOME": folder + "/config", "XDG_DATA_HOME": folder + "/data", "XDG_STATE_HOME": folder + "/state"}
        done = subprocess.run([nvim, "--headless", "-n", "-u", "NONE", "-i", "NONE", "--cmd", f"set runtimepath^={PLUGIN}",
                               "-c", f"luafile {HERE / 'neovim.lua'}"],
                              cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
    said = (done.stdout + done.stderr).decode(errors="replace")
    print(said)
    return 0 if done.returncode == 0 and "all of the editor's tests passed" in said else 1


if __name__ == "__main__":
    sys.exit(main())
