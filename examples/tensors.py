"""Functions that the examples' scripts share: write weights as .safetensors, compute references with NumPy in f64."""
import json
import pathlib

import numpy as np

ELEMENTS = {"float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64", "bool": "BOOL"}


def save_weights(path, tensors):
    """A dict of arrays as safetensors: the header's length (u64), the header (JSON, padded to 8), the bytes."""
    header, blobs, end = {}, [], 0
    for name, value in tensors.items():
        blobs.append(np.ascontiguousarray(value).tobytes())
        start, end = end, end + len(blobs[-1])
        header[name] = {"dtype": ELEMENTS[value.dtype.name], "shape": list(value.shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blobs))


def load_weights(path):
    """The arrays of a file of `save_weights`, by name."""
    data = pathlib.Path(path).read_bytes()
    body = 8 + int.from_bytes(data[:8], "little")
    types = {word: np.dtype(name) for name, word in ELEMENTS.items()}
    return {name: np.frombuffer(data[body + one["data_offsets"][0]:body + one["data_offsets"][1]],
                                types[one["dtype"]]).reshape(one["shape"])
            for name, one in json.loads(data[8:body]).items()}


def random_weights(rng, shapes):
    """An f32 array per shape, scaled so that values keep their size through a layer."""
    return {name: (rng.standard_normal(shape) / np.sqrt(max(np.prod(shape[:-1]), 4))).astype(np.float32)
            for name, shape in shapes.items()}


def save_example(folder, weights, inputs, outputs):
    """The weights as FOLDER/FOLDER.safetensors; inputs as they are and outputs in f32 as FOLDER/NAME.npy."""
    folder = pathlib.Path(folder)
    save_weights(folder / f"{folder.name}.safetensors", weights)
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value)
    for name, value in outputs.items():
        np.save(folder / f"{name}.npy", value.astype(np.float32))


def conv2d(x, kernel, stride=1, pad=(0, 0)):
    """NHWC with an HWIO kernel; `pad` is before and behind, on both sides of the image."""
    padded = np.pad(x.astype(np.float64), ((0, 0), pad, pad, (0, 0)))
    r, s = kernel.shape[:2]
    views = np.lib.stride_tricks.sliding_window_view(padded, (r, s), axis=(1, 2))[:, ::stride, ::stride]
    return np.einsum("nhwcrs,rsck->nhwk", views, kernel.astype(np.float64))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
