#!/usr/bin/env python3
"""Writes random weights, an input, and the output computed by NumPy in f64, for attention.ax."""
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tensors import random_weights, save_example, softmax  # noqa: E402

rng = np.random.default_rng(4)
w = random_weights(rng, {
    "ln1.gain": (16,), "ln1.bias": (16,), "qkv": (16, 48), "proj": (16, 16),
    "ln2.gain": (16,), "ln2.bias": (16,), "up": (16, 32), "down": (32, 16)})
x = rng.standard_normal((9, 16)).astype(np.float32)


def layer_norm(x, name):
    mean = x.mean(axis=-1, keepdims=True)
    var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * w[f"{name}.gain"] + w[f"{name}.bias"]


def heads(x):
    return x.reshape(len(x), 4, 4).transpose(1, 0, 2)


x64 = x.astype(np.float64)
q, k, v = (heads(part) for part in np.split(layer_norm(x64, "ln1") @ w["qkv"], 3, axis=-1))
mixed = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(4)) @ v
y = x64 + mixed.transpose(1, 0, 2).reshape(len(x), 16) @ w["proj"]
save_example(HERE, w, {"x": x}, {"expected": y + np.maximum(layer_norm(y, "ln2") @ w["up"], 0) @ w["down"]})
