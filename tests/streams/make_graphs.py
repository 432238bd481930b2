#!/usr/bin/env python3
"""Writes the graphs of this folder's `graphs/`, an input for each placeholder, and what TensorFlow computes: make_graphs.py [NAME...].
Needs tensorflow==2.21.
"""
import json
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.ops import nn_ops

HERE = pathlib.Path(__file__).resolve().parent / "graphs"
L = tf.keras.layers
RNG = np.random.default_rng(7)


def weights(*shape):
    return tf.constant((RNG.standard_normal(shape) / np.sqrt(max(np.prod(shape[:-1]), 4))).astype(np.float32))


def same_as(value):
    """The value under the name of the result."""
    return tf.identity(value, name="out")


def atrous(x, rate, padding):
    """A dilated convolution as old graphs have it: SpaceToBatchND, a convolution, BatchToSpaceND."""
    kernel = weights(3, 2, 3)
    return nn_ops.with_space_to_batch(
        x, dilation_rate=[rate], padding=padding, filter_shape=np.array([3]), spatial_dims=[1],
        op=lambda y, rates, pads: tf.nn.conv1d(y, kernel, 1, pads))


def space_to_batch_by_hand(x):
    """Frames of two phases that share a filter, with the paddings that a causal filter needs."""
    padded = tf.pad(x, [[0, 0], [4, 0], [0, 0]])
    extra = tf.math.floormod(-tf.shape(padded)[1], 2)
    phases = tf.space_to_batch(padded, [2], [[0, extra]])
    return tf.batch_to_space(tf.nn.conv1d(phases, weights(3, 2, 2), 1, "VALID"), [2], [[0, extra]])


def array_loop(x):
    """A loop with two states that reads and writes TensorArrays."""
    steps = tf.shape(x)[0]
    frames = tf.TensorArray(tf.float32, steps).unstack(x)
    first = (0, tf.TensorArray(tf.float32, steps), tf.zeros([3]), tf.constant(1.0))

    def body(at, out, level, gain):
        level = 0.7 * level + gain * frames.read(at)
        return at + 1, out.write(at, tf.tanh(level)), level, 0.5 * gain + 0.2

    return tf.while_loop(lambda at, *_: at < steps, body, first)[1].stack()


def lookback_loop(x):
    """A loop whose state is the last three frames."""
    def cell(last, frame):
        return tf.concat([last[1:], frame[None]], 0)

    return tf.reduce_mean(tf.scan(cell, x, tf.zeros([3, 2])), axis=1)


def gathered_frames(x):
    """Frames by indices that are computed: position * step + offset."""
    count = tf.maximum((tf.shape(x)[0] - 6) // 2 + 1, 0)
    at = tf.range(count)[:, None] * 2 + tf.range(6)[None, :]
    return tf.gather(x, at) * tf.signal.hann_window(6)


def mfcc(x):
    spectra = tf.abs(tf.signal.stft(x, 32, 16, 32))
    bank = tf.signal.linear_to_mel_weight_matrix(8, 17, 8000, 125.0, 3800.0)
    return tf.signal.mfccs_from_log_mel_spectrograms(tf.math.log(tf.tensordot(spectra, bank, 1) + 1e-6))


def rebuilt(x):
    window = tf.signal.inverse_stft_window_fn(8, tf.signal.hann_window)
    return tf.signal.inverse_stft(tf.signal.stft(x, 16, 8), 16, 8, window_fn=window)


def resized(method, up, **options):
    """The height times `up`, the width becomes 6."""
    return lambda x: getattr(tf.raw_ops, method)(images=x, size=tf.stack([tf.shape(x)[1] * up, 6]), **options)


def halved(x):
    return tf.raw_ops.ResizeBilinear(images=x, size=tf.stack([tf.shape(x)[1] // 2, 4]), half_pixel_centers=True)


def keras(shape, *layers):
    """A function of a Keras network of these layers."""
    net = tf.keras.Sequential([L.Input(batch_shape=shape), *layers])
    for weight in net.weights:
        if weight.trainable:
            weight.assign(weights(*weight.shape) if len(weight.shape) > 1 else 0.1 * weights(*weight.shape))
    return lambda x: net(x)


def distributed(layers):
    """The layers on each frame of each sequence: a time-distributed layer merges the batch with time."""
    def apply(x):
        y = layers(tf.reshape(x, tf.concat([[-1], tf.shape(x)[2:]], 0)))
        return tf.reshape(y, tf.concat([tf.shape(x)[:2], tf.shape(y)[1:]], 0))

    return apply


def distributed_rows(x):
    y = tf.nn.relu(tf.nn.conv1d(x, weights(3, 3, 4), 1, "SAME") + weights(4))
    y = tf.nn.max_pool1d(y, 2, 2, "VALID")
    return tf.nn.softmax(tf.reshape(y, [-1, 12]) @ weights(12, 3))


def distributed_images(x):
    y = tf.nn.avg_pool2d(tf.nn.conv2d(x, weights(3, 3, 2, 3), 1, "SAME"), 2, 2, "SAME")
    y = tf.nn.depthwise_conv2d(tf.pad(y, [[0, 0], [1, 0], [0, 1], [0, 0]]), weights(2, 2, 3, 1), [1, 1, 1, 1], "VALID")
    y = tf.concat([y[:, :1], tf.transpose(y, [0, 1, 3, 2])[:, :1]], 1) * (1 + tf.cumsum(y, axis=2))
    return tf.reduce_mean(y, axis=[1, 2])


def around_a_gru():
    """Distributed layers before and behind a recurrent one."""
    gru = keras((2, None, 16), L.GRU(3, return_sequences=True))
    before = distributed(lambda rows: tf.reshape(tf.nn.conv2d(rows, weights(3, 3, 2, 1), 1, "SAME"), [-1, 16]))
    behind = distributed(lambda rows: tf.nn.conv1d(rows[:, :, None], weights(2, 1, 2), 1, "VALID"))
    return lambda x: behind(gru(before(x)))


def functional(shape, make):
    value = L.Input(batch_shape=shape)
    net = tf.keras.Model(value, make(value))
    for weight in net.weights:
        if weight.trainable:
            weight.assign(weights(*weight.shape))
    return lambda x: net(x)


def gated(x):
    y = L.Conv1D(6, 3, padding="causal")(x)
    z = L.Multiply()([L.Activation("tanh")(y), L.Activation("sigmoid")(L.Conv1D(6, 3, dilation_rate=2, padding="causal")(x))])
    return L.Concatenate()([z, L.LayerNormalization()(y)])


def attention(x, reach):
    """Each frame attends to itself and the frames before it, as many as `reach`."""
    keys = tf.signal.frame(tf.pad(x, [[reach - 1, 0], [0, 0]]), reach, 1, axis=0)
    shares = tf.nn.softmax(tf.einsum("td,twd->tw", x @ weights(4, 4), keys))
    return tf.einsum("tw,twd->td", shares, keys)


T = None
# For each graph: the function, its streamed inputs as for `--input`, the delay and the rate, and the frames of the
# first input.
GRAPHS = {
    "pad_reflect": (lambda x: tf.pad(x, [[0, 0], [2, 3], [0, 0]], "REFLECT"), ["x=f32[1,~T,2]"], 2, [1, 1], 20),
    "pad_symmetric": (lambda x: tf.pad(x, [[2, 1], [1, 1]], "SYMMETRIC"), ["x=f32[~T,3]"], 1, [1, 1], 20),
    "pad_value": (lambda x: tf.pad(x, [[1, 2], [0, 1]], constant_values=1.5), ["x=f32[~T,3]"], 0, [1, 1], 20),
    "upsampled_nearest": (keras((1, T, 4, 2), L.UpSampling2D((2, 3))), ["x=f32[1,~T,4,2]"], 0, [1, 2], 15),
    "resized_linear": (resized("ResizeBilinear", 2, half_pixel_centers=True), ["x=f32[2,~T,4,2]"], 1, [1, 2], 15),
    "resized_linear_corner": (resized("ResizeBilinear", 3), ["x=f32[1,~T,4,2]"], 1, [1, 3], 15),
    "resized_cubic": (resized("ResizeBicubic", 2, half_pixel_centers=True), ["x=f32[1,~T,3,2]"], 2, [1, 2], 15),
    "resized_nearest": (resized("ResizeNearestNeighbor", 2, half_pixel_centers=True), ["x=f32[1,~T,3,2]"], 0, [1, 2], 15),
    "resized_half": (halved, ["x=f32[1,~(2*T),4,2]"], 1, [2, 1], 20),
    "upsampled_1d": (keras((1, T, 3), L.UpSampling1D(3), L.Conv1D(4, 3, padding="same")), ["x=f32[1,~T,3]"], 1, [1, 3], 15),
    "atrous_valid": (lambda x: atrous(x, 2, "VALID"), ["x=f32[1,~T,2]"], 4, [1, 1], 24),
    "atrous_same": (lambda x: atrous(x, 3, "SAME"), ["x=f32[2,~T,2]"], 3, [1, 1], 24),
    "space_to_batch": (space_to_batch_by_hand, ["x=f32[1,~T,2]"], 0, [1, 1], 23),
    "overlap_and_add": (lambda x: tf.signal.overlap_and_add(x, 2), ["x=f32[~T,6]"], 0, [1, 2], 20),
    "overlap_and_add_batch": (lambda x: tf.signal.overlap_and_add(tf.tanh(x), 3), ["x=f32[2,~T,4]"], 0, [1, 3], 20),
    "rebuilt": (rebuilt, ["x=f32[~T]"], 15, [1, 1], 120),
    "array_loop": (array_loop, ["x=f32[~T,3]"], 0, [1, 1], 20),
    "lookback_loop": (lookback_loop, ["x=f32[~T,2]"], 0, [1, 1], 20),
    "scan": (lambda x: tf.scan(lambda s, e: 0.6 * s + tf.tanh(e), x, tf.zeros([3])), ["x=f32[~T,3]"], 0, [1, 1], 20),
    "map": (lambda x: tf.map_fn(lambda row: tf.nn.softmax(row) * tf.reduce_max(row), x), ["x=f32[~T,3]"], 0, [1, 1], 20),
    "lstm": (keras((2, T, 3), L.LSTM(4, return_sequences=True)), ["x=f32[2,~T,3]"], 0, [1, 1], 20),
    "gru": (keras((1, T, 3), L.GRU(4, return_sequences=True), L.Dense(2)), ["x=f32[1,~T,3]"], 0, [1, 1], 20),
    "simple_rnn": (keras((1, T, 3), L.SimpleRNN(4, return_sequences=True)), ["x=f32[1,~T,3]"], 0, [1, 1], 20),
    "conv_lstm": (keras((1, T, 5, 2), L.ConvLSTM1D(3, 3, padding="same", return_sequences=True)), ["x=f32[1,~T,5,2]"], 0, [1, 1], 12),
    "gathered_frames": (gathered_frames, ["x=f32[~T]"], 5, [2, 1], 40),
    "frames": (lambda x: tf.signal.frame(x, 5, 3, axis=1) * tf.signal.hamming_window(5)[:, None], ["x=f32[2,~T,2]"], 4, [3, 1], 40),
    "mfcc": (mfcc, ["x=f32[~T]"], 31, [16, 1], 200),
    "distributed_conv": (distributed(distributed_rows), ["x=f32[2,~T,6,3]"], 0, [1, 1], 10),
    "distributed_conv_2d": (distributed(distributed_images), ["x=f32[3,~T,4,5,2]"], 0, [1, 1], 8),
    "distributed_gru": (around_a_gru(), ["x=f32[2,~T,4,4,2]"], 0, [1, 1], 8),
    "frames_of_valid": (lambda x: tf.signal.frame(tf.nn.conv1d(x, weights(3, 3, 2), 1, "VALID"), 4, 2, axis=1), ["x=f32[1,~T,3]"], 5, [2, 1], 30),
    "frames_of_slice": (lambda x: tf.signal.frame(x[2:] * x[:-2], 3, 2, axis=0), ["x=f32[~T,3]"], 4, [2, 1], 30),
    "frames_of_pool": (lambda x: tf.signal.frame(tf.nn.max_pool1d(x, 4, 2, "VALID"), 5, 3, axis=1), ["x=f32[1,~T,2]"], 11, [6, 1], 60),
    "frames_of_strides": (lambda x: tf.signal.frame(tf.nn.conv1d(x, weights(5, 2, 2), 2, "VALID"), 3, 1, axis=1), ["x=f32[1,~T,2]"], 8, [2, 1], 40),
    "frames_of_frames": (lambda x: tf.signal.frame(tf.reduce_mean(tf.signal.frame(x, 6, 3), axis=1), 4, 1), ["x=f32[~T]"], 14, [3, 1], 60),
    "joined_frames": (lambda x: tf.tanh(tf.reshape(x, [-1, 12]) @ weights(12, 5)), ["x=f32[~(4*T),3]"], 3, [4, 1], 24),
    "strides": (keras((1, T, 3), L.Conv1D(4, 3, strides=2, padding="same"), L.Conv1D(5, 3, strides=2, padding="same")),
                ["x=f32[1,~(4*T),3]"], 6, [4, 1], 32),
    "slices": (lambda x: x[2:-1] * x[:-3] + x[3:], ["x=f32[~T,3]"], 3, [1, 1], 20),
    "steps": (lambda x: x[1::3], ["x=f32[~T,3]"], 1, [3, 1], 20),
    "running": (lambda x: tf.cumsum(x, exclusive=True) * tf.math.cumprod(tf.tanh(x)), ["x=f32[~T,3]"], 0, [1, 1], 20),
    "gated": (functional((1, T, 3), gated), ["x=f32[1,~T,3]"], 0, [1, 1], 20),
    "attention": (lambda x: attention(x, 5), ["x=f32[~T,4]"], 0, [1, 1], 20),
    "two_rates": (lambda slow, fast: slow + tf.reduce_mean(tf.reshape(fast, [-1, 4, 3]), 1), ["slow=f32[~T,3]", "fast=f32[~(4*T),3]"], 0, [1, 1], 20),
    "two_rates_up": (lambda slow, fast: tf.repeat(slow, 2, axis=0) * fast, ["slow=f32[~T,3]", "fast=f32[~(2*T),3]"], 0, [1, 2], 20),
    "beside_a_fixed_one": (lambda x, gain: x * gain, ["x=f32[~T,3]", "gain=f32[3]"], 0, [1, 1], 20),
    "reversed": (lambda x: tf.scan(lambda s, e: 0.6 * s + e, x, tf.zeros([3]), reverse=True), ["x=f32[~T,3]"], None, None, 20),
    "drifting": (lambda slow, fast: slow + fast[:tf.shape(slow)[0]], ["slow=f32[~T,3]", "fast=f32[~(2*T),3]"], None, None, 20),
}


def sizes(shape, length):
    """The sizes of an input of `--input` for a T; -1 for a streamed one where there is none."""
    inner = shape[shape.index("[") + 1:-1]
    return [(-1 if length is None else eval(size[1:], {"T": length})) if size.startswith("~") else int(size) for size in inner.split(",")]


def write(name):
    function, inputs, delay, stride, length = GRAPHS[name]
    names = [text.partition("=")[0] for text in inputs]
    specs = [tf.TensorSpec([None if size < 0 else size for size in sizes(text, None)], tf.float32, name=one) for one, text in zip(names, inputs)]
    traced = tf.function(lambda *values: same_as(function(*values)), autograph=False).get_concrete_function(*specs)
    graph = convert_variables_to_constants_v2(traced, lower_control_flow=False).graph
    symbol = length // 4 if "4*T" in inputs[0] else length // 2 if "2*T" in inputs[0] else length
    values = {one: RNG.standard_normal(sizes(text, symbol)).astype(np.float32) for one, text in zip(names, inputs)}
    for one, value in values.items():
        np.save(HERE / f"{name}.{one}.npy", value)
    if delay is not None:
        result = tf.compat.v1.Session(graph=graph).run("out:0", {f"{one}:0": value for one, value in values.items()})
        np.save(HERE / f"{name}.out.npy", result)
    (HERE / f"{name}.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))


def main():
    for name in sys.argv[1:] or GRAPHS:
        print(name, flush=True)
        write(name)
    facts = {name: {"inputs": inputs, "delay": delay, "stride": stride} for name, (_, inputs, delay, stride, _) in GRAPHS.items()}
    (HERE / "graphs.json").write_text("{\n" + ",\n".join(f'  "{name}": {json.dumps(fact)}' for name, fact in facts.items()) + "\n}\n")


if __name__ == "__main__":
    main()
