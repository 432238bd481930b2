"""Fourier and cosine transforms, frames."""
import numpy as np

from families.writer import T, f32, no, no_through, ok


def pairs(z):
    return np.stack([z.real, z.imag], -1)


def joined(x):
    return x[..., 0] + 1j * x[..., 1]


def cosines(n):
    k, j = np.mgrid[:n, :n]
    return 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n))


def transforms():
    rows = {"fft": lambda x: pairs(np.fft.fft(joined(x))), "ifft": lambda x: pairs(np.fft.ifft(joined(x))), "rfft": lambda x: pairs(np.fft.rfft(x)),
            "dct": lambda x: x @ cosines(x.shape[-1]).T, "idct": lambda x: np.linalg.solve(cosines(x.shape[-1]), x[..., None])[..., 0]}
    for op, f in rows.items():
        last = (2,) if op in ("fft", "ifft") else ()
        for elem, shape in (("f32", (3, 10)), ("f32", (7,)), ("f64", (2, 1, 8)), ("f16", (2, 4)), ("f32", (1,)), ("f32", (0, 5))):
            x = T(elem, *shape, *last)
            ok(op, f"{op}(a)", [x], (elem, f(x[1])), tolerance={"f16": (2e-3, 2e-2), "f64": (1e-11, 1e-11)}.get(elem, (1e-5, 1e-5)))
        no(op, f"{op}(a)", [(f32, (2, 0, *last))])
        no(op, f"{op}(a)", [("i32", (2, 4, *last))])
        no(op, f"{op}(a)", [(f32, ())])
    for op in ("fft", "ifft"):
        no(op, f"{op}(a)", [(f32, (4, 3))])
        no(op, f"{op}(a)", [(f32, (4,))])
    for n in (1, 8, 9):
        z = ("f64", pairs(np.fft.rfft(T("f64", 2, n)[1])))
        ok("irfft", f"irfft(a, n={n})", [z], ("f64", np.fft.irfft(joined(z[1]), n)), tolerance=(1e-11, 1e-11))
    no("irfft", "irfft(a, n=10)", [(f32, (2, 5, 2))])
    no("irfft", "irfft(a, n=8)", [(f32, (2, 5, 3))])
    no("irfft", "irfft(a, n=0)", [(f32, (2, 1, 2))])
    no("irfft", "irfft(a, n=8)", [("i32", (2, 5, 2))])
    no_through("irfft", "irfft(a, n=v)", 0, [(f32, (2, 1, 2))])
    no_through("irfft", "irfft(a, n=v)", -1, [(f32, (2, 0, 2))])


def framed(x, length, step, axis):
    x = np.moveaxis(x, axis, 0)
    y = np.stack([x[at:at + length] for at in range(0, len(x) - length + 1, step)])
    return np.moveaxis(y, (0, 1), (axis, axis + 1) if axis >= 0 else (axis - 1, axis))


def frames():
    for elem, text, length, step, axis in (("f32", "length=4, step=2", 4, 2, -1), ("f32", "length=3", 3, 3, -1), ("bool", "length=3, axis=0", 3, 3, 0),
                                           ("i8", "length=2, step=3, axis=1", 2, 3, 1), ("f32", "length=7, step=1", 7, 1, -1), ("f32", "length=1, step=9, axis=-2", 1, 9, -2)):
        x = T(elem, 6, 7, 7)
        ok("frame", f"frame(a, {text})", [x], (elem, framed(x[1], length, step, axis)))
    for text in ("length=0, step=1", "length=8", "length=2, step=0", "length=2, step=-1", "length=2, axis=2"):
        no("frame", f"frame(a, {text})", [(f32, (2, 7))])
    no("frame", "frame(a, length=1)", [(f32, ())])
    for text, v in (("length=v, step=1", -1), ("length=2, step=v", 0), ("length=2, step=v", -1), ("length=v, step=4", 8)):
        no_through("frame", f"frame(a, {text})", v, [(f32, (2, 7))])
    for elem in ("f32", "i16", "f16"):
        for count, length, step in ((3, 4, 2), (3, 2, 3), (1, 4, 1), (4, 3, 3), (2, 0, 2)):
            x = T(elem, 2, count, length)
            y = np.zeros((2, (count - 1) * step + length))
            for i in range(count):
                y[:, i * step:i * step + length] += x[1][:, i]
            ok("overlap_add", f"overlap_add(a, step={step})", [x], (elem, y))
    for text in ("step=0", "step=-1"):
        no("overlap_add", f"overlap_add(a, {text})", [(f32, (2, 3, 4))])
        no_through("overlap_add", "overlap_add(a, step=v)", int(text[5:]), [(f32, (2, 3, 4))])
    no("overlap_add", "overlap_add(a, step=1)", [(f32, (2, 0, 4))])
    no("overlap_add", "overlap_add(a, step=1)", [(f32, (4,))])
    no("overlap_add", "overlap_add(a, step=1)", [("bool", (2, 3))])
