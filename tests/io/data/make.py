"""Writes the files of this folder with numpy 2.4.6, ml_dtypes 0.6.0 and safetensors 0.8.0.

Values count up from 0 in row-major order (for bool: odd ones are true), so a test can state them.
"""
import os

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def count(shape, dtype):
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


plain = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}
arrays = {name: count((2, 3), dtype) for name, dtype in plain.items()}
arrays["bool"] = count((2, 3), np.int8) % 2 == 1
for name, array in arrays.items():
    np.save(name + ".npy", array)

np.save("scalar.npy", np.float32(7))
np.save("empty.npy", np.zeros((0, 3), np.float32))
np.save("fortran.npy", np.asfortranarray(count((2, 3, 4), np.float32)))
np.save("big_endian.npy", count((2, 3), ">i4"))
np.save("big_endian_fortran.npy", np.asfortranarray(count((2, 3), ">u2")))
for version in (2, 3):
    with open(f"version{version}.npy", "wb") as file:
        np.lib.format.write_array(file, count((2, 3), np.float32), version=(version, 0))
np.save("objects.npy", np.array([1, "a"], dtype=object))
np.save("records.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
np.save("text.npy", np.array(["a", "bc"]))
np.save("complex.npy", np.zeros(2, np.complex64))

weights = {"layer.kernel": arrays["f32"], "layer.bias'": arrays["f16"], "table": arrays["i64"], "flag": arrays["bool"]}
np.savez("stored.npz", **weights)
np.savez_compressed("deflated.npz", **weights, wide=np.asfortranarray(count((40, 50), np.float64)), words=np.array(["a"]))
save_file({**arrays, "scalar": np.array(7, np.float32), "none": np.zeros((0, 3), np.float32),
           "tiny": count((4,), ml_dtypes.float8_e4m3fn)}, "all.safetensors", metadata={"made by": "make.py"})
np.savez("small_stored.npz", a=arrays["f32"], b=arrays["bool"])
np.savez_compressed("small_deflated.npz", a=arrays["f32"], b=arrays["bool"])
