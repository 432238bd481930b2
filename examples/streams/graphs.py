#!/usr/bin/env python3
"""Writes for each model of this folder random weights, an input, the same model as a frozen TensorFlow graph, and the output that
TensorFlow computes with it: graphs.py. Needs tensorflow==2.21.
"""
import os
import pathlib
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tensors import random_weights, save_weights  # noqa: E402


def causal(x, kernel, dilation=1):
    padded = tf.pad(x, [[0, 0], [(kernel.shape[0] - 1) * dilation, 0], [0, 0]])
    return tf.nn.conv1d(padded, kernel, 1, "VALID", dilations=dilation)


def same(x, kernel, dilation=1, stride=1):
    return tf.nn.conv1d(x, kernel, stride, "SAME", dilations=dilation)


def dense(x, w, b):
    return tf.tensordot(x, w, 1) + b


def lstm(x, w, r, bias):
    """[1, T, d] to [1, T, u], as a loop over the frames."""
    units = r.shape[0]

    def cell(state, frame):
        i, f, g, o = tf.split(frame @ w + state[0] @ r + bias, 4, axis=-1)
        c = tf.sigmoid(f) * state[1] + tf.sigmoid(i) * tf.tanh(g)
        return tf.sigmoid(o) * tf.tanh(c), c

    return states(x, (tf.zeros([1, units]), tf.zeros([1, units])), cell, lambda state: state[0])


def gru(x, w, r, bias, backwards=False):
    def cell(h, frame):
        xz, xr, xh = tf.split(frame @ w + bias[0], 3, axis=-1)
        hz, hr, hh = tf.split(h @ r + bias[1], 3, axis=-1)
        z = tf.sigmoid(xz + hz)
        return z * h + (1 - z) * tf.tanh(xh + tf.sigmoid(xr + hr) * hh)

    order = (lambda y: tf.reverse(y, [1])) if backwards else (lambda y: y)
    return order(states(order(x), tf.zeros([1, r.shape[0]]), cell, lambda h: h))


def states(x, first, cell, result):
    """The results of the states, [1, T, u], as `tf.scan` computes them."""
    frames = tf.transpose(x, [1, 0, 2])
    return tf.transpose(result(tf.scan(cell, frames, first)), [1, 0, 2])


def mel_bank(bins, bands, rate, low=125.0, high=3800.0):
    """audio.mel_bank of the standard library."""
    def mel(hertz):
        return 1127 * np.log1p(np.asarray(hertz) / 700)

    pitch = mel(np.arange(bins) * (rate / 2) / (bins - 1))[:, None]
    edges = np.linspace(mel(low), mel(high), bands + 2)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    bank = np.maximum(0, np.minimum((pitch - left) / (centre - left), (right - pitch) / (right - centre)))
    bank[0] = 0
    return bank.astype(np.float32)


def wavenet(bands, p):
    x, total = tf.nn.conv1d(bands, p["mix"], 1, "VALID"), 0
    for i in range(6):
        z = tf.tanh(causal(x, p["f"][i], 2 ** i)) * tf.sigmoid(causal(x, p["g"][i], 2 ** i))
        total = total + z
        if i < 5:
            x = x + tf.nn.conv1d(z, p["r"][i], 1, "VALID")
    return tf.nn.softmax(dense(tf.nn.relu(total), p["head"], p["bias"]))


def ds_cnn(audio, p):
    spectra = tf.signal.stft(audio, 256, 128, 256)
    bands = tf.math.log(tf.tensordot(tf.abs(spectra) ** 2, mel_bank(129, 20, 8000.0), 1) + 1e-6)
    x = tf.nn.relu(tf.nn.conv2d(bands[None, :, :, None], p["first"], 2, [[0, 0], [4, 0], [1, 1], [0, 0]]))
    for number in "12":
        depth = tf.transpose(p[f"depth{number}"], [0, 1, 3, 2])
        x = tf.nn.relu(tf.nn.depthwise_conv2d(x, depth, [1, 1, 1, 1], "SAME"))
        x = tf.nn.relu(tf.nn.conv2d(x, p[f"point{number}"], 1, "VALID"))
    return tf.nn.softmax(dense(tf.reduce_mean(x, axis=2), p["head"], p["bias"]))


def crnn(bands, p):
    x = tf.nn.relu(tf.nn.conv1d(bands, p["kernel"], 2, "VALID"))
    return tf.nn.softmax(dense(lstm(x, p["w"], p["r"], p["bias"]), p["head"], p["shift"]))


def two_grus(x, p):
    y = gru(gru(x, p["w1"], p["r1"], p["b1"]), p["w2"], p["r2"], p["b2"])
    return dense(y, p["head"], p["bias"])


def two_branch_tcn(x, p):
    fine = tf.nn.relu(same(tf.nn.relu(same(x, p["fine1"])), p["fine2"]))
    coarse = tf.nn.relu(same(tf.nn.relu(same(x, p["coarse1"], 4)), p["coarse2"], 8))
    return tf.tanh(fine + coarse + x)


def unet(x, p):
    def up(y, kernel, like):
        return tf.nn.relu(tf.nn.conv1d_transpose(y, kernel, tf.shape(like), 2, "VALID"))

    a = tf.nn.relu(same(x, p["in"]))
    b = tf.nn.relu(tf.nn.conv1d(a, p["down1"], 2, "VALID"))
    c = tf.nn.relu(same(tf.nn.relu(tf.nn.conv1d(b, p["down2"], 2, "VALID")), p["mid"]))
    d = tf.nn.relu(same(tf.concat([up(c, p["up2"], b), b], -1), p["join2"]))
    return same(tf.concat([up(d, p["up1"], a), a], -1), p["join1"])


def enhancement(audio, p):
    spectra = tf.signal.rfft(tf.signal.frame(audio, 64, 16))
    loudness = tf.sqrt(tf.math.real(spectra) ** 2 + tf.math.imag(spectra) ** 2 + 1e-6)
    mask = tf.sigmoid(dense(lstm(loudness[None], p["w1"], p["r1"], p["b1"]), p["mask1"], p["shift1"]))[0]
    masked = spectra * tf.complex(mask, tf.zeros_like(mask))
    basis = tf.signal.irfft(masked, [64]) @ p["encode"]
    centred = basis - tf.reduce_mean(basis, axis=-1, keepdims=True)
    scaled = centred * tf.math.rsqrt(tf.reduce_mean(centred * centred, axis=-1, keepdims=True) + 1e-5)
    h = lstm((scaled * p["gain"] + p["offset"])[None], p["w2"], p["r2"], p["b2"])
    out = (basis * tf.sigmoid(dense(h, p["mask2"], p["shift2"]))[0]) @ p["decode"]
    return tf.signal.overlap_and_add(out, 16)


def bidirectional(x, p):
    return tf.concat([gru(x, p["w1"], p["r1"], p["b1"]), gru(x, p["w2"], p["r2"], p["b2"], backwards=True)], -1)


# Of each model: the function, the name, the shape and the length of its input.
MODELS = {
    "wavenet": (wavenet, "bands", (1, None, 20), 90),
    "ds_cnn": (ds_cnn, "audio", (None,), 3000),
    "crnn": (crnn, "bands", (1, None, 16), 41),
    "gru": (two_grus, "x", (1, None, 10), 30),
    "two_branch_tcn": (two_branch_tcn, "x", (1, None, 8), 50),
    "unet": (unet, "x", (1, None, 2), 48),
    "enhancement": (enhancement, "audio", (None,), 800),
    "bidirectional": (bidirectional, "x", (1, None, 10), 20),
}


def freeze(function, name, shape):
    """The frozen graph of a function of one f32 tensor."""
    def body(value):
        return tf.identity(function(value), name="out")

    traced = tf.function(body).get_concrete_function(tf.TensorSpec(shape, tf.float32, name=name))
    return convert_variables_to_constants_v2(traced, lower_control_flow=False).graph


def parameters(model):
    """The shape of each parameter of a model in `.ax`."""
    found = re.findall(r"^param (\w+) *: f32 \[(.*)\];", (HERE / f"{model}.ax").read_text(), re.M)
    return {name: tuple(int(size) for size in sizes.split(",")) for name, sizes in found}


def main():
    for model, (function, name, shape, length) in MODELS.items():
        rng = np.random.default_rng(19)
        weights = random_weights(rng, parameters(model))
        value = rng.standard_normal([size or length for size in shape]).astype(np.float32)
        graph = freeze(lambda x: function(x, weights), name, shape)
        result = tf.compat.v1.Session(graph=graph).run("out:0", {f"{name}:0": value})
        save_weights(HERE / f"{model}.safetensors", weights)
        np.save(HERE / f"{model}.in.npy", value)
        np.save(HERE / f"{model}.out.npy", result)
        (HERE / f"{model}.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
