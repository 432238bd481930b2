#!/usr/bin/env python3
"""Writes AREA.ax and AREA.txt: expressions over core.ax and the modules, their inputs, and the results by NumPy.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install numpy==2.4.6 && /tmp/v/bin/python tests/stdlib/make_goldens.py build/release/bin/axc

The given axc formats the sources. A case is a name, an expression over its inputs' names, and the result, computed in f64 from the inputs
rounded to their element type. An input is an array, f32 unless given as (elem, array); its type has its sizes unless given as
(array, "f32 [n, 3]"). AREA.txt has the format that tests/runtime/make_goldens.py describes, with 0 for the operator.
"""
import math
import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "bool": np.bool_}
TOLERANCE = {"f16": (2e-3, 1e-3), "f32": (1e-5, 1e-5), "f64": (1e-12, 1e-12)}


class Area:
    def __init__(self, name, imports=()):
        self.name, self.rng = name, np.random.default_rng(sum(name.encode()))
        self.ax = ["// Written by make_goldens.py.", *(f"import {module};" for module in imports)]
        self.txt = []

    def draw(self, *shape, elem="f32", low=-2, high=2):
        if elem == "bool":
            return self.rng.integers(0, 2, shape).astype(bool)
        if elem[0] in "iu":
            return self.rng.integers(low, high + 1, shape).astype(TYPES[elem])
        return self.rng.uniform(low, high, shape).astype(TYPES[elem]).astype(np.float64)

    def case(self, name, expression, inputs, output, elem="f32", tolerance=None):
        """`output`: an array of `elem`, or a list of (elem, array) for a tuple."""
        parameters, lines = [], []
        for key, given in inputs.items():
            kind, array, written = "f32", given, None
            if isinstance(given, tuple) and isinstance(given[0], str):
                kind, array = given
            elif isinstance(given, tuple):
                array, written = given
                kind = written.split()[0]
            array = np.asarray(array)
            parameters.append(f"{key} : {written or kind + ' [' + ', '.join(map(str, array.shape)) + ']'}")
            lines.append(tensor("in", kind, array))
        outputs = output if isinstance(output, list) else [(elem, output)]
        relative, absolute = tolerance or max((TOLERANCE.get(kind, (0, 0)) for kind, _ in outputs))
        self.ax.append(f"check_{name} = fn ({', '.join(parameters)}) {{ {expression} }};")
        self.txt.append(f"case check_{name} 0 {relative:g} {absolute:g}")
        self.txt += lines + [tensor("out", kind, np.asarray(array)) for kind, array in outputs]

    def write(self):
        for ending, lines in ((".ax", self.ax), (".txt", self.txt)):
            with open(os.path.join(HERE, self.name + ending), "w") as out:
                out.write("\n".join(lines) + "\n")


def tensor(word, elem, array):
    data = np.ascontiguousarray(array.astype(TYPES[elem]))
    return f"{word} {elem} {','.join(map(str, array.shape)) or '-'} {data.astype(data.dtype.newbyteorder('<')).tobytes().hex() or '-'}"


def same_pads(sizes, windows, strides):
    """Pads as TensorFlow does: if the number is odd, the larger part goes after."""
    totals = [max((-(-n // s) - 1) * s + e - n, 0) for n, e, s in zip(sizes, windows, strides)]
    return [(total // 2, total - total // 2) for total in totals]


def windows_of(x, size, stride, pads, dilation, value=0.0):
    """[n, ..positions, ..window, c]"""
    x = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=value)
    rank = len(size)
    counts = [(x.shape[i + 1] - dilation[i] * (size[i] - 1) - 1) // stride[i] + 1 for i in range(rank)]
    out = np.zeros((x.shape[0], *counts, *size, x.shape[-1]), x.dtype)
    for at in np.ndindex(*counts):
        for tap in np.ndindex(*size):
            place = tuple(a * s + t * d for a, s, t, d in zip(at, stride, tap, dilation))
            out[(slice(None), *at, *tap)] = x[(slice(None), *place)]
    return out


def conv(x, w, stride, pads, dilation=None, groups=1):
    rank = x.ndim - 2
    dilation = dilation or [1] * rank
    if pads == "same":
        pads = same_pads(x.shape[1:-1], [d * (r - 1) + 1 for d, r in zip(dilation, w.shape)], stride)
    windows = windows_of(x, w.shape[:rank], stride, pads, dilation)
    depth, width = w.shape[-2], w.shape[-1] // groups
    return np.concatenate([np.tensordot(windows[..., g * depth:(g + 1) * depth], w[..., g * width:(g + 1) * width], rank + 1)
                           for g in range(groups)], -1)


def depthwise(x, w, stride, pads):
    rank, c, m = x.ndim - 2, w.shape[-2], w.shape[-1]
    return conv(x, w.reshape(*w.shape[:rank], 1, c * m), stride, pads, groups=c)


def conv_transpose(x, w, stride, sizes, pads, dilation=None):
    """Scatters every element. `sizes` are the result's; `pads` is the padding in front of the convolution that this inverts."""
    rank = x.ndim - 2
    dilation = dilation or [1] * rank
    y = np.zeros((x.shape[0], *sizes, w.shape[-2]))
    for at in np.ndindex(*x.shape[1:-1]):
        for tap in np.ndindex(*w.shape[:rank]):
            to = [a * s + t * d - p for a, s, t, d, p in zip(at, stride, tap, dilation, pads)]
            if all(0 <= i < n for i, n in zip(to, sizes)):
                y[(slice(None), *to)] += x[(slice(None), *at)] @ w[tap].T
    return y


def pool(x, size, stride, pads, reduce):
    if pads == "same":
        pads = same_pads(x.shape[1:-1], size, stride)
    rank = len(size)
    return reduce(windows_of(x, size, stride, pads, [1] * rank, np.nan), axis=tuple(range(1 + rank, 1 + 2 * rank)))


def windows():
    area = Area("windows")
    none = lambda rank: [(0, 0)] * rank
    x, w = area.draw(2, 9, 4), area.draw(3, 4, 5)
    area.case("conv1d_valid", "conv1d(x, w)", {"x": (x, "f32 [n, l, 4]"), "w": w}, conv(x, w, [1], none(1)))
    area.case("conv1d_same", 'conv1d(x, w, stride=[2], padding="same", dilation=[2])', {"x": (x, "f32 [n, l, 4]"), "w": w}, conv(x, w, [2], "same", [2]))
    area.case("conv1d_pads", "conv1d(x, w, stride=[3], padding=[[2, 1]])", {"x": x, "w": w}, conv(x, w, [3], [(2, 1)]))
    g = area.draw(3, 2, 6)
    area.case("conv1d_groups", "conv1d(x, w, groups=2)", {"x": x, "w": g}, conv(x, g, [1], none(1), groups=2))
    i, j = area.draw(1, 5, 4, elem="i8"), area.draw(2, 4, 2, elem="i8")
    area.case("conv1d_i8", "conv1d(x, w)", {"x": ("i8", i), "w": ("i8", j)}, conv(i.astype(int), j.astype(int), [1], none(1)), "i8")
    x, w = area.draw(1, 6, 7, 6), area.draw(3, 2, 2, 6)
    area.case("conv2d_groups", 'conv2d(x, w, stride=[2, 1], padding="same", groups=3)', {"x": (x, "f32 [n, h, w, 6]"), "w": w}, conv(x, w, [2, 1], "same", groups=3))
    h = area.draw(2, 5, 5, 2, elem="f16"), area.draw(3, 3, 2, 3, elem="f16")
    area.case("conv2d_f16", "conv2d(x, w)", {"x": ("f16", h[0]), "w": ("f16", h[1])}, conv(*h, [1, 1], none(2)), "f16")
    x, w = area.draw(1, 4, 5, 6, 2), area.draw(2, 3, 3, 2, 3)
    area.case("conv3d_valid", "conv3d(x, w, stride=[1, 2, 1])", {"x": x, "w": w}, conv(x, w, [1, 2, 1], none(3)))
    area.case("conv3d_same", 'conv3d(x, w, padding="same", dilation=[1, 1, 2])', {"x": (x, "f32 [n, d, h, w, 2]"), "w": w}, conv(x, w, [1, 1, 1], "same", [1, 1, 2]))
    x, w = area.draw(2, 8, 3), area.draw(3, 3, 2)
    area.case("depthwise1d", 'depthwise_conv1d(x, w, stride=[2], padding="same")', {"x": (x, "f32 [n, l, 3]"), "w": w}, depthwise(x, w, [2], "same"))
    x, w = area.draw(1, 5, 6, 3), area.draw(2, 3, 3, 1)
    area.case("depthwise2d", "depthwise_conv2d(x, w, padding=[[1, 0], [1, 1]])", {"x": x, "w": w}, depthwise(x, w, [1, 1], [(1, 0), (1, 1)]))
    x, w = area.draw(1, 3, 4, 4, 2), area.draw(2, 2, 2, 2, 3)
    area.case("depthwise3d", "depthwise_conv3d(x, w)", {"x": x, "w": w}, depthwise(x, w, [1, 1, 1], none(3)))

    x, w = area.draw(2, 4, 3), area.draw(3, 5, 3)
    area.case("transpose1d_valid", "conv_transpose1d(x, w, stride=[2])", {"x": (x, "f32 [n, l, 3]"), "w": w}, conv_transpose(x, w, [2], [9], [0]))
    area.case("transpose1d_far", "conv_transpose1d(x, w, stride=[5])", {"x": x, "w": w}, conv_transpose(x, w, [5], [20], [0]))
    area.case("transpose1d_dilated", "conv_transpose1d(x, w, dilation=[3])", {"x": x, "w": w}, conv_transpose(x, w, [1], [10], [0], [3]))
    x, w = area.draw(1, 3, 4, 2), area.draw(3, 4, 3, 2)
    symbolic = (x, "f32 [n, h, w, 2]")
    area.case("transpose2d_same", 'conv_transpose2d(x, w, stride=[2, 3], padding="same")', {"x": symbolic, "w": w}, conv_transpose(x, w, [2, 3], [6, 12], [0, 0]))
    area.case("transpose2d_same1", 'conv_transpose2d(x, w, padding="same")', {"x": symbolic, "w": w}, conv_transpose(x, w, [1, 1], [3, 4], [1, 1]))
    area.case("transpose2d_size", 'conv_transpose2d(x, w, stride=[2, 2], padding="same", size=[5, _])', {"x": x, "w": w}, conv_transpose(x, w, [2, 2], [5, 8], [1, 1]))
    area.case("transpose2d_pads", "conv_transpose2d(x, w, stride=[2, 1], padding=[[1, 0], [2, 1]])", {"x": symbolic, "w": w},
              conv_transpose(x, w, [2, 1], [6, 4], [1, 2]))
    area.case("transpose2d_more", "conv_transpose2d(x, w, stride=[2, 2], padding=[[1, 1], [4, 0]], size=[6, 7])", {"x": x, "w": w},
              conv_transpose(x, w, [2, 2], [6, 7], [1, 4]))
    x, w = area.draw(1, 2, 2, 3, 1), area.draw(2, 3, 2, 2, 1)
    area.case("transpose3d", "conv_transpose3d(x, w, stride=[2, 1, 2])", {"x": x, "w": w}, conv_transpose(x, w, [2, 1, 2], [4, 4, 6], [0, 0, 0]))

    x = area.draw(2, 9, 3)
    area.case("max_pool1d", 'max_pool1d(x, size=[3], stride=[2], padding="same")', {"x": (x, "f32 [n, l, 3]")}, pool(x, [3], [2], "same", np.nanmax))
    area.case("avg_pool1d", "avg_pool1d(x, size=[2], padding=[[1, 0]])", {"x": x}, pool(x, [2], [2], [(1, 0)], np.nanmean))
    x = area.draw(1, 4, 5, 6, 2)
    area.case("max_pool3d", "max_pool3d(x, size=[2, 2, 3])", {"x": x}, pool(x, [2, 2, 3], [2, 2, 3], none(3), np.nanmax))
    area.case("avg_pool3d", 'avg_pool3d(x, size=[2, 3, 2], stride=[1, 2, 2], padding="same")', {"x": (x, "f32 [n, d, h, w, 2]")},
              pool(x, [2, 3, 2], [1, 2, 2], "same", np.nanmean))
    area.write()


def products():
    area = Area("products")
    for i, (equation, shapes) in enumerate([
            ("ij,jk->ik", [(2, 3), (3, 4)]), ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]), ("ij->ji", [(2, 3)]), ("ij->", [(2, 3)]), ("ii", [(3, 3)]),
            ("ii->i", [(3, 3)]), ("iji->j", [(2, 3, 2)]), ("i,j->ij", [(2,), (3,)]), ("i,i->i", [(4,), (4,)]), ("ij,ij", [(2, 3), (2, 3)]),
            ("ij,jk,kl->li", [(2, 3), (3, 4), (4, 2)]), ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]), ("...i->i...", [(2, 3, 4)]),
            ("i...,i...->...", [(2, 3), (2, 3)]), ("bqhd,bkhd->bhqk", [(2, 3, 2, 4), (2, 5, 2, 4)]), ("ab,bc,ad->cd", [(2, 3), (3, 4), (2, 5)]),
            ("iij,jkk->ik", [(2, 2, 3), (3, 4, 4)]), ("...,...", [(3, 1), (2,)])]):
        given = {name: area.draw(*shape) for name, shape in zip("xyz", shapes)}
        area.case(f"einsum{i}", f'einsum("{equation}", {", ".join(given)})', given, np.einsum(equation, *given.values()))
    x, y = area.draw(3, 4), area.draw(5, 4)
    area.case("einsum_symbolic", 'einsum("ik,jk->ij", x, y)', {"x": (x, "f32 [n, k]"), "y": (y, "f32 [m, k]")}, x @ y.T)
    i = area.draw(2, 3, elem="i32", low=-9, high=9)
    area.case("einsum_i32", 'einsum("ij,kj->ik", x, x)', {"x": ("i32", i)}, i @ i.T, "i32")
    x, y = area.draw(2, 1, 3, 4), area.draw(5, 4, 2)
    area.case("batch_matmul", "batch_matmul(x, y)", {"x": x, "y": y}, x @ y)
    x, y = area.draw(2, 3, 4), area.draw(2, 5, 4)
    area.case("matmul_nt", "matmul_nt(x, y)", {"x": x, "y": y}, x @ y.swapaxes(1, 2))
    area.case("matmul_tn", "matmul_tn(x, y)", {"x": x.swapaxes(1, 2), "y": y.swapaxes(1, 2)}, x @ y.swapaxes(1, 2))
    v = area.draw(2, 4)
    area.case("matvec", "matvec(x, y)", {"x": x, "y": v}, np.einsum("bij,bj->bi", x, v))
    a, b = area.draw(5), area.draw(5)
    area.case("dot", "dot(x, y)", {"x": (a, "f32 [n]"), "y": (b, "f32 [n]")}, a @ b)
    area.case("inner", "inner(x, y)", {"x": x, "y": y}, np.inner(x, y))
    area.case("inner_vectors", "inner(x, y)", {"x": a, "y": b}, a @ b)
    area.case("outer", "outer(x, y)", {"x": v, "y": a}, np.multiply.outer(v, a))
    area.case("outer_scalar", "outer(x, y)", {"x": np.float64(1.5), "y": a}, 1.5 * a)
    area.write()



def paddings():
    area = Area("paddings")
    x = area.draw(3, 4)
    for mode, name in (("edge", "edge"), ("reflect", "reflect"), ("symmetric", "symmetric"), ("circular", "wrap")):
        area.case(f"pad_{mode}", f'pad(x, [[2, 1], [0, 3]], mode="{mode}")', {"x": (x, "f32 [n, m]")}, np.pad(x, [(2, 1), (0, 3)], mode=name))
        area.case(f"pad_{mode}_front", f'pad(x, [[1, 0], [0, 0]], mode="{mode}")', {"x": x}, np.pad(x, [(1, 0), (0, 0)], mode=name))
    area.case("pad_edge_far", 'pad(x, [[5, 0], [0, 6]], mode="edge")', {"x": x}, np.pad(x, [(5, 0), (0, 6)], mode="edge"))
    b = area.draw(2, 3, elem="bool")
    area.case("pad_bool", 'pad(x, [[1, 1], [1, 1]], mode="circular")', {"x": ("bool", b)}, np.pad(b, 1, mode="wrap"), "bool")
    area.case("pad_constant", "pad(x, [[1, 0], [0, 2]])", {"x": x}, np.pad(x, [(1, 0), (0, 2)]))
    area.case("pad_axis", "pad_axis(x, before=1, after=2), pad_axis(x, after=n, axis=0)", {"x": (x, "f32 [n, m]")},
              [("f32", np.pad(x, [(0, 0), (1, 2)])), ("f32", np.pad(x, [(0, 3), (0, 0)]))])
    area.case("pad_with", "pad_with(x, -inf, [[1, 0], [0, 2]])", {"x": x}, np.pad(x, [(1, 0), (0, 2)], constant_values=-np.inf))
    area.case("pad_with_given", "pad_with(x, y, [[1, 0], [0, 2]])", {"x": ("i32", np.arange(6).reshape(2, 3)), "y": ("i32", np.int32(7))},
              np.pad(np.arange(6).reshape(2, 3), [(1, 0), (0, 2)], constant_values=7), "i32")
    area.case("pad_by_size", 'pad(x, [[n, 0], [0, m - 1]], mode="symmetric")', {"x": (x, "f32 [n, m]")}, np.pad(x, [(3, 0), (0, 3)], mode="symmetric"))
    area.write()


def linear(size, to, coordinates):
    mix = np.zeros((to, size))
    for i in range(to):
        if coordinates == "align_corners" and to > 1:
            x = i * (size - 1) / (to - 1)
        else:
            x = (i + 0.5) * size / to - 0.5 if coordinates == "half_pixel" else i * size / to
        base = int(np.floor(x))
        mix[i, min(max(base, 0), size - 1)] += 1 - (x - base)
        mix[i, min(max(base + 1, 0), size - 1)] += x - base
    return mix


def images():
    area = Area("images")
    x = area.draw(2, 4, 6, 3)
    for coordinates in ("half_pixel", "align_corners", "asymmetric"):
        rows, columns = linear(4, 8, coordinates), linear(6, 4, coordinates)
        area.case(f"resize_{coordinates}", f'resize(x, size=[8, 4], coordinates="{coordinates}")', {"x": (x, "f32 [n, h, w, c]")},
                  np.einsum("ih,jw,nhwc->nijc", rows, columns, x))
    area.case("resize_twice", "resize_nearest(x, size=[2*h, 3*w])", {"x": (x, "f32 [n, h, w, c]")}, x.repeat(2, 1).repeat(3, 2))
    b = area.draw(1, 2, 2, 1, elem="bool")
    area.case("resize_nearest_bool", 'resize_nearest(x, size=[4, 2], coordinates="asymmetric")', {"x": ("bool", b)}, b.repeat(2, 1), "bool")
    p = windows_of(x, [2, 3], [2, 1], [(0, 0), (0, 0)], [1, 1])
    area.case("patches", "patches(x, size=[2, 3], stride=[2, 1])", {"x": x}, p.reshape(2, 2, 4, 18))
    p = windows_of(x, [3, 3], [2, 2], same_pads([4, 6], [3, 3], [2, 2]), [1, 1])
    area.case("patches_same", 'patches(x, size=[3, 3], stride=[2, 2], padding="same")', {"x": (x, "f32 [n, h, w, c]")}, p.reshape(2, 2, 3, 27))
    area.write()


def pairs(z):
    return np.stack([z.real, z.imag], -1)


def transforms():
    area = Area("transforms")
    x = area.draw(3, 10, 2)
    z = x[..., 0] + 1j * x[..., 1]
    area.case("fft", "fft(x)", {"x": (x, "f32 [b, n, 2]")}, pairs(np.fft.fft(z)))
    area.case("ifft", "ifft(x)", {"x": x}, pairs(np.fft.ifft(z)))
    x = area.draw(2, 9)
    area.case("rfft", "rfft(x)", {"x": (x, "f32 [b, n]")}, pairs(np.fft.rfft(x)))
    area.case("irfft", "irfft(x, n=9)", {"x": pairs(np.fft.rfft(x))}, x)
    area.case("rfft_f16", "rfft(x)", {"x": ("f16", x.astype(np.float16))}, pairs(np.fft.rfft(x.astype(np.float16).astype(float))), "f16", (2e-3, 2e-2))
    area.case("there_and_back", "irfft(rfft(x), n=n)", {"x": (x, "f32 [b, n]")}, x)
    k, j = np.mgrid[:9, :9]
    basis = 2 * np.cos(np.pi * k * (2 * j + 1) / 18)
    area.case("dct", "dct(x), idct(dct(x))", {"x": x}, [("f32", x @ basis.T), ("f32", x)])
    x = area.draw(2, 11)
    area.case("frame", "frame(x, length=4, step=2)", {"x": (x, "f32 [b, n]")}, np.stack([x[:, 2 * i:2 * i + 4] for i in range(4)], 1))
    area.case("frame_axis", "frame(x, length=3, axis=0)", {"x": x.T}, np.stack([x.T[3 * i:3 * i + 3] for i in range(3)]))
    f = area.draw(2, 3, 4)
    y = np.zeros((2, 8))
    for i in range(3):
        y[:, 2 * i:2 * i + 4] += f[:, i]
    area.case("overlap_add", "overlap_add(x, step=2)", {"x": (f, "f32 [b, f, 4]")}, y)
    area.write()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def normed(x, axis, eps):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)


def relu(x):
    return np.maximum(x, 0)


def conv_block(x, w, b, stride=(1, 1), pads="same"):
    return relu(conv(x, w, stride, pads) + b)


def layers():
    area = Area("layers", ["nn"])
    x, w, b = area.draw(2, 3, 4), area.draw(4, 5), area.draw(5)
    area.case("dense", "nn.dense(x, w, b)", {"x": (x, "f32 [n, m, 4]"), "w": w, "b": b}, x @ w + b)
    area.case("dense_vector", "nn.dense(x, w, b)", {"x": x[0, 0], "w": w, "b": b}, x[0, 0] @ w + b)
    area.case("dense_no_bias", "nn.dense_no_bias(x, w)", {"x": (x, "f32 [n, m, 4]"), "w": w}, x @ w)
    v, c = area.draw(5, 4), area.draw(4)
    area.case("mlp", "nn.mlp(x, w, b, v, c)", {"x": x, "w": w, "b": b, "v": v, "c": c}, gelu(x @ w + b) @ v + c)
    far = np.array([-3, -.7, 0, .3, .6, 2, 5.5, 9], np.float32).astype(np.float64)
    erfc = np.vectorize(math.erfc)
    area.case("erfc", "nn.erfc(x), nn.gelu_erfc(-x)", {"x": far}, [("f32", erfc(far)), ("f32", -.5 * far * erfc(far * math.sqrt(.5)))], tolerance=(1e-5, 0))
    area.case("glu", "nn.glu(x), nn.swiglu(x), nn.dropout(x)", {"x": x},
              [("f32", x[..., :2] * sigmoid(x[..., 2:])), ("f32", x[..., :2] * sigmoid(x[..., :2]) * x[..., 2:]), ("f32", x)])
    g, h = area.draw(4), area.draw(4)
    area.case("layer_norm", "nn.layer_norm(x, g, b), nn.layer_norm(x, g, b, eps=0.5)", {"x": x, "g": g, "b": h},
              [("f32", normed(x, -1, 1e-5) * g + h), ("f32", normed(x, -1, 0.5) * g + h)])
    area.case("layer_norm_affine", "nn.layer_norm_affine(x, g, b)", {"x": x, "g": g, "b": h}, normed(x, -1, 1e-3) * g + h)
    area.case("rms_norm", "nn.rms_norm(x, g)", {"x": x, "g": g}, x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g)
    x = area.draw(2, 3, 4, 6)
    g, h, m, v = (area.draw(6, low=0.5, high=2) for _ in range(4))
    batched = (x - m) / np.sqrt(v + 1e-3) * g + h
    area.case("batch_norm", "nn.batch_norm(x, g, b, m, v)", {"x": (x, "f32 [n, h, w, 6]"), "g": g, "b": h, "m": m, "v": v}, batched)
    area.case("batch_norm_affine", "nn.batch_norm_affine(x, g, b, m, v)", {"x": (x, "f32 [n, h, w, 6]"), "g": g, "b": h, "m": m, "v": v}, batched)
    grouped = normed(x.reshape(2, 12, 3, 2), (1, 3), 1e-3).reshape(2, 3, 4, 6)
    area.case("group_norm", "nn.group_norm(x, g, b, groups=3)", {"x": (x, "f32 [n, h, w, 6]"), "g": g, "b": h}, grouped * g + h)
    area.case("instance_norm", "nn.instance_norm(x, g, b)", {"x": (x, "f32 [n, h, w, 6]"), "g": g, "b": h}, normed(x, (1, 2), 1e-3) * g + h)
    area.case("l2_normalize", "nn.l2_normalize(x), l2_normalize(x, axis=1)", {"x": x},
              [("f32", x / np.sqrt((x * x).sum(-1, keepdims=True))), ("f32", x / np.sqrt((x * x).sum(1, keepdims=True)))])
    around = np.pad(x * x, [(0, 0)] * 3 + [(2, 2)])
    sums = sum(around[..., i:i + 6] for i in range(5))
    area.case("local_response_norm", "nn.local_response_norm(x, radius=2, bias=2.0, alpha=0.1, beta=0.75)", {"x": (x, "f32 [n, h, w, 6]")},
              x / (2 + 0.1 * sums) ** 0.75)
    w1, b1, w2, b2 = area.draw(3, 3, 6, 6), area.draw(6), area.draw(3, 3, 6, 6), area.draw(6)
    area.case("conv_block", "nn.conv_block(x, w, b, stride=[2, 2])", {"x": (x, "f32 [n, h, w, 6]"), "w": w1, "b": b1}, conv_block(x, w1, b1, (2, 2)))
    norm = lambda x: (x - m) / np.sqrt(v + 1e-3) * g + h
    area.case("conv_norm_block", "nn.conv_norm_block(x, w, (g, b, m, v))", {"x": x, "w": w1, "g": g, "b": h, "m": m, "v": v},
              relu(norm(conv(x, w1, (1, 1), "same"))))
    s, f = area.draw(2, 7, 3), area.draw(3, 3, 2)
    area.case("causal_conv1d", "nn.causal_conv1d(x, w, dilation=2)", {"x": (s, "f32 [n, l, 3]"), "w": f}, conv(s, f, [1], [(4, 0)], [2]))
    d, p = area.draw(3, 3, 6, 1), area.draw(1, 1, 6, 4)
    area.case("separable", "nn.separable_conv2d(x, d, p)", {"x": x, "d": d, "p": p}, depthwise(x, d, (1, 1), "same") @ p[0, 0])
    area.case("residual", "nn.residual_block(x, w, b, v, c)", {"x": x, "w": w1, "b": b1, "v": w2, "c": b2},
              relu(x + conv(conv_block(x, w1, b1), w2, (1, 1), "same") + b2), tolerance=(1e-4, 1e-4))
    a, bb, c = area.draw(1, 1, 6, 2), area.draw(3, 3, 2, 2), area.draw(1, 1, 2, 6)
    area.case("bottleneck", "nn.bottleneck_block(x, a, a', b, b', c, c')", {"x": x, "a": a, "a'": area_b(a), "b": bb, "b'": area_b(bb), "c": c, "c'": area_b(c)},
              relu(x + conv(conv_block(conv_block(x, a, area_b(a)), bb, area_b(bb)), c, (1, 1), "same") + area_b(c)), tolerance=(1e-4, 1e-4))
    one, n3, w3, n5, w5, po = (area.draw(*shape) for shape in ((1, 1, 6, 2), (1, 1, 6, 2), (3, 3, 2, 3), (1, 1, 6, 1), (5, 5, 1, 2), (1, 1, 6, 1)))
    bias = area_b
    branches = [conv_block(x, one, bias(one)), conv_block(conv_block(x, n3, bias(n3)), w3, bias(w3)), conv_block(conv_block(x, n5, bias(n5)), w5, bias(w5)),
                conv_block(pool(x, [3, 3], [1, 1], "same", np.nanmax), po, bias(po))]
    given = {"x": (x, "f32 [n, h, w, 6]")}
    for name, value in zip("opqrst", (one, n3, w3, n5, w5, po)):
        given[name], given[name + "'"] = value, bias(value)
    area.case("inception", "nn.inception_block(x, (o, o'), ((p, p'), (q, q')), ((r, r'), (s, s')), (t, t'))", given, np.concatenate(branches, -1),
              tolerance=(1e-4, 1e-4))
    w1, b1, w2, b2 = area.draw(6, 2), area.draw(2), area.draw(2, 6), area.draw(6)
    gate = sigmoid(relu(x.mean((1, 2)) @ w1 + b1) @ w2 + b2)
    area.case("squeeze_excite", "nn.squeeze_excite(x, w, b, v, c)", {"x": (x, "f32 [n, h, w, 6]"), "w": w1, "b": b1, "v": w2, "c": b2}, x * gate[:, None, None])
    area.case("global_pools", "nn.global_avg_pool(x), nn.global_max_pool(x)", {"x": (x, "f32 [n, h, w, 6]")}, [("f32", x.mean((1, 2))), ("f32", x.max((1, 2)))])
    area.case("channel_shuffle", "nn.channel_shuffle(x, groups=3)", {"x": x}, x.reshape(2, 3, 4, 3, 2).swapaxes(-1, -2).reshape(2, 3, 4, 6))
    area.write()


def area_b(w):
    """A bias for a filter."""
    return np.arange(w.shape[-1]) * 0.25 - 0.5


def recurrent():
    area = Area("recurrent", ["rnn"])
    x, u = area.draw(2, 4, 3), 2
    symbolic = (x, "f32 [b, n, 3]")

    def run(cell, state, pick=lambda s: s):
        outputs = []
        for t in range(x.shape[1]):
            state = cell(state, x[:, t])
            outputs.append(pick(state))
        return np.stack(outputs, 1), state

    def weights(gates):
        return area.draw(3, gates * u), area.draw(u, gates * u)

    w, r = weights(1)
    b = area.draw(u)
    rnn = lambda h, x: np.tanh(x @ w + h @ r + b)
    all_, last = run(rnn, np.zeros((2, u)))
    area.case("simple", "rnn.simple_rnn(x, w, r, b)", {"x": symbolic, "w": w, "r": r, "b": b}, [("f32", all_), ("f32", last)])
    w4, r4 = weights(4)
    b4 = area.draw(4 * u)

    def lstm(state, x):
        i, f, g, o = np.split(x @ w4 + state[0] @ r4 + b4, 4, -1)
        c = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    all_, last = run(lstm, (np.zeros((2, u)), np.zeros((2, u))), lambda s: s[0])
    area.case("lstm", "rnn.lstm(x, w, r, b)", {"x": symbolic, "w": w4, "r": r4, "b": b4}, [("f32", all_), ("f32", last[0]), ("f32", last[1])])
    w3, r3 = weights(3)
    b3 = area.draw(2, 3 * u)

    def gru(h, x):
        xz, xr, xh = np.split(x @ w3 + b3[0], 3, -1)
        hz, hr, hh = np.split(h @ r3 + b3[1], 3, -1)
        z = sigmoid(xz + hz)
        return z * h + (1 - z) * np.tanh(xh + sigmoid(xr + hr) * hh)
    all_, last = run(gru, np.zeros((2, u)))
    area.case("gru", "rnn.gru(x, w, r, b)", {"x": symbolic, "w": w3, "r": r3, "b": b3}, [("f32", all_), ("f32", last)])
    forwards = all_
    x = x[:, ::-1]
    backwards, _ = run(rnn, np.zeros((2, u)))
    x = x[:, ::-1]
    area.case("bidirectional", "rnn.bidirectional(fn (x) { rnn.gru(x, w, r, b) }, fn (x) { rnn.simple_rnn(x, v, q, c) }, x)",
              {"x": symbolic, "w": w3, "r": r3, "b": b3, "v": w, "q": r, "c": b}, np.concatenate([forwards, backwards[:, ::-1]], -1))
    h, c = area.draw(2, u), area.draw(2, u)
    area.case("rnn_cell", "rnn.rnn_cell(h, x, w, r, b)", {"h": h, "x": x[:, 0], "w": w, "r": r, "b": b}, rnn(h, x[:, 0]))
    area.case("gru_cell", "rnn.gru_cell(h, x, w, r, b)", {"h": h, "x": x[:, 0], "w": w3, "r": r3, "b": b3}, gru(h, x[:, 0]))
    area.case("swap_time", "rnn.swap_time(x)", {"x": symbolic}, x.swapaxes(0, 1))
    area.case("cells", "rnn.lstm_cell((h, c), x, w, r, b)", {"h": h, "c": c, "x": x[:, 0], "w": w4, "r": r4, "b": b4},
              [("f32", part) for part in lstm((h, c), x[:, 0])])
    all_, last = run(rnn, h)
    area.case("simple_from", "rnn.simple_rnn_from(h, x, w, r, b)", {"h": h, "x": x, "w": w, "r": r, "b": b}, [("f32", all_), ("f32", last)])
    all_, last = run(lstm, (h, c), lambda s: s[0])
    area.case("lstm_from", "rnn.lstm_from((h, c), x, w, r, b)", {"h": h, "c": c, "x": x, "w": w4, "r": r4, "b": b4},
              [("f32", all_), ("f32", last[0]), ("f32", last[1])])
    with_bias, b4 = b4, 0 * b4
    area.case("lstm_no_bias", "rnn.lstm_no_bias_from((h, c), x, w, r), rnn.lstm_no_bias(x, w, r)", {"h": h, "c": c, "x": x, "w": w4, "r": r4},
              [("f32", part) for all_, last in (run(lstm, (h, c), lambda s: s[0]), run(lstm, (0 * h, 0 * c), lambda s: s[0])) for part in (all_, *last)])
    area.case("cells_no_bias", "rnn.lstm_cell_no_bias((h, c), x, w, r)", {"h": h, "c": c, "x": x[:, 0], "w": w4, "r": r4}, [("f32", part) for part in lstm((h, c), x[:, 0])])
    b4 = with_bias
    all_, last = run(gru, h)
    area.case("gru_from", "rnn.gru_from(h, x, w, r, b)", {"h": h, "x": x, "w": w3, "r": r3, "b": b3}, [("f32", all_), ("f32", last)])
    b1 = area.draw(3 * u)

    def reset_first(h, x):
        xz, xr, xh = np.split(x @ w3 + b1, 3, -1)
        hz, hr = np.split(h @ r3[:, :2 * u], 2, -1)
        z = sigmoid(xz + hz)
        return z * h + (1 - z) * np.tanh(xh + (sigmoid(xr + hr) * h) @ r3[:, 2 * u:])
    all_, last = run(reset_first, h)
    area.case("reset_first_from", "rnn.gru_reset_first_from(h, x, w, r, b)", {"h": h, "x": x, "w": w3, "r": r3, "b": b1}, [("f32", all_), ("f32", last)])
    all_, last = run(reset_first, np.zeros((2, u)))
    area.case("reset_first", "rnn.gru_reset_first(x, w, r, b)", {"x": symbolic, "w": w3, "r": r3, "b": b1}, [("f32", all_), ("f32", last)])
    area.case("cell_reset_first", "rnn.gru_cell_reset_first(h, x, w, r, b)", {"h": h, "x": x[:, 0], "w": w3, "r": r3, "b": b1}, reset_first(h, x[:, 0]))
    area.write()


def attend(q, k, v, mask=None, bias=0):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]) + bias
    return softmax(scores if mask is None else np.where(mask, scores, -np.inf)) @ v


def attentions():
    area = Area("attentions", ["attention"])
    q, k, v = area.draw(2, 3, 4), area.draw(2, 5, 4), area.draw(2, 5, 2)
    area.case("scaled", "attention.scaled_dot_product(q, k, v)", {"q": (q, "f32 [b, n, 4]"), "k": (k, "f32 [b, m, 4]"), "v": (v, "f32 [b, m, 2]")}, attend(q, k, v))
    mask = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 1, 0], [1, 1, 1, 1, 1]], bool)
    area.case("masked", "attention.masked(q, k, v, mask)", {"q": q, "k": k, "v": v, "mask": ("bool", mask)}, attend(q, k, v, mask))
    lower = np.tril(np.ones((3, 5), bool), 2)
    area.case("causal", "attention.causal(q, k, v)", {"q": (q, "f32 [b, n, 4]"), "k": (k, "f32 [b, m, 4]"), "v": (v, "f32 [b, m, 2]")}, attend(q, k, v, lower))
    x = area.draw(2, 3, 6)
    parts = x.reshape(2, 3, 3, 2).swapaxes(1, 2)
    area.case("heads", "attention.split_heads(x, heads=3), attention.join_heads(y)", {"x": (x, "f32 [b, n, 6]"), "y": parts}, [("f32", parts), ("f32", x)])
    d = 4
    dense = lambda: (area.draw(d, d, low=-1, high=1), area.draw(d))

    def given(name, parts):
        return {f"{name}{i}{mark}": value for i, pair in enumerate(parts) for mark, value in zip(("", "'"), pair)}

    def tuple_(name, count):
        return "(" + ", ".join(f"({name}{i}, {name}{i}')" for i in range(count)) + ")"

    def heads(x):
        return x.reshape(*x.shape[:2], 2, d // 2).swapaxes(1, 2)

    def multi(x, memory, layers, causal=False):
        (wq, bq), (wk, bk), (wv, bv), (wo, bo) = layers
        mask = np.tril(np.ones((x.shape[1], memory.shape[1]), bool)) if causal else None
        y = attend(heads(x @ wq + bq), heads(memory @ wk + bk), heads(memory @ wv + bv), mask)
        return y.swapaxes(1, 2).reshape(x.shape[0], x.shape[1], d) @ wo + bo
    x, memory, layers = area.draw(2, 3, d), area.draw(2, 5, d), [dense() for _ in range(4)]
    symbolic = {"x": (x, "f32 [b, n, 4]"), "y": (memory, "f32 [b, m, 4]")}
    area.case("multi_head", f"attention.multi_head(x, y, {tuple_('a', 4)}, heads=2)", {**symbolic, **given("a", layers)}, multi(x, memory, layers))
    area.case("causal_multi_head", f"attention.causal_multi_head(x, {tuple_('a', 4)}, heads=2)", {"x": symbolic["x"], **given("a", layers)}, multi(x, x, layers, True))
    by_heads = [(w.reshape(d, 2, d // 2), b.reshape(2, d // 2)) for w, b in layers[:3]] + [(layers[3][0].reshape(2, d // 2, d), layers[3][1])]
    area.case("multi_head_dense", f"attention.multi_head_dense(x, y, {tuple_('a', 4)}, scale=0.7071067811865476)", {**symbolic, **given("a", by_heads)},
              multi(x, memory, layers))
    w, b = by_heads[0]
    area.case("dense_heads", "attention.dense_heads(x, w, b), attention.dense_of_heads(y, v, c)",
              {"x": symbolic["x"], "w": w, "b": b, "y": heads(x).swapaxes(1, 2), "v": by_heads[3][0], "c": by_heads[3][1]},
              [("f32", (x @ layers[0][0] + layers[0][1]).reshape(2, 3, 2, d // 2)), ("f32", x @ layers[3][0] + layers[3][1])])
    angles = np.multiply.outer(np.arange(3), 10000.0 ** (-2 * np.arange(2) / 4))
    area.case("positions", "attention.add_positions(x)", {"x": symbolic["x"]}, x + np.concatenate([np.sin(angles), np.cos(angles)], -1))
    angles = np.multiply.outer(np.arange(3), 100.0 ** (-2 * np.arange(2) / 4))
    a, b = x[..., :2], x[..., 2:]
    area.case("rotary", "attention.rotary(x, base=100.0)", {"x": symbolic["x"]},
              np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], -1))
    mlp = (area.draw(d, 6), area.draw(6), area.draw(6, d), area.draw(d))
    norms = [(area.draw(d), area.draw(d)) for _ in range(3)]
    others = [dense() for _ in range(4)]
    norm = lambda x, i: normed(x, -1, 1e-5) * norms[i][0] + norms[i][1]
    feed = lambda x: gelu(x @ mlp[0] + mlp[1]) @ mlp[2] + mlp[3]
    parts = {**given("a", layers), **dict(zip(("w", "w'", "v", "v'"), mlp)), **given("n", norms[:2])}
    y = x + multi(norm(x, 0), norm(x, 0), layers)
    area.case("encoder_block", f"attention.encoder_block(x, {tuple_('a', 4)}, (w, w', v, v'), {tuple_('n', 2)}, heads=2)", {"x": symbolic["x"], **parts},
              y + feed(norm(y, 1)), tolerance=(1e-4, 1e-4))
    y = x + multi(norm(x, 0), norm(x, 0), layers, True)
    z = y + multi(norm(y, 1), memory, others)
    area.case("decoder_block", f"attention.decoder_block(x, y, {tuple_('a', 4)}, {tuple_('c', 4)}, (w, w', v, v'), {tuple_('n', 3)}, heads=2)",
              {**symbolic, **parts, **given("c", others), **given("n", norms)}, z + feed(norm(z, 2)), tolerance=(1e-4, 1e-4))
    distance = np.arange(5)[None, :] - np.arange(5)[:, None]  # of a key after the query
    q, k, v = area.draw(2, 5, 4), area.draw(2, 5, 4), area.draw(2, 5, 3)
    sequences = {"q": (q, "f32 [b, n, 4]"), "k": (k, "f32 [b, n, 4]"), "v": (v, "f32 [b, n, 3]")}
    area.case("windowed", "attention.windowed(q, k, v, before=2, after=1)", sequences, attend(q, k, v, (distance >= -2) & (distance <= 1)))
    area.case("causal_cached", "attention.causal_cached(q, k, v, cache=3)", sequences, attend(q, k, v, (distance > -3) & (distance <= 0)))
    q, k, v, bias = area.draw(2, 2, 3, 4), area.draw(2, 2, 5, 4), area.draw(2, 2, 5, 3), area.draw(2, 3, 5)
    bias[:, 0, 1] = -np.inf
    heads = {"q": (q, "f32 [b, h, n, 4]"), "k": (k, "f32 [b, h, m, 4]")}
    area.case("biased", "attention.biased(q, k, v, bias)", {**heads, "v": (v, "f32 [b, h, m, 3]"), "bias": (bias, "f32 [h, n, m]")},
              attend(q, k, v, bias=bias))
    slopes = 2.0 ** (-8 * np.arange(1, 3) / 2)
    area.case("alibi_bias", "attention.alibi_bias(q, k)", heads, slopes[:, None, None] * (np.arange(5)[None] - np.arange(2, 5)[:, None]))
    area.write()


def sounds():
    area = Area("sounds", ["audio"])
    x = area.draw(2, 40)
    area.case("preemphasis", "audio.preemphasis(x, coefficient=0.9)", {"x": (x, "f32 [b, n]")}, np.concatenate([x[:, :1], x[:, 1:] - 0.9 * x[:, :-1]], 1))
    hann = lambda n: 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)
    area.case("windows", "audio.hann(n=10), audio.hamming(n=7), x", {"x": np.zeros(1)},
              [("f32", hann(10)), ("f32", 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(7) / 7)), ("f32", np.zeros(1))])
    frames = np.stack([x[:, 6 * i:6 * i + 12] for i in range(5)], 1) * hann(12)
    spectra = np.fft.rfft(frames, 16)
    area.case("stft", "audio.stft(x, length=12, step=6, fft=16)", {"x": (x, "f32 [b, n]")}, pairs(spectra))
    frames = np.fft.irfft(spectra, 16)[..., :12] * hann(12)
    y, squares = np.zeros((2, 36)), np.zeros(36)
    for i in range(5):
        y[:, 6 * i:6 * i + 12] += frames[:, i]
        squares[6 * i:6 * i + 12] += hann(12) ** 2
    area.case("istft", "audio.istft(x, length=12, step=6, fft=16)", {"x": (pairs(spectra), "f32 [b, f, 9, 2]")}, y / np.maximum(squares, 1e-8),
              tolerance=(1e-4, 1e-4))
    area.case("decibels", "audio.decibels(x)", {"x": np.array([1, 100, 0, 2])}, 10 * np.log10(np.maximum([1, 100, 0, 2], 1e-10)))
    frames = np.stack([x[:, 6 * i:6 * i + 12] for i in range(5)], 1) * hann(12)
    area.case("power", "audio.power(audio.stft(x, length=12, step=6, fft=12))", {"x": x}, abs(np.fft.rfft(frames)) ** 2)
    mel = lambda f: 1127 * np.log(1 + f / 700)

    area.case("mel", "audio.mel(x)", {"x": abs(x)}, mel(abs(x)))

    def bank(bins, bands, rate, low, high):
        pitch = mel(np.arange(bins) * rate / 2 / (bins - 1))[:, None]
        edges = np.linspace(mel(low), mel(high), bands + 2)
        left, centre, right = edges[:-2], edges[1:-1], edges[2:]
        m = np.maximum(0, np.minimum((pitch - left) / (centre - left), (right - pitch) / (right - centre)))
        m[0] = 0
        return m
    area.case("mel_bank", "audio.mel_bank(bins=33, bands=8, low=80.0, high=7600.0), x", {"x": np.zeros(1)}, [("f32", bank(33, 8, 16000, 80, 7600)), ("f32", np.zeros(1))],
              tolerance=(1e-4, 1e-5))
    bands = np.log(abs(spectra) ** 2 @ bank(9, 4, 8000, 100, 3900) + 1e-6)
    area.case("log_mel", "audio.log_mel(x, length=12, step=6, fft=16, bands=4, rate=8000.0, low=100.0, high=3900.0)", {"x": (x, "f32 [b, n]")}, bands,
              tolerance=(1e-4, 1e-4))
    y = area.draw(2, 3, 8)
    k, j = np.mgrid[:5, :8]
    area.case("mfcc", "audio.mfcc(x, count=5)", {"x": y}, y @ (2 * np.cos(np.pi * k * (2 * j + 1) / 16)).T / math.sqrt(16))
    area.write()


def pictures():
    area = Area("pictures", ["vision"])
    raw = area.rng.integers(0, 256, (1, 2, 3, 3))
    area.case("from_bytes", "vision.from_bytes(x) * y", {"x": ("u8", raw), "y": np.float64(2)}, raw / 255 * 2)
    x = area.draw(2, 5, low=-0.2, high=1.2)
    area.case("to_bytes", "vision.to_bytes(x)", {"x": x}, np.clip(np.round(x * 255), 0, 255), "u8")
    x = area.draw(2, 7, 6, 3)
    symbolic = (x, "f32 [n, h, w, 3]")
    m, d = area.draw(3), area.draw(3, low=0.5, high=2)
    area.case("normalize", "vision.normalize(x, m, d)", {"x": symbolic, "m": m, "d": d}, (x - m) / d)
    area.case("central_crop", "vision.central_crop(x, height=4, width=3)", {"x": symbolic}, x[:, 1:5, 1:4])
    rows, columns = linear(7, 4, "half_pixel"), linear(6, 4, "half_pixel")
    area.case("resize_and_crop", "vision.resize_and_crop(x, size=4)", {"x": x}, np.einsum("ih,jw,nhwc->nijc", rows, columns, x))
    area.case("resize_and_crop_symbolic", "vision.resize_and_crop(x, size=3)", {"x": symbolic},
              np.einsum("ih,jw,nhwc->nijc", linear(7, 3, "half_pixel"), linear(6, 3, "half_pixel"), x))
    area.case("flip", "vision.flip(x)", {"x": x}, x[:, :, ::-1])
    area.case("grayscale", "vision.grayscale(x)", {"x": symbolic}, (x @ np.array([0.299, 0.587, 0.114]))[..., None])
    w, b = area.draw(3, 3, 3, 5), area.draw(5)
    area.case("patch_embedding", "vision.patch_embedding(x, w, b)", {"x": symbolic, "w": w, "b": b}, (conv(x, w, [3, 3], [(0, 0), (0, 0)]) + b).reshape(2, 4, 5))
    area.case("pad_to", "vision.pad_to(x, height=8, width=6)", {"x": symbolic}, np.pad(x, [(0, 0), (0, 1), (0, 0), (0, 0)]))
    area.write()


AREAS = (windows, products, paddings, images, transforms, layers, recurrent, attentions, sounds, pictures)

if __name__ == "__main__":
    for make in AREAS:
        make()
    subprocess.run([sys.argv[1], "fmt", *(os.path.join(HERE, make.__name__ + ".ax") for make in AREAS)], check=True)
