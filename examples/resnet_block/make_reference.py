#!/usr/bin/env python3
"""Writes random weights, an input, and the output computed by NumPy in f64, for resnet_block.ax."""
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tensors import conv2d, random_weights, save_example  # noqa: E402

rng = np.random.default_rng(3)
w = random_weights(rng, {"conv1": (3, 3, 8, 16), "conv2": (3, 3, 16, 16), "shortcut": (1, 1, 8, 16)})
for norm in ("bn1", "bn2"):
    w |= {f"{norm}.{part}": rng.uniform(0.5, 1.5, 16).astype(np.float32) for part in ("scale", "shift", "mean", "var")}
x = rng.standard_normal((2, 8, 6, 8)).astype(np.float32)


def batch_norm(x, name):
    scale, shift, mean, var = (w[f"{name}.{part}"].astype(np.float64) for part in ("scale", "shift", "mean", "var"))
    return (x - mean) / np.sqrt(var + 0.001) * scale + shift


# On even sizes "same" with stride 2 pads nothing before and one pixel behind.
y = conv2d(x, w["conv1"], stride=2, pad=(0, 1))
z = np.maximum(batch_norm(y, "bn1"), 0)
u = batch_norm(conv2d(z, w["conv2"], pad=(1, 1)), "bn2")
save_example(HERE, w, {"x": x}, {"expected": np.maximum(u + conv2d(x, w["shortcut"], stride=2), 0)})
