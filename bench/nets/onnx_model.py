"""ONNX models of the graphs that `axc dump --after=lower` prints, as far as the networks of examples/zoo need it.

The images of ONNX are [n, c, h, w]. Layers that lowering takes apart become one node again, as ONNX Runtime has a kernel for them: they
are known by the name of the function that a node comes from.
"""
import re

import numpy
import onnx
from onnx import helper, numpy_helper

LINE = re.compile(r"%(\d+) : \w+ \[([\d, ]*)\] = (\w+)((?: %\d+)*)(?: ([^{/\s]\S*))?(?: \{([-\d, ]*)\})?(?:\s+// (.*))?$")
NORM = {"size": 5, "alpha": 5 * 2e-5, "beta": 0.75, "bias": 1.0}  # as in alexnet and googlenet; ONNX divides alpha by the size


class Writer:
    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], {}
        self.names, self.shapes, self.params, self.flattened = {}, {}, {}, {}

    def add(self, op, inputs, node, **attributes):
        self.names[node] = f"v{node}"
        self.nodes.append(helper.make_node(op, inputs, [f"v{node}"], **attributes))

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(numpy.ascontiguousarray(value), name)
        return name

    def line(self, node, shape, op, inputs, name, ints, function):
        """Writes a line's node; `function`: the innermost function that it comes from."""
        self.shapes[node] = shape
        first = inputs[0] if inputs else None
        if op == "INPUT":
            self.names[node] = "x"
        elif op == "CONSTANT":
            self.params[node] = name
        elif function == "local_response_norm":
            if op == "DIV":
                self.add("LRN", [self.names[first]], node, **NORM)
        elif function == "global_avg_pool":
            if op == "RESHAPE" and first in self.names:
                self.add("GlobalAveragePool", [self.names[first]], node)
            elif op == "DIV":
                self.add("Flatten", [self.names[first]], node)
            elif first in self.names:
                self.names[node] = self.names[first]
        elif op == "CONV":
            self.convolution(node, inputs, ints)
        elif op == "ADD" and inputs[1] in self.params:
            self.bias(node, first, inputs[1])
        elif op == "MAX_POOL":
            h, w, *rest = ints
            self.add("MaxPool", [self.names[first]], node, kernel_shape=[h, w], strides=rest[:2], pads=sides(rest[2:6]))
        elif op == "MATMUL":
            self.product(node, first, inputs[1])
        elif op == "RESHAPE":
            self.reshape(node, first)
        elif op == "DIV":
            self.add("Softmax", [self.softmax_input], node, axis=-1)
        elif op == "SUB":
            self.softmax_input = self.names[first]
        elif op in ("RELU", "ADD", "CONCAT"):
            others = {"axis": 1} if op == "CONCAT" else {}
            self.add(op.capitalize(), [self.names[i] for i in inputs], node, **others)
        elif op not in ("REDUCE_MAX", "REDUCE_SUM", "EXP"):  # of softmax
            raise SystemExit(f"bench/nets/run: no ONNX node for {op}")

    def convolution(self, node, inputs, ints):
        name = self.params[inputs[1]]
        filter = self.constant(name, self.weights[name].reshape(self.shapes[inputs[1]]).transpose(3, 2, 0, 1))
        self.add("Conv", [self.names[inputs[0]], filter], node, strides=ints[:2], pads=sides(ints[2:6]), group=ints[10],
                 dilations=ints[6:8])

    def bias(self, node, of, param):
        """The third input of a convolution or a product, also where a shortcut was added in between."""
        made = {layer.output[0]: layer for layer in self.nodes}
        layers = [made[self.names[of]]]
        if layers[0].op_type == "Add":
            layers = [made[name] for name in layers[0].input]
        layer = next(layer for layer in layers if layer.op_type in ("Conv", "Gemm") and len(layer.input) == 2)
        layer.input.append(self.constant(self.params[param], self.weights[self.params[param]]))
        self.names[node] = self.names[of]

    def reshape(self, node, first):
        if first in self.params:
            self.params[node] = self.params[first]
        elif len(self.shapes[first]) == 4:
            self.flattened[f"v{node}"] = self.shapes[first][1:]
            self.add("Flatten", [self.names[first]], node)
        elif first in self.names:  # not within softmax
            self.names[node] = self.names[first]

    def product(self, node, left, right):
        name = self.params[right]
        value = self.weights[name]
        if self.names[left] in self.flattened:
            value = value.reshape(*self.flattened[self.names[left]], -1).transpose(2, 0, 1, 3).reshape(value.shape)
        self.add("Gemm", [self.names[left], self.constant(name, value)], node)


def sides(pads):
    """[before, after] of each axis as ONNX has them."""
    return [pads[0], pads[2], pads[1], pads[3]]


def model_of(dump, weights):
    """The bytes of the ONNX model of a graph with these weights."""
    writer = Writer(weights)
    for text in dump.splitlines():
        found = LINE.match(text.strip())
        if found:
            node, shape, op, inputs, name, ints, path = found.groups()
            functions = [word for word in (path or "").split("  ")[0].split("/") if word in ("local_response_norm", "global_avg_pool")]
            writer.line(int(node), [int(n) for n in shape.split(",") if n.strip()], op, [int(i[1:]) for i in inputs.split()], name,
                        [int(i) for i in ints.split(",")] if ints else [], functions[-1] if functions else "")
        elif text.strip().startswith("give"):
            result = int(re.search(r"%(\d+)", text)[1])
    n, h, w, c = writer.shapes[0]
    graph = helper.make_graph(
        writer.nodes, "net", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [n, c, h, w])],
        [helper.make_tensor_value_info(writer.names[result], onnx.TensorProto.FLOAT, writer.shapes[result])], list(writer.constants.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()
