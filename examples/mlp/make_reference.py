#!/usr/bin/env python3
"""Writes random weights, an input, and the output computed by NumPy in f64, for mlp.ax."""
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tensors import random_weights, save_example  # noqa: E402

rng = np.random.default_rng(1)
w = random_weights(rng, {"hidden.kernel": (16, 32), "hidden.bias": (32,), "out.kernel": (32, 5), "out.bias": (5,)})
x = rng.standard_normal((7, 16)).astype(np.float32)

hidden = np.maximum(x.astype(np.float64) @ w["hidden.kernel"] + w["hidden.bias"], 0)
save_example(HERE, w, {"x": x}, {"expected": hidden @ w["out.kernel"] + w["out.bias"]})
