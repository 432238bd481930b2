#!/usr/bin/env python3
"""Trains the spotter on speech from espeak-ng with noise, in minutes on one core: train.py [--steps N]. Writes spotter.safetensors.

A frame has the label of the keyword that ended a moment ago. From the middle of a keyword to 0.1 s behind its end any label is right: only
then is it known that the word does not go on, as `on` does in `only`.
"""
import argparse
import pathlib
import sys

import numpy as np
import tensorflow as tf
from network import DILATIONS, first_weights, log_mel, logits
from speech import (KEYWORDS, LABELS, OTHERS, RATE, STEP, TRAINING_VOICES, WINDOW, babble, invented, no_keywords, noise, recording,
                    spoken)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tensors import save_weights  # noqa: E402

SECONDS, BATCH = 3, 24
FLOOR = 1e-6  # each sound has noise here
EARLY, LATE = 0.1, 0.3  # seconds behind the end of a keyword between which frames have its label
BEHIND = 0.15  # seconds after that with any label


def targets(spans, frames):
    """The label of each frame, and its weight in the loss."""
    labels, weights = np.zeros(frames, np.int32), np.ones(frames, np.float32)

    def frame(sample):  # the first frame that is computed from samples behind this one
        return int(np.clip((sample - WINDOW) // STEP + 1, 0, frames))

    for text, start, stop in spans:
        if text in KEYWORDS:
            begin, end = frame(stop + EARLY * RATE), frame(stop + LATE * RATE)
            weights[frame((start + stop) / 2):begin] = 0
            labels[begin:end] = LABELS.index(text)
            weights[begin:end] = 1
            weights[end:frame(stop + (LATE + BEHIND) * RATE)] = 0
    return labels, weights


class Corpus:
    """Speech to draw from: keywords, other words, some of them in one breath, and noises."""

    def __init__(self, rng):
        self.rng = rng
        others = no_keywords(OTHERS)
        phrases = [" ".join(others[i] for i in rng.integers(len(others), size=rng.integers(2, 5))) for _ in range(2500)]
        self.keywords = spoken(rng, KEYWORDS, TRAINING_VOICES, 700)
        self.others = spoken(rng, others, TRAINING_VOICES, 12)
        self.phrases = spoken(rng, phrases + invented(rng, 6000), TRAINING_VOICES, 1)
        self.noises = [noise(rng, 20 * RATE) for _ in range(60)] + [babble(rng, self.others, 20 * RATE) for _ in range(20)]

    def word(self):
        kind = self.rng.choice(3, p=(0.4, 0.25, 0.35))
        among = (self.keywords, self.others, self.phrases)[kind]
        return among[self.rng.integers(len(among))]

    def noise(self, count):
        one = self.noises[self.rng.integers(len(self.noises))]
        at = self.rng.integers(len(one) - count)
        return one[at:at + count]

    def batch(self):
        """Sounds [BATCH, samples], labels and weights [BATCH, frames]; one sound of 24 has no speech."""
        sounds, labels, weights = [], [], []
        for i in range(BATCH):
            decibels = self.rng.uniform(-4, 25)
            hum = self.noise(SECONDS * RATE)
            if i == 0:
                sound, spans = (hum * 10 ** self.rng.uniform(-4, -0.7)).astype(np.float32), []
            else:
                sound, spans = recording(self.rng, self.word, SECONDS, decibels, hum, pause=self.rng.uniform(0.08, 0.6), vary=True)
            one = targets(spans, (len(sound) - WINDOW) // STEP + 1)
            sounds.append(sound), labels.append(one[0]), weights.append(one[1])
        return np.stack(sounds), np.stack(labels), np.stack(weights)


class Training:
    """The weights, with batches normalised in each layer, and Adam's moments."""

    def __init__(self, start):
        self.start = start
        scales = {f"g{i}": np.ones_like(start[f"b{i}"]) for i in range(len(DILATIONS) + 1)}
        self.variables = {name: tf.Variable(value) for name, value in (start | scales).items() if name not in ("mean", "scale")}
        self.moments = {name: (tf.Variable(tf.zeros_like(v)), tf.Variable(tf.zeros_like(v))) for name, v in self.variables.items()}

    def forward(self, sounds):
        """The logits, and the mean and the standard deviation of each layer."""
        seen = {}

        def normalised(x, name):
            mean, variance = tf.nn.moments(x, axes=[0, 1])
            seen[str(name)] = mean, tf.sqrt(variance + 1e-4)
            return (x - mean) / seen[str(name)][1] * self.variables[f"g{name}"]

        features = log_mel(tf.signal.frame(sounds, WINDOW, STEP), FLOOR)
        return logits(features, {**self.start, **self.variables}, normalised), seen

    @tf.function
    def step(self, sounds, labels, weights, rate, number):
        with tf.GradientTape() as tape:
            given, _ = self.forward(sounds)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, given)
            loss = tf.reduce_sum(losses * weights * (1 + tf.cast(labels > 0, tf.float32))) / tf.reduce_sum(weights)
        for (name, variable), slope in zip(self.variables.items(), tape.gradient(loss, list(self.variables.values()))):
            first, second = self.moments[name]
            first.assign(0.9 * first + 0.1 * slope)
            second.assign(0.999 * second + 0.001 * slope * slope)
            size = tf.sqrt(second / (1 - 0.999 ** number)) + 1e-7
            variable.assign_sub(rate * first / (1 - 0.9 ** number) / size)
        return loss

    @tf.function
    def seen(self, sounds):
        return self.forward(sounds)[1]

    def weights(self, batches):
        """The weights of the same network without normalisation, with the means of some batches in their place."""
        seen = [self.seen(sounds) for sounds in batches]
        found = self.start | {name: variable.numpy() for name, variable in self.variables.items() if name[0] != "g"}
        for i in range(len(DILATIONS) + 1):
            mean, deviation = (np.mean([one[str(i)][k].numpy() for one in seen], axis=0) for k in (0, 1))
            scale = self.variables[f"g{i}"].numpy() / deviation
            found[f"w{i}"] = found[f"w{i}"] * scale
            found[f"b{i}"] = found[f"b{i}"] - mean * scale
        return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4500)
    steps = parser.parse_args().steps
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    rng = np.random.default_rng(1)
    corpus = Corpus(rng)
    print(f"{len(corpus.keywords) + len(corpus.others) + len(corpus.phrases)} words and phrases are spoken", flush=True)
    some = log_mel(tf.signal.frame(corpus.batch()[0], WINDOW, STEP), FLOOR).numpy()
    training = Training(first_weights(rng, some.mean(axis=(0, 1)), 1 / some.std(axis=(0, 1))))
    mean = 0
    for number in range(1, steps + 1):
        rate = 5e-3 * min(1, number / 100) * 0.5 * (1 + np.cos(np.pi * number / steps))
        loss = float(training.step(*corpus.batch(), tf.constant(rate, tf.float32), tf.constant(number, tf.float32)))
        mean = loss if number == 1 else 0.98 * mean + 0.02 * loss
        if number % 50 == 0:
            print(f"step {number} of {steps}: loss {mean:.3f}", flush=True)
    weights = training.weights(corpus.batch()[0] for _ in range(60))
    save_weights(pathlib.Path(__file__).with_name("spotter.safetensors"), weights)
    print(f"{sum(value.size for value in weights.values())} weights")


if __name__ == "__main__":
    main()
