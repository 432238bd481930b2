"""Operators of windows: convolutions, pools, patches, frames, resizing."""
import numpy as np

from families.writer import T, f32, no, no_through, ok, wide

TOLERANT = (1e-4, 1e-5)


def same(sizes, windows, strides):
    """Pads as TensorFlow does: if the number is odd, the larger part goes after."""
    totals = [max((-(-n // s) - 1) * s + e - n, 0) for n, e, s in zip(sizes, windows, strides)]
    return [(total // 2, total - total // 2) for total in totals]


def windows_of(x, size, stride, pads, dilation, value=0):
    """[n, ..positions, ..window, c]"""
    rank = len(size)
    extents = [d * (e - 1) + 1 for e, d in zip(size, dilation)]
    if isinstance(pads, str):
        pads = same(x.shape[1:-1], extents, stride) if pads == "same" else [(0, 0)] * rank
    x = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=value)
    counts = [(x.shape[i + 1] - extents[i]) // stride[i] + 1 for i in range(rank)]
    out = np.zeros((x.shape[0], *counts, *size, x.shape[-1]), x.dtype)
    for at in np.ndindex(*counts):
        for tap in np.ndindex(*size):
            place = tuple(a * s + t * d for a, s, t, d in zip(at, stride, tap, dilation))
            out[(slice(None), *at, *tap)] = x[(slice(None), *place)]
    return out


def conv(x, w, stride, pads, dilation, groups=1):
    rank = x.ndim - 2
    windows = windows_of(wide(x), w.shape[:rank], stride, pads, dilation)
    depth, width = w.shape[-2], w.shape[-1] // groups
    return np.concatenate([np.tensordot(windows[..., g * depth:(g + 1) * depth], wide(w)[..., g * width:(g + 1) * width], rank + 1)
                           for g in range(groups)], -1)


def depthwise(x, w, stride, pads, dilation):
    c, m = w.shape[-2:]
    return conv(x, w.reshape(*w.shape[:-2], 1, c * m), stride, pads, dilation, c)


def conv_transpose(x, w, stride, pads, dilation, sizes):
    """Each element adds the window to a result of these sizes; `pads` are those of the convolution that this inverts."""
    rank = x.ndim - 2
    x, w = wide(x), wide(w)
    extents = [d * (e - 1) + 1 for e, d in zip(w.shape, dilation)]
    if isinstance(pads, str):
        pads = same(sizes, extents, stride) if pads == "same" else [(0, 0)] * rank
    y = np.zeros((x.shape[0], *sizes, w.shape[-2]), x.dtype)
    for at in np.ndindex(*x.shape[1:-1]):
        for tap in np.ndindex(*w.shape[:rank]):
            to = [a * s + t * d - p[0] for a, s, t, d, p in zip(at, stride, tap, dilation, pads)]
            if all(0 <= i < n for i, n in zip(to, sizes)):
                y[(slice(None), *to)] += x[(slice(None), *at)] @ w[tap].T
    return y


def texts(pads, **attributes):
    """`, stride=[2, 1]`; arguments that are None are left out."""
    rows = {**attributes, "padding": f'"{pads}"' if isinstance(pads, str) else [list(p) for p in pads] if pads else None}
    return "".join(f", {key}={value}" for key, value in rows.items() if value is not None)


# ---- convolutions

def convolutions():
    x, w = [(5,), (5, 6), (4, 5, 6)], [(2,), (2, 3), (2, 1, 3)]
    for rank in (1, 2, 3):
        size, window = x[rank - 1], w[rank - 1]
        ones, pads, strides, dilations = [1] * rank, [(1, 0), (0, 2), (2, 1)][:rank], [2, 1, 3][:rank], [2, 1, 1][:rank]
        forms = [(None, None, None), (strides, None, None), (strides[::-1], "same", None), (None, pads, dilations), (None, "valid", dilations[::-1])]
        for op, f in ((f"conv{rank}d", conv), (f"depthwise_conv{rank}d", depthwise)):
            a, b = T(f32, 2, *size, 3), T(f32, *window, 3, 4)
            for stride, padding, dilation in forms:
                y = f(a[1], b[1], stride or ones, padding or "valid", dilation or ones)
                ok(op, f"{op}(a, b{texts(padding, stride=stride, dilation=dilation)})", [a, b], (f32, y), tolerance=TOLERANT)
            for elem in ("i32", "f16"):
                p, q = T(elem, 1, *size, 2), T(elem, *window, 2, 3)
                ok(op, f"{op}(a, b)", [p, q], (elem, f(p[1], q[1], ones, "valid", ones)), tolerance=(2e-3, 1e-2) if elem == "f16" else None)
            for taken, filters in (((*size[:-1], 1, 3), (*window[:-1], 2, 3, 4)), ((*size, 2), (*window, 3, 4))):
                no(op, f"{op}(a, b)", [(f32, (2, *taken)), (f32, filters)])
            no(op, f"{op}(a, b)", [("bool", (2, *size, 3)), ("bool", (*window, 3, 4))])
            for attribute in ("stride", "dilation"):
                for wrong in [[bad if i == axis else 1 for i in range(rank)] for axis in range(rank) for bad in (0, -1)] + [[1] * (rank + 1)]:
                    no(op, f"{op}(a, b, {attribute}={wrong})", [(f32, (2, *size, 3)), (f32, (*window, 3, 4))])
            no(op, f"{op}(a, b, padding={[[0, 0]] * (rank - 1) + [[0, -1]]})", [(f32, (2, *size, 3)), (f32, (*window, 3, 4))])
            no(op, f"{op}(a, b, padding={[[0, 0]] * (rank + 1)})", [(f32, (2, *size, 3)), (f32, (*window, 3, 4))])
        grouped(f"conv{rank}d", size, window)
        transposed(f"conv_transpose{rank}d", rank)


def grouped(op, size, window):
    rank = len(size)
    a, b = T(f32, 2, *size, 4), T(f32, *window, 2, 6)
    ok(op, f"{op}(a, b, groups=2)", [a, b], (f32, conv(a[1], b[1], [1] * rank, "valid", [1] * rank, 2)), tolerance=TOLERANT)
    no(op, f"{op}(a, b, groups=2)", [(f32, (1, *size, 4)), (f32, (*window, 2, 3))])
    no(op, f"{op}(a, b, groups=2)", [(f32, (1, *size, 5)), (f32, (*window, 2, 4))])
    no(op, f"{op}(a, b, groups=3)", [(f32, (1, *size, 4)), (f32, (*window, 2, 6))])
    for v in (-1, 0):
        no(op, f"{op}(a, b, groups={v})", [(f32, (1, *size, 0)), (f32, (*window, 0, 3))])
        no_through(op, f"{op}(a, b, groups=v)", v, [(f32, (1, *size, 0)), (f32, (*window, 0, 3))])


def transposed(op, rank):
    size, window = [(4,), (3, 4), (2, 3, 2)][rank - 1], [(3,), (3, 2), (2, 3, 1)][rank - 1]
    a, b = T(f32, 2, *size, 3), T(f32, *window, 4, 3)
    ones, strides, dilations = [1] * rank, [2, 3, 1][:rank], [1, 2, 3][3 - rank:]
    pads = [(1, 0), (0, 1), (1, 0)][:rank]

    def sizes(stride, padding, dilation):
        extents = [d * (e - 1) + 1 for e, d in zip(window, dilation)]
        if padding == "same":
            return [n * s for n, s in zip(size, stride)]
        if padding is None:
            return [n * s + max(e - s, 0) for n, s, e in zip(size, stride, extents)]
        return [(n - 1) * s + e - p - q for n, s, e, (p, q) in zip(size, stride, extents, padding)]

    for stride, padding, dilation, out in ((None, None, None, None), (strides, None, None, None), (strides, "same", None, None), (None, "same", None, None),
                                           ([2] * rank, pads, None, None), (None, None, dilations, None), (strides[::-1], None, None, None),
                                           ([2] * rank, "same", None, [2 * n - 1 for n in size]), ([5, 4, 3][:rank], None, None, None)):
        to = out or sizes(stride or ones, padding, dilation or ones)
        y = conv_transpose(a[1], b[1], stride or ones, padding or "valid", dilation or ones, to)
        ok(op, f"{op}(a, b{texts(padding, stride=stride, dilation=dilation, size=out)})", [a, b], (f32, y), tolerance=TOLERANT)
    p, q = T("i32", 1, *size, 2), T("i32", *window, 3, 2)
    ok(op, f"{op}(a, b)", [p, q], ("i32", conv_transpose(p[1], q[1], ones, "valid", ones, sizes(ones, None, ones))))
    mixed = f"[{size[0] * 2 - 1}" + ", _" * (rank - 1) + "]"
    to = [size[0] * 2 - 1] + [2 * n for n in size[1:]]
    ok(op, f'{op}(a, b, stride={[2] * rank}, padding="same", size={mixed})', [a, b],
       (f32, conv_transpose(a[1], b[1], [2] * rank, "same", ones, to)), tolerance=TOLERANT)
    given = [(f32, (2, *size, 3)), (f32, (*window, 4, 3))]
    no(op, f"{op}(a, b)", [(f32, (2, *size, 2)), (f32, (*window, 4, 3))])
    no(op, f"{op}(a, b)", [("bool", (2, *size, 3)), ("bool", (*window, 4, 3))])
    for text in (f"stride={[0] * rank}", f"stride={[-1] * rank}", f"dilation={[0] * rank}", f"padding={[[0, -1]] * rank}", f"size={[n * 9 for n in size]}",
                 f"size={[1] * rank}", f"stride={[1] * (rank + 1)}", f"padding={[[9, 9]] * rank}"):
        no(op, f"{op}(a, b, {text})", given)


def channels_first():
    for elem, window in ((f32, (2, 3)), ("i32", (2, 3)), ("i32", (5, 4))):
        x, w = T(elem, 2, 3, 5, 4), T(elem, 6, 3, *window)
        y = conv(x[1].transpose(0, 2, 3, 1), w[1].transpose(2, 3, 1, 0), (1, 1), "valid", (1, 1))
        ok("conv", "conv(a, b)", [x, w], (elem, y.transpose(0, 3, 1, 2)), tolerance=TOLERANT if elem == f32 else None)
    no("conv", "conv(a, b)", [(f32, (2, 3, 1, 4)), (f32, (6, 3, 2, 3))])
    no("conv", "conv(a, b)", [(f32, (2, 3, 5, 2)), (f32, (6, 3, 2, 3))])
    no("conv", "conv(a, b)", [(f32, (2, 4, 5, 4)), (f32, (6, 3, 2, 3))])
    no("conv", "conv(a, b)", [("bool", (2, 3, 5, 4)), ("bool", (6, 3, 2, 3))])


# ---- pools, patches

def pools():
    for rank in (1, 2, 3):
        size = (5, 6, 4)[:rank]
        pads = [(1, 0), (1, 1), (0, 0)][:rank]
        forms = [([2, 3, 2], None, None), ([1, 1, 1], [2, 1, 3], None), ([2, 2, 3], [1, 2, 3], None), ([2, 3, 2], [1, 1, 1], pads), ([3, 2, 2], [2, 1, 2], "same"), ([2, 2, 2], None, "same")]
        for name, reduce in (("max_pool", np.nanmax), ("avg_pool", np.nanmean)):
            op = name + ("" if rank == 2 else f"{rank}d")
            x = T(f32, 2, *size, 3)
            for window, stride, padding in forms:
                window, stride = window[:rank], stride and stride[:rank]
                parts = windows_of(x[1], window, stride or window, padding or "valid", [1] * rank, np.nan)
                ok(op, f"{op}(a, size={window}{texts(padding, stride=stride)})", [x], (f32, reduce(parts, axis=tuple(range(1 + rank, 1 + 2 * rank)))))
            for elem in ("i32", "f16"):
                i = T(elem, 1, *size, 2, low=-20, high=20)
                parts = windows_of(i[1].astype(np.float64), [2] * rank, [2] * rank, "valid", [1] * rank)
                y = reduce(parts, axis=tuple(range(1 + rank, 1 + 2 * rank)))
                ok(op, f"{op}(a, size={[2] * rank})", [i], (elem, np.floor(y).astype(np.int64) if elem == "i32" else y))
            for axis in range(rank):
                no(op, f"{op}(a, size={[2 * (i != axis) for i in range(rank)]}, stride={[1] * rank})", [(f32, (2, *size, 3))])
                for bad in (0, -1):
                    no(op, f"{op}(a, size={[2] * rank}, stride={[bad if i == axis else 1 for i in range(rank)]})", [(f32, (2, *size, 3))])
                no(op, f"{op}(a, size={[2 + 5 * (i == axis) for i in range(rank)]})", [(f32, (2, *size, 3))])
                no_through(op, f"{op}(a, size=[{', '.join('v' if i == axis else '2' for i in range(rank))}], stride={[1] * rank})", -1, [(f32, (2, *size, 3))])
            no(op, f"{op}(a, size={[2] * rank})", [("bool", (2, *size, 3))])
            no(op, f"{op}(a, size={[2] * rank}, padding={[[-1, 0]] * rank})", [(f32, (2, *size, 3))])
            no(op, f"{op}(a, size={[2] * (rank + 1)})", [(f32, (2, *size, 3))])


def patches():
    x = T(f32, 2, 4, 6, 3)
    for elem, size, stride, padding in ((f32, [2, 3], [2, 1], None), ("i8", [1, 1], None, None), (f32, [3, 3], [2, 2], "same"), (f32, [2, 3], None, None), ("bool", [2, 2], None, [(0, 0), (1, 1)]),
                                        ("i8", [3, 2], [1, 3], None)):
        x = T(elem, 2, 4, 6, 3)
        y = windows_of(x[1], size, stride or size, padding or "valid", (1, 1))
        ok("patches", f"patches(a, size={size}{texts(padding, stride=stride)})", [x], (elem, y.reshape(*y.shape[:3], -1)))
    given = [(f32, (2, 4, 6, 3))]
    for text in ("size=[0, 2], stride=[1, 1]", "size=[2, 0], stride=[1, 1]", "size=[2, 2], stride=[0, 1]", "size=[5, 1]", "size=[1, 7]", "size=[2, 2], stride=[1, -1]",
                 "size=[2]", "size=[2, 2], padding=[[0, 0], [-1, 0]]"):
        no("patches", f"patches(a, {text})", given)
    for text in ("[v, 2]", "[2, v]"):
        no_through("patches", f"patches(a, size={text}, stride=[1, 1])", -1, given)


# ---- images at other sizes

def places(size, to, coordinates):
    at = np.arange(to)
    if coordinates == "align_corners":
        return at * (size - 1) / (to - 1) if to > 1 else at * 0.0
    return (at + 0.5) * size / to - 0.5 if coordinates == "half_pixel" else at * size / to


def mixed(size, to, method, coordinates):
    """What each pixel of the result takes of each pixel along one axis."""
    mix = np.zeros((to, size))
    for i, x in enumerate(places(size, to, coordinates)):
        base = int(np.floor(x))
        if method == "bilinear":
            for tap, share in ((base, 1 - (x - base)), (base + 1, x - base)):
                mix[i, min(max(tap, 0), size - 1)] += share
            continue
        for tap in range(base - 1, base + 3):
            d = abs(x - tap)
            keys = 1.5 * d**3 - 2.5 * d**2 + 1 if d <= 1 else -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2 if d < 2 else 0
            if 0 <= tap < size:
                mix[i, tap] += keys
        mix[i] /= mix[i].sum()
    return mix


def resizes():
    given = [(f32, (1, 4, 6, 2))]
    for method in (None, "bilinear", "bicubic"):
        for coordinates in (None, "half_pixel", "align_corners", "asymmetric"):
            for size in ([8, 4], [3, 7], [1, 1]):
                x = T(f32, 2, 4, 6, 3)
                rows, columns = (mixed(n, to, method or "bilinear", coordinates or "half_pixel") for n, to in zip((4, 6), size))
                words = (f', method="{method}"' if method else "") + (f', coordinates="{coordinates}"' if coordinates else "")
                ok("resize", f"resize(a, size={size}{words})", [x], (f32, np.einsum("ih,jw,nhwc->nijc", rows, columns, x[1])), tolerance=TOLERANT)
    x = T("f16", 1, 2, 3, 1)
    ok("resize", "resize(a, size=[4, 3])", [x], ("f16", np.einsum("ih,jw,nhwc->nijc", mixed(2, 4, "bilinear", "half_pixel"), mixed(3, 3, "bilinear", "half_pixel"), x[1])),
       tolerance=(2e-3, 2e-3))
    ok("resize", "resize(a, size=[2, 3])", [T(f32, 1, 1, 1, 2, low=2, high=2)], (f32, np.full((1, 2, 3, 2), 2)))
    for coordinates, size in ((None, [8, 12]), ("asymmetric", [8, 3]), ("half_pixel", [2, 2]), ("align_corners", [7, 4]), (None, [1, 1])):
        for elem, shape in (("bool", (4, 6)), (f32, (4, 6)), ("i8", (1, 1))):
            x = T(elem, 2, *shape, 3)
            rows, columns = (np.floor(places(n, to, coordinates or "half_pixel") + (0.5 if coordinates != "asymmetric" else 0)).astype(int) for n, to in zip(shape, size))
            y = x[1][:, np.clip(rows, 0, shape[0] - 1)][:, :, np.clip(columns, 0, shape[1] - 1)]
            words = f', coordinates="{coordinates}"' if coordinates else ""
            ok("resize_nearest", f"resize_nearest(a, size={size}{words})", [x], (elem, y))
    for op in ("resize", "resize_nearest"):
        for text in ("size=[0, 2]", "size=[2, 0]", "size=[2]", 'size=[2, 2], coordinates="pixel"'):
            no(op, f"{op}(a, {text})", given)
        for text in ("[v, 2]", "[2, v]"):
            no_through(op, f"{op}(a, size={text})", -1, given)
        for shape in ((1, 0, 6, 2), (1, 4, 0, 2), (4, 6, 2)):
            no(op, f"{op}(a, size=[2, 2])", [(f32, shape)])
    no("resize", "resize(a, size=[2, 2])", [("i32", (1, 4, 6, 2))])
    no("resize", 'resize(a, size=[2, 2], method="nearest")', given)


def all_windows():
    for family in (convolutions, channels_first, pools, patches, resizes):
        family()
