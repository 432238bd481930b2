"""The network of spotter.ax in TensorFlow."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
from speech import LABELS, RATE, STEP, WINDOW

FFT, BANDS, CHANNELS, TAPS, SMOOTHED = 512, 40, 48, 3, 8
DILATIONS = (1, 2, 4, 8, 16, 16)
FLOOR = 1e-3  # of the energy in a band: about that of the least noise in training, for recordings without any


def mel_bank(low=125.0, high=7500.0):
    """audio.mel_bank of stdlib: [bins, bands]"""
    def mel(hertz):
        return 1127 * np.log1p(np.asarray(hertz) / 700)

    pitch = mel(np.arange(FFT // 2 + 1) * (RATE / 2) / (FFT // 2))[:, None]
    edges = np.linspace(mel(low), mel(high), BANDS + 2)
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    bank = np.maximum(0, np.minimum((pitch - left) / (centre - left), (right - pitch) / (right - centre)))
    bank[0] = 0
    return bank.astype(np.float32)


def windows(sound):
    """[samples] to [frames, WINDOW]: three neighbouring blocks of STEP samples are a window. The samples fill whole blocks."""
    blocks = tf.reshape(sound, [-1, STEP])
    return tf.concat([blocks[:-2], blocks[1:-1], blocks[2:]], axis=1)


def log_mel(framed, floor=FLOOR):
    """[.., frames, WINDOW] to [.., frames, BANDS]"""
    hann = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)
    spectra = tf.signal.rfft(framed * hann, [FFT])
    power = tf.math.real(spectra) ** 2 + tf.math.imag(spectra) ** 2
    return tf.math.log(tf.tensordot(power, mel_bank(), 1) + floor)


def logits(features, weights, normalised=lambda x, name: x):
    """[n, frames, BANDS] to [n, frames, labels]: convolutions that see only the past."""
    def layer(x, name, dilation):
        padded = tf.pad(x, [[0, 0], [(TAPS - 1) * dilation, 0], [0, 0]])
        convolved = tf.nn.conv1d(padded, weights[f"w{name}"], 1, "VALID", dilations=dilation)
        return tf.nn.relu(normalised(convolved, name) + weights[f"b{name}"])

    x = layer((features - weights["mean"]) * weights["scale"], 0, 1)
    for i, dilation in enumerate(DILATIONS, 1):
        x = x + layer(x, i, dilation)
    return tf.tensordot(x, weights["w"], 1) + weights["b"]


def smoothed(probabilities):
    """[n, frames, labels]: the mean of the last SMOOTHED frames, with zeros in front of the first one."""
    return tf.nn.avg_pool1d(tf.pad(probabilities, [[0, 0], [SMOOTHED - 1, 0], [0, 0]]), SMOOTHED, 1, "VALID")


def first_weights(rng, mean, scale):
    """f32 arrays: random ones for the layers, and how features are normalised."""
    shapes = {"w0": (TAPS, BANDS, CHANNELS), "b0": (CHANNELS,), "w": (CHANNELS, len(LABELS)), "b": (len(LABELS),)}
    for i in range(1, len(DILATIONS) + 1):
        shapes |= {f"w{i}": (TAPS, CHANNELS, CHANNELS), f"b{i}": (CHANNELS,)}
    drawn = {name: rng.standard_normal(shape) * np.sqrt(1 / np.prod(shape[:-1])) if len(shape) > 1 else np.zeros(shape)
             for name, shape in shapes.items()}
    return {name: np.asarray(value, np.float32) for name, value in (drawn | {"mean": mean, "scale": scale}).items()}
