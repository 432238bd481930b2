"""Writes Keras models as graphs, with random inputs and their outputs: make_models.py OUT [--saved] [NAME...]. Needs the packages of
requirements.txt. NAME.pb is the frozen graph; with --saved, NAME/ is the exported SavedModel. NAME.npz has the inputs and outputs as
`in.TENSOR` and `out.TENSOR`; for a SavedModel TENSOR is the signature's key."""
import argparse
import pathlib
import shutil
import traceback

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from models import INPUTS, MODELS


def drawn(name, model, random):
    if name in INPUTS:
        return INPUTS[name](random)
    return [random.normal(size=(2, *i.shape[1:])).astype(i.dtype) for i in model.inputs]


def draw_weights(model, random):
    """So that biases, norms and means of all kinds count."""
    for variable in model.variables:
        if "seed" in variable.path or variable.dtype not in ("float32", "float64", "float16", "bfloat16"):
            continue
        value = np.asarray(keras.ops.convert_to_numpy(variable), np.float64)
        noise = random.normal(scale=.1, size=value.shape)
        variable.assign(np.abs(value + noise) + .1 if "variance" in variable.path else value + noise)


def frozen(model, inputs):
    function = tf.function(lambda *given: model(list(given) if len(given) > 1 else given[0], training=False))
    signature = [tf.TensorSpec(i.shape, i.dtype, name=f"x{k}") for k, i in enumerate(model.inputs)]
    graph = convert_variables_to_constants_v2(function.get_concrete_function(*signature))
    values = graph(*[tf.constant(i) for i in inputs])
    definition = graph.graph.as_graph_def()
    definition.library.Clear() if not used_library(definition) else None
    named = lambda tensors: [t.name for t in tensors]
    return definition, named(graph.inputs), named(graph.outputs), values


def used_library(definition):
    names = {f.signature.name for f in definition.library.function}
    return any(n.op in names or any(a.HasField("func") for a in n.attr.values()) for n in definition.node)


def write(name, out, saved):
    keras.utils.set_random_seed(11)
    random = np.random.default_rng(7)
    model = MODELS[name]()
    draw_weights(model, random)
    inputs = drawn(name, model, random)
    if saved:
        shutil.rmtree(out / name, ignore_errors=True)
        model.export(out / name, verbose=False)
        call = tf.saved_model.load(out / name).signatures["serving_default"]
        keys = sorted(call.structured_input_signature[1], key=lambda k: [int(p) if p.isdigit() else p for p in k.split("_")])
        order = [i.name for i in model.inputs] if set(i.name for i in model.inputs) == set(keys) else keys
        given = dict(zip(order, inputs))
        made = {k: v for k, v in call(**{k: tf.constant(v) for k, v in given.items()}).items()}
    else:
        definition, names, outputs, values = frozen(model, inputs)
        (out / f"{name}.pb").write_bytes(definition.SerializeToString(deterministic=True))
        given, made = dict(zip(names, inputs)), dict(zip(outputs, values if isinstance(values, (list, tuple)) else [values]))
    plain = lambda v: np.asarray(tf.cast(v, tf.float32) if v.dtype == tf.bfloat16 else v)
    np.savez_compressed(out / f"{name}.npz", **{f"in.{k}": v for k, v in given.items()}, **{f"out.{k}": plain(v) for k, v in made.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--saved", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or MODELS:
        try:
            write(name, options.out, options.saved)
        except Exception:
            print(f"{name}: not written")
            traceback.print_exc(limit=-3)


if __name__ == "__main__":
    main()
