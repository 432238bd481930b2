#!/usr/bin/env python3
"""Writes graphs/: small graphs as TensorFlow writes them. Needs TensorFlow 2.21.

    counter/   SavedModel of TensorFlow 2: two frozen variables, one that the call assigns, two signatures, two objects whose
               variables have the same name
    slices/    SavedModel of TensorFlow 1: a variable in two parts of one entry, an unused optimiser's slot
    trained*   a meta graph and its checkpoint: a plain variable, its initialiser and a saver
    loop.pb    a while loop of TensorFlow 1: Enter, Merge, Switch, NextIteration, Exit
    while.pb   the same loop as a While with functions
"""
import os
import pathlib
import shutil
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf  # noqa: E402
from tensorflow.python.framework import convert_to_constants  # noqa: E402

HERE = pathlib.Path(__file__).parent / "graphs"
v1 = tf.compat.v1


class Part(tf.Module):
    def __init__(self, value):
        super().__init__()
        self.weight = tf.Variable(value, name="weight")


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.parts = [Part(tf.reshape(tf.range(6.0), [2, 3])), Part(tf.constant([10.0, 20.0, 30.0]))]
        self.calls = tf.Variable(0, name="calls")

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def apply(self, x):
        self.calls.assign_add(1)
        return {"y": x @ self.parts[0].weight + self.parts[1].weight, "calls": self.calls.read_value()}

    @tf.function(input_signature=[])
    def seen(self):
        return {"calls": self.calls.read_value()}


def without_extras(folder):
    (folder / "fingerprint.pb").unlink(missing_ok=True)
    shutil.rmtree(folder / "assets", ignore_errors=True)


def counter():
    model = Counter()
    tf.saved_model.save(model, str(HERE / "counter"), signatures={"serving_default": model.apply, "seen": model.seen},
                        options=tf.saved_model.SaveOptions(save_debug_info=False))
    without_extras(HERE / "counter")


def slices():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        with v1.variable_scope("dense", partitioner=v1.fixed_size_partitioner(2), use_resource=False):
            kernel = v1.get_variable("kernel", initializer=tf.reshape(tf.range(12.0), [4, 3]))
        v1.get_variable("slot", initializer=tf.zeros([3]), use_resource=True)
        y = tf.identity(x @ tf.convert_to_tensor(kernel), name="y")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, str(HERE / "slices"), {"x": x}, {"y": y})


def trained():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        weight = v1.get_variable("weight", initializer=tf.constant([[1.0], [2.0]]), use_resource=False)
        tf.identity(x @ weight, name="y")
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, str(HERE / "trained"), write_state=False)


def loop():
    with v1.Graph().as_default() as graph:
        v1.disable_control_flow_v2()
        x = v1.placeholder(tf.float32, [3], name="x")
        _, y = v1.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * 2.0), [tf.constant(0), x], name="loop")
        tf.identity(y, name="y")
        (HERE / "loop.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))


def functional_loop():
    @tf.function(input_signature=[tf.TensorSpec([3], tf.float32, name="x")])
    def run(x):
        return tf.while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * 2.0), [tf.constant(0), x])[1]

    frozen = convert_to_constants.convert_variables_to_constants_v2(run.get_concrete_function(), lower_control_flow=False)
    (HERE / "while.pb").write_bytes(frozen.graph.as_graph_def().SerializeToString(deterministic=True))


def main():
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    counter()
    functional_loop()
    v1.disable_eager_execution()
    slices()
    trained()
    loop()


if __name__ == "__main__":
    main()
