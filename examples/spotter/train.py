#!/usr/bin/env python3
"""Trains the spotter on speech from espeak-ng with noise, in minutes on one core: train.py [--steps N]. Writes spotter.safetensors.

A frame has the label of the keyword that ended a moment ago; between the middle of a keyword and its end any label is right.
"""
import argparse
import pathlib
import sys

import numpy as np
import tensorflow as tf
from network import first_weights, log_mel, logits
from speech import KEYWORDS, LABELS, OTHERS, RATE, STEP, TRAINING_VOICES, WINDOW, recording, spoken

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tensors import save_weights  # noqa: E402

SECONDS, BATCH = 3, 24
LATE = 0.25  # seconds behind the end of a keyword that have its label


def targets(spans, frames):
    """The label of each frame, and its weight in the loss."""
    labels, weights = np.zeros(frames, np.int32), np.ones(frames, np.float32)
    for word, start, stop in spans:
        if word not in KEYWORDS:
            continue
        def frame(sample):  # the first frame that is computed from samples behind this one
            return int(np.clip((sample - WINDOW) // STEP + 1, 0, frames))
        begin, end = frame(stop), frame(stop + LATE * RATE)
        weights[frame((start + stop) / 2):begin] = 0
        labels[begin:end] = LABELS.index(word)
        weights[end:end + 10] = 0
    return labels, weights


def batch(rng, words):
    sounds, labels, weights = [], [], []
    for _ in range(BATCH):
        sound, spans = recording(rng, words, SECONDS, rng.uniform(-3, 30), pause=rng.uniform(0.1, 0.6), vary=True)
        one = targets(spans, (len(sound) - WINDOW) // STEP + 1)
        sounds.append(sound), labels.append(one[0]), weights.append(one[1])
    return np.stack(sounds), np.stack(labels), np.stack(weights)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2200)
    steps = parser.parse_args().steps
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    rng = np.random.default_rng(1)
    words = spoken(rng, KEYWORDS, TRAINING_VOICES, 220) + spoken(rng, OTHERS, TRAINING_VOICES, 16)
    print(f"{len(words)} words are spoken", flush=True)

    def features(sounds):
        return log_mel(tf.signal.frame(sounds, WINDOW, STEP))

    some = features(batch(rng, words)[0]).numpy()
    start = first_weights(rng, some.mean(axis=(0, 1)), 1 / some.std(axis=(0, 1)))
    variables = {name: tf.Variable(value) for name, value in start.items() if name not in ("mean", "scale")}
    moments = {name: (tf.Variable(tf.zeros_like(v)), tf.Variable(tf.zeros_like(v))) for name, v in variables.items()}

    @tf.function
    def step(sounds, labels, weights, rate, number):
        with tf.GradientTape() as tape:
            given = logits(features(sounds), {**start, **variables})
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, given)
            loss = tf.reduce_sum(losses * weights * (1 + tf.cast(labels > 0, tf.float32))) / tf.reduce_sum(weights)
        for (name, variable), slope in zip(variables.items(), tape.gradient(loss, list(variables.values()))):
            first, second = moments[name]  # Adam
            first.assign(0.9 * first + 0.1 * slope)
            second.assign(0.999 * second + 0.001 * slope * slope)
            size = tf.sqrt(second / (1 - 0.999 ** number)) + 1e-7
            variable.assign_sub(rate * first / (1 - 0.9 ** number) / size)
        return loss

    mean = 0
    for number in range(1, steps + 1):
        rate = 4e-3 * min(1, number / 100) * 0.5 * (1 + np.cos(np.pi * number / steps))
        loss = float(step(*batch(rng, words), tf.constant(rate, tf.float32), tf.constant(number, tf.float32)))
        mean = loss if number == 1 else 0.98 * mean + 0.02 * loss
        if number % 50 == 0:
            print(f"step {number} of {steps}: loss {mean:.3f}", flush=True)
    weights = start | {name: variable.numpy() for name, variable in variables.items()}
    save_weights(pathlib.Path(__file__).with_name("spotter.safetensors"), weights)
    print(f"{sum(value.size for value in weights.values())} weights")


if __name__ == "__main__":
    main()
