#!/usr/bin/env python3
"""Writes the trained spotter as a frozen TensorFlow graph, spotter.pb: make_graph.py."""
import pathlib
import sys

import tensorflow as tf
from network import log_mel, logits, smoothed, windows
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tensors import load_weights  # noqa: E402


def main():
    weights = load_weights(HERE / "spotter.safetensors")

    def spotter(audio):
        return tf.identity(smoothed(tf.nn.softmax(logits(log_mel(windows(audio))[None], weights)))[0], name="out")

    traced = tf.function(spotter).get_concrete_function(tf.TensorSpec([None], tf.float32, name="audio"))
    graph = convert_variables_to_constants_v2(traced).graph.as_graph_def()
    (HERE / "spotter.pb").write_bytes(graph.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
