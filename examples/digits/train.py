#!/usr/bin/env python3
"""Trains the digit reader of digits.ax with NumPy alone and writes the files beside this script:

    digits.safetensors   the weights
    test_images.npy      f32 [360, 8, 8, 1], the images held back, grey levels 0 to 1
    test_labels.npy      i64 [360], which digit each one is
    wrong_size.npy       f32 [1, 8, 9, 1], an image that the model must refuse

The data are the 1,797 scanned 8x8 digits that ship in scikit-learn's wheel (examples/requirements.txt pins it). A fixed
seed chooses the 360 held back, the first weights, the batches and the shifts, so a run repeats; it takes under a minute.
"""
import gzip
import importlib.metadata
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tensors import save_weights  # noqa: E402

SEED, EPOCHS, BATCH, RATE, DECAY = 7, 60, 32, 2e-3, 1e-4


def scanned_digits():
    """Images f32 [1797, 8, 8, 1] in 0..1 and labels i64 [1797]: each line of the file is 64 grey levels 0..16, then the digit."""
    found = [f for f in importlib.metadata.files("scikit-learn") if f.name == "digits.csv.gz"]
    with gzip.open(found[0].locate(), "rt") as lines:
        table = np.loadtxt(lines, delimiter=",")
    return (table[:, :64] / 16).astype(np.float32).reshape(-1, 8, 8, 1), table[:, 64].astype(np.int64)


def windows(x):
    """[n, h, w, c] -> [n, h, w, 9*c]: each pixel with its neighbours, zeros outside (a 3x3 convolution with same padding)."""
    n, h, w, c = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return np.concatenate([padded[:, i:i + h, j:j + w] for i in range(3) for j in range(3)], axis=-1)


def windows_back(g, c):
    """The gradient of `windows`: every neighbour's share goes back to its pixel."""
    n, h, w, _ = g.shape
    padded = np.zeros((n, h + 2, w + 2, c), g.dtype)
    for k in range(9):
        i, j = divmod(k, 3)
        padded[:, i:i + h, j:j + w] += g[..., k * c:(k + 1) * c]
    return padded[:, 1:-1, 1:-1]


def halve(x):
    """2x2 maximum pool, and which of each four pixels was the maximum (shared where several are)."""
    n, h, w, c = x.shape
    cells = x.reshape(n, h // 2, 2, w // 2, 2, c)
    top = cells.max(axis=(2, 4), keepdims=True)
    hit = (cells == top).astype(x.dtype)
    return top[:, :, 0, :, 0], hit / hit.sum(axis=(2, 4), keepdims=True)


def forward(p, x):
    """Class probabilities [n, 10], and what the backward pass needs. The same steps as digits.ax."""
    w1 = windows(x)
    a1 = np.maximum(w1 @ p["conv1.kernel"].reshape(9, -1) + p["conv1.bias"], 0)
    w2 = windows(a1)
    a2 = np.maximum(w2 @ p["conv2.kernel"].reshape(-1, p["conv2.bias"].size) + p["conv2.bias"], 0)
    pooled, hit = halve(a2)
    flat = pooled.reshape(len(x), -1)
    a3 = np.maximum(flat @ p["hidden.kernel"] + p["hidden.bias"], 0)
    logits = a3 @ p["out.kernel"] + p["out.bias"]
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), (w1, a1, w2, a2, hit, pooled.shape, flat, a3)


def backward(p, labels, probabilities, kept):
    """Gradients of the mean cross-entropy, by name."""
    w1, a1, w2, a2, hit, pooled_shape, flat, a3 = kept
    n, g = len(labels), {}
    d = probabilities.copy()
    d[np.arange(n), labels] -= 1
    d /= n
    g["out.kernel"], g["out.bias"] = a3.T @ d, d.sum(axis=0)
    d = (d @ p["out.kernel"].T) * (a3 > 0)
    g["hidden.kernel"], g["hidden.bias"] = flat.T @ d, d.sum(axis=0)
    d = (d @ p["hidden.kernel"].T).reshape(pooled_shape)[:, :, None, :, None]
    d = (d * hit).reshape(a2.shape) * (a2 > 0)
    rows = d.reshape(-1, d.shape[-1])
    g["conv2.kernel"] = (w2.reshape(len(rows), -1).T @ rows).reshape(p["conv2.kernel"].shape)
    g["conv2.bias"] = rows.sum(axis=0)
    d = windows_back(d @ p["conv2.kernel"].reshape(-1, d.shape[-1]).T, a1.shape[-1]) * (a1 > 0)
    rows = d.reshape(-1, d.shape[-1])
    g["conv1.kernel"] = (w1.reshape(len(rows), -1).T @ rows).reshape(p["conv1.kernel"].shape)
    g["conv1.bias"] = rows.sum(axis=0)
    return g


def first_weights(rng):
    """He-scaled kernels, zero biases."""
    shapes = {"conv1": (3, 3, 1, 16), "conv2": (3, 3, 16, 32), "hidden": (512, 64), "out": (64, 10)}
    p = {}
    for name, shape in shapes.items():
        scale = np.sqrt(2 / np.prod(shape[:-1]))
        p[f"{name}.kernel"] = (rng.standard_normal(shape) * scale).astype(np.float32)
        p[f"{name}.bias"] = np.zeros(shape[-1], np.float32)
    return p


def shifted(rng, x):
    """Each image moved by up to one pixel each way, half of them not at all."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moves = rng.choice([0, 1, 1, 2], size=(len(x), 2))
    return np.stack([image[i:i + 8, j:j + 8] for image, (i, j) in zip(padded, moves)])


def train(rng, images, labels):
    p = first_weights(rng)
    mean, square = ({k: np.zeros_like(v) for k, v in p.items()} for _ in range(2))
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = rng.permutation(len(images))
        for start in range(0, len(order), BATCH):
            chosen = order[start:start + BATCH]
            x, y = shifted(rng, images[chosen]), labels[chosen]
            gradients = backward(p, y, *forward(p, x))
            step += 1
            for k, g in gradients.items():                      # Adam with decoupled weight decay
                mean[k] += 0.1 * (g - mean[k])
                square[k] += 0.001 * (g * g - square[k])
                move = (mean[k] / (1 - 0.9 ** step)) / (np.sqrt(square[k] / (1 - 0.999 ** step)) + 1e-8)
                p[k] -= (rate * (move + DECAY * p[k])).astype(np.float32)
    return p


def accuracy(p, images, labels):
    return float((forward(p, images)[0].argmax(axis=1) == labels).mean())


def main():
    rng = np.random.default_rng(SEED)
    images, labels = scanned_digits()
    order = rng.permutation(len(images))
    held, kept = order[:360], order[360:]
    p = train(rng, images[kept], labels[kept])
    print(f"accuracy: {accuracy(p, images[kept], labels[kept]):.4f} of the {len(kept)} trained on, "
          f"{accuracy(p, images[held], labels[held]):.4f} of the {len(held)} held back")
    save_weights(HERE / "digits.safetensors", p)
    np.save(HERE / "test_images.npy", images[held])
    np.save(HERE / "test_labels.npy", labels[held])
    np.save(HERE / "wrong_size.npy", np.zeros((1, 8, 9, 1), np.float32))


if __name__ == "__main__":
    main()
