#!/usr/bin/env python3
"""Writes a TensorFlow graph of about N nodes as text, as a frozen network is: graphs.py [N], 3000 unless given.

Blocks of a convolution, a batch norm and a residual sum; after each an attention-like mixer, whose shapes are computed in the graph
(Shape, StridedSlice, Pack, Reshape) from a batch and an image that the placeholder leaves open. 3,000 nodes are about 590 KB.
"""
import sys

CHANNELS = 16


def shape_text(sizes):
    return "".join(f" dim {{ size: {size} }}" for size in sizes)


class Graph:
    def __init__(self):
        self.lines = []

    def node(self, name, op, inputs=(), **attributes):
        inputs = "".join(f' input: "{i}"' for i in inputs)
        attributes = "".join(f' attr {{ key: "{key}" value {{ {value} }} }}' for key, value in attributes.items())
        self.lines.append(f'node {{ name: "{name}" op: "{op}"{inputs}{attributes} }}')
        return name

    def op(self, name, op, inputs, **attributes):
        return self.node(name, op, inputs, T="type: DT_FLOAT", **attributes)

    def weight(self, name, sizes):
        return self.node(name, "Const", dtype="type: DT_FLOAT",
                         value=f"tensor {{ dtype: DT_FLOAT tensor_shape {{{shape_text(sizes)} }} float_val: 0.5 }}")

    def numbers(self, name, values):
        sizes = shape_text([len(values)]) if isinstance(values, list) else ""
        items = "".join(f" int_val: {v}" for v in (values if isinstance(values, list) else [values]))
        return self.node(name, "Const", dtype="type: DT_INT32", value=f"tensor {{ dtype: DT_INT32 tensor_shape {{{sizes} }}{items} }}")

    def convolution(self, scope, x):
        conv = self.op(f"{scope}/conv", "Conv2D", [x, self.weight(f"{scope}/kernel", [3, 3, CHANNELS, CHANNELS])],
                       strides="list { i: 1 i: 1 i: 1 i: 1 }", padding='s: "SAME"')
        norms = [self.weight(f"{scope}/{part}", [CHANNELS]) for part in ("gain", "shift", "mean", "variance")]
        norm = self.node(f"{scope}/norm", "FusedBatchNormV3", [conv, *norms], T="type: DT_FLOAT", U="type: DT_FLOAT",
                         is_training="b: false")
        return self.op(f"{scope}/sum", "AddV2", [x, self.op(f"{scope}/relu", "Relu", [norm])])

    def mixer(self, scope, x):
        shape = self.op(f"{scope}/shape", "Shape", [x])
        one = self.numbers(f"{scope}/one", [1])
        batch = self.node(f"{scope}/batch", "StridedSlice", [shape, self.numbers(f"{scope}/zero", [0]), one, one],
                          T="type: DT_INT32", Index="type: DT_INT32", shrink_axis_mask="i: 1")
        flat = self.node(f"{scope}/flat_shape", "Pack",
                         [batch, self.numbers(f"{scope}/rest", -1), self.numbers(f"{scope}/channels", CHANNELS)],
                         T="type: DT_INT32", N="i: 3")
        rows = self.op(f"{scope}/flat", "Reshape", [x, flat])
        scores = self.op(f"{scope}/scores", "BatchMatMulV2", [rows, rows], adj_y="b: true")
        mixed = self.op(f"{scope}/mixed", "BatchMatMulV2", [self.op(f"{scope}/softmax", "Softmax", [scores]), rows])
        back = self.op(f"{scope}/back", "Reshape", [mixed, shape])
        return self.op(f"{scope}/sum", "AddV2", [x, back])


def graph(nodes):
    g = Graph()
    x = g.node("x", "Placeholder", dtype="type: DT_FLOAT", shape=f"shape {{{shape_text([-1, -1, -1, CHANNELS])} }}")
    block = 0
    while len(g.lines) < nodes:
        x = g.mixer(f"block{block}/mixer", g.convolution(f"block{block}/layer", x))
        block += 1
    return "\n".join(g.lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(graph(int(sys.argv[1]) if len(sys.argv) > 1 else 3000))
