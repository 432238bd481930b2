#!/usr/bin/env python3
"""Writes random weights, an input, and the output computed by NumPy in f64, for lenet.ax."""
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tensors import conv2d, random_weights, save_example, softmax  # noqa: E402

rng = np.random.default_rng(2)
w = random_weights(rng, {
    "c1.kernel": (5, 5, 1, 4), "c1.bias": (4,), "c2.kernel": (5, 5, 4, 8), "c2.bias": (8,),
    "f1.kernel": (200, 24), "f1.bias": (24,), "f2.kernel": (24, 10), "f2.bias": (10,)})
x = rng.random((3, 28, 28, 1)).astype(np.float32)


def halve(x):
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).mean(axis=(2, 4))


a = halve(np.tanh(conv2d(x, w["c1.kernel"], pad=(2, 2)) + w["c1.bias"]))
b = halve(np.tanh(conv2d(a, w["c2.kernel"]) + w["c2.bias"])).reshape(len(x), -1)
logits = np.tanh(b @ w["f1.kernel"] + w["f1.bias"]) @ w["f2.kernel"] + w["f2.bias"]
save_example(HERE, w, {"x": x}, {"expected": softmax(logits)})
