"""The operators that random programs apply: how one is drawn, what it does, and how it is written.

An operator's static arguments are a dict: ints and lists of ints, and under the names of `SIZES` written sizes (`sizes.py`).
"""
import tensors

SIZES = {"dims", "start", "stop", "times_of", "count"}
AXES = {"axis", "a", "b", "from", "to"}


class Parameter(str):
    """A static argument that is a static parameter of the function."""


class Operator:
    def __init__(self, draw, apply, write=None):
        self.draw, self.apply, self.write = draw, apply, write


def written(name, arguments, statics, text):
    """`name(arguments, static=value)`; the list of `reshape` stands without a name."""
    parts = list(arguments)
    for key, value in statics.items():
        if key in SIZES:
            value = "[" + ", ".join("_" if v is None else text(v) for v in value) + "]" if isinstance(value, list) else text(value)
        elif isinstance(value, str) and not isinstance(value, Parameter):
            value = f'"{value}"'
        elif isinstance(value, list):
            value = "[" + ", ".join(map(str, value)) + "]"
        elif isinstance(value, bool):
            value = str(value).lower()
        parts.append(value if key == "dims" else f"{key}={value}")
    return f"{name}({', '.join(map(str, parts))})"


def some_axis(d, rank, extra=0):
    if rank + extra == 0:
        return 0
    axis = d.rng.randrange(rank + extra)
    return axis if d.rng.random() < 0.7 else axis - rank - extra


def unary(d):
    return [d.pick()], {}


def two(d):
    a = d.pick()
    shape = list(d.shape(a))
    roll = d.rng.random()
    if roll < 0.45:
        return [a, d.other(shape)], {}
    if roll < 0.65:
        shape = shape[d.rng.randrange(len(shape) + 1):]
    elif roll < 0.85:
        shape = [1 if d.rng.random() < 0.4 else size for size in shape]
    else:
        shape = [d.size() for _ in range(d.rng.randrange(2))] + shape
    pair = [a, d.other(shape)]
    if d.rng.random() < 0.5:
        pair.reverse()
    return pair, {}


def same(d):
    a = d.pick()
    return [a, d.other(d.shape(a))], {}


def matrices(left, right, broadcast=False):
    """Operands of a product: trailing letters of both, under equal batch sizes."""
    def draw(d):
        a = d.pick(len(left))
        shape = d.shape(a)
        front, sizes = list(shape[:len(shape) - len(left)]), dict(zip(left, shape[len(shape) - len(left):]))
        if broadcast and front and d.rng.random() < 0.5:
            front = front[1:] if d.rng.random() < 0.5 else [1] + front[1:]
        return [a, d.other(front + [sizes[c] if c in sizes else d.size() for c in right])], {}
    return draw


def axis_of(**more):
    def draw(d):
        a = d.pick(1)
        return [a], {**{k: v(d, a) for k, v in more.items()}, "axis": some_axis(d, len(d.shape(a)))}
    return draw


def reduction(d):
    a = d.pick()
    rank = len(d.shape(a))
    statics = {}
    roll = d.rng.random()
    if rank and roll < 0.6:
        statics["axis"] = some_axis(d, rank)
    elif rank > 1 and roll < 0.8:
        first = d.rng.randrange(rank)
        second = (first + 1 + d.rng.randrange(rank - 1)) % rank
        statics["axis"] = [first, second - rank if d.rng.random() < 0.5 else second]
    if d.rng.random() < 0.3:
        statics["keep"] = True
    return [a], statics


def axes(statics):
    axis = statics.get("axis")
    return axis if axis is None or isinstance(axis, list) else [axis]


def permutation(d):
    a = d.pick()
    perm = list(range(len(d.shape(a))))
    d.rng.shuffle(perm)
    return [a], {"perm": perm}


def two_axes(first, second):
    def draw(d):
        a = d.pick(1)
        rank = len(d.shape(a))
        return [a], {first: some_axis(d, rank), second: some_axis(d, rank)}
    return draw


def split_between(o, x, first, second):
    """Names the sizes on the way to two axes that are counted from one end."""
    if (first < 0) == (second < 0):
        o.split_at(x, first)
        o.split_at(x, second)


def swapped(o, xs, s):
    x, = xs
    rank = len(x.dims)
    split_between(o, x, s["a"], s["b"])
    a, b = o.axis(s["a"], rank), o.axis(s["b"], rank)
    perm = list(range(rank))
    perm[a], perm[b] = b, a
    return o.permuted(x, perm, named=False)


def moved_axis(o, xs, s):
    x, = xs
    rank = len(x.dims)
    split_between(o, x, s["from"], s["to"])
    a, b = o.axis(s["from"], rank), o.axis(s["to"], rank)
    perm = [i for i in range(rank) if i != a]
    perm.insert(b, a)
    return o.permuted(x, perm, named=False)


def several(d):
    a = d.pick(1)
    shape = d.shape(a)
    axis = some_axis(d, len(shape))
    xs = [a]
    for _ in range(d.rng.choice((1, 1, 2))):
        other = list(shape)
        other[axis] = d.size()
        xs.append(d.other(other))
    return xs, {"axis": axis}


def stacked(d):
    a = d.pick()
    return [a, d.other(d.shape(a))], {"axis": some_axis(d, len(d.shape(a)), 1)}


def reshape(d):
    a = d.pick()
    size = 1
    for n in d.shape(a):
        size *= n
    dims, rest = [], size
    while rest > 1 and len(dims) < 3:
        factor = d.rng.choice([f for f in range(1, rest + 1) if rest % f == 0])
        dims.append(factor)
        rest //= factor
    if rest != 1 or not dims and d.rng.random() < 0.8:
        dims.append(rest)
    d.rng.shuffle(dims)
    if dims and d.rng.random() < 0.5:
        i = d.rng.randrange(len(dims))
        if size or dims[i] == 0:
            dims[i] = None
    return [a], {"dims": dims}


def slices(d):
    a = d.pick(1)
    axis = some_axis(d, len(d.shape(a)))
    size = d.shape(a)[axis]
    start = d.rng.randrange(size + 1)
    return [a], {"axis": axis, "start": start, "stop": d.rng.randrange(start, size + 1), "step": d.rng.choice((1, 1, 2))}


def squeeze(d):
    a = d.pick()
    ones = [i for i, size in enumerate(d.shape(a)) if size == 1]
    if not ones:
        a = d.other([1] + list(d.shape(a)))
        ones = [0]
    axis = d.rng.choice(ones)
    return [a], {"axis": axis if d.rng.random() < 0.7 else axis - len(d.shape(a))}


def stretch_to(d):
    a = d.pick()
    shape = [d.size() if size == 1 else size for size in d.shape(a)]
    return [a], {"dims": [d.size() for _ in range(d.rng.randrange(2))] + shape}


def shape_only(d):
    return [], {"dims": [d.size() for _ in range(d.rng.randrange(4))]}


def einsum(equation):
    words = equation.split("->")[0].split(",")

    def draw(d):
        a = d.pick(len(words[0]), len(words[0]))
        sizes = dict(zip(words[0], d.shape(a)))
        return [a] + [d.other([sizes.setdefault(c, d.size()) for c in word]) for word in words[1:]], {}
    return Operator(draw, lambda o, xs, s: o.einsum(equation, *xs), lambda args, s, text: f'einsum("{equation}", {", ".join(args)})')


def infix(sign):
    return lambda args, s, text: f"({args[0]} {sign} {args[1]})"


def indexed(d):
    a = d.pick(1)
    axis = some_axis(d, len(d.shape(a)))
    size = d.shape(a)[axis]
    return [a], {"axis": axis, "at": d.rng.randrange(-size, size) if size else 0}


def index_text(args, s, text):
    at, axis = s["at"], s["axis"]
    inside = [":"] * axis + [str(at)] if axis >= 0 else ["..."] + [str(at)] + [":"] * (-axis - 1)
    return f"{args[0]}[{', '.join(inside)}]"


def index(o, xs, s):
    x, = xs
    at = o.split_at(x, s["axis"])
    size = x.dims[at].value
    if not -size <= s["at"] < size:
        raise tensors.Refused("index")
    one = o.along(x, s["axis"], tensors.Dim(1), lambda i: s["at"] % size)
    return tensors.Tensor(one.dims[:at] + one.dims[at + 1:], one.values)


def pool(d):
    a = d.pick(4, 4)
    size = [d.rng.randrange(1, max(2, n + 1)) for n in d.shape(a)[1:3]]
    return [a], {"size": size, "stride": [d.rng.choice((1, 2)) for _ in size]}


def rows(d):
    a = d.pick(3, 3)
    n, l, c = d.shape(a)
    padding = d.rng.choice(("valid", "same", [[d.rng.randrange(3), d.rng.randrange(2)]]))
    return [a, d.other([d.rng.randrange(1, l + 1) if l else 1, c, d.size()])], {
        "stride": [d.rng.choice((1, 2))], "padding": padding, "dilation": [d.rng.choice((1, 1, 2))]}


def enlarged_rows(d):
    xs, statics = rows(d)
    n, l, c = d.shape(xs[0])
    statics["padding"] = d.rng.choice(("valid", "same", [[d.rng.randrange(2), 0]]))
    return [xs[0], d.other([d.rng.randrange(1, 4), d.size(), c])], statics


def images(d):
    a = d.pick(4, 4)
    n, c, h, w = d.shape(a)
    return [a, d.other([d.size(), c, d.rng.randrange(1, h + 1) if h else 1, d.rng.randrange(1, w + 1) if w else 1])], {}


def pads(d):
    a = d.pick(1)
    return [a], {"before": d.rng.randrange(3), "after": d.rng.randrange(3), "axis": some_axis(d, len(d.shape(a)))}


def padded(o, xs, s):
    dim = xs[0].dims[o.axis(s["axis"], len(xs[0].dims))]
    if min(s["before"], s["after"]) < 0:
        raise tensors.Refused("negative pad")
    return o.along(xs[0], s["axis"], o.computed(dim.value + s["before"] + s["after"], dim),
                   lambda i: i - s["before"] if 0 <= i - s["before"] < dim.value else None)


def repeated(o, xs, s):
    dim = xs[0].dims[o.axis(s["axis"], len(xs[0].dims))]
    return o.along(xs[0], s["axis"], o.computed(dim.value * s["times"], dim), lambda i: i // s["times"])


def rearranged(place):
    def apply(o, xs, s):
        dim = xs[0].dims[o.axis(s["axis"], len(xs[0].dims))]
        return o.along(xs[0], s["axis"], dim, lambda i: place(i, dim.value, s))
    return apply


def tile(d):
    a = d.pick()
    return [a], {"times": [d.rng.randrange(1, 3) for _ in d.shape(a)]}


def frame(d):
    a = d.pick(1)
    return [a], {"length": d.rng.randrange(1, max(2, d.shape(a)[-1] + 1)), "step": d.rng.randrange(1, 3)}


def conditional(o, xs, s):
    a, b = xs
    result = o.strict(lambda x, y: x, a, b)
    if a.values is None or b.values is None:
        return tensors.Tensor(result.dims)
    return tensors.Tensor(result.dims, list(a.values if sum(a.values) > 0 else b.values))


def of_dims(value):
    return lambda o, xs, s: o.filled(s["dims"], value)


TABLE = {
    "relu": Operator(unary, lambda o, xs, s: o.pointwise(lambda a: max(a, 0), *xs)),
    "abs": Operator(unary, lambda o, xs, s: o.pointwise(abs, *xs)),
    "+": Operator(two, lambda o, xs, s: o.pointwise(lambda a, b: a + b, *xs), infix("+")),
    "-": Operator(two, lambda o, xs, s: o.pointwise(lambda a, b: a - b, *xs), infix("-")),
    "*": Operator(two, lambda o, xs, s: o.pointwise(lambda a, b: a * b, *xs), infix("*")),
    "maximum": Operator(two, lambda o, xs, s: o.pointwise(max, *xs)),
    "max": Operator(same, lambda o, xs, s: o.strict(max, *xs)),
    "if": Operator(same, conditional, lambda args, s, text: f"if sum({args[0]}) > 0 {{ {args[0]} }} else {{ {args[1]} }}"),
    "matmul": Operator(matrices("ab", "bc"), lambda o, xs, s: o.product(*xs, "ab", "bc", "ac")),
    "batch_matmul": Operator(matrices("ab", "bc", True), lambda o, xs, s: o.product(*xs, "ab", "bc", "ac", True)),
    "matmul_nt": Operator(matrices("ab", "cb"), lambda o, xs, s: o.product(*xs, "ab", "cb", "ac")),
    "matvec": Operator(matrices("ab", "b"), lambda o, xs, s: o.product(*xs, "ab", "b", "a")),
    "inner": Operator(lambda d: (lambda a: ([a, d.other([d.size() for _ in range(d.rng.randrange(2))] + [d.shape(a)[-1]])], {}))(
        d.pick(1)), lambda o, xs, s: inner(o, *xs)),
    "outer": Operator(lambda d: ([d.pick(), d.other([d.size() for _ in range(d.rng.randrange(3))])], {}),
                      lambda o, xs, s: outer(o, *xs)),
    "transpose": Operator(permutation, lambda o, xs, s: o.permuted(*xs, s["perm"])),
    "reversed": Operator(unary, lambda o, xs, s: o.permuted(*xs, list(range(len(xs[0].dims)))[::-1], named=False),
                         lambda args, s, text: f"transpose({args[0]})"),
    "swap_axes": Operator(two_axes("a", "b"), swapped),
    "move_axis": Operator(two_axes("from", "to"), moved_axis),
    "sum": Operator(reduction, lambda o, xs, s: o.reduced(sum, *xs, axes(s), s.get("keep", False))),
    "amax": Operator(reduction, lambda o, xs, s: o.reduced(max, *xs, axes(s), s.get("keep", False))),
    "concat": Operator(several, lambda o, xs, s: o.joined(xs, s["axis"])),
    "stack": Operator(stacked, lambda o, xs, s: o.stacked(xs, s["axis"])),
    "reshape": Operator(reshape, lambda o, xs, s: o.reshaped(*xs, s["dims"])),
    "flatten": Operator(unary, lambda o, xs, s: o.reshaped(*xs, [None]) if 0 not in xs[0].shape else tensors.Tensor(
        [tensors.Dim(0, tensors.NAMED)], [] if xs[0].values is not None else None)),
    "expand": Operator(lambda d: (lambda a: ([a], {"axis": some_axis(d, len(d.shape(a)), 1)}))(d.pick()),
                       lambda o, xs, s: o.expanded(*xs, s["axis"])),
    "squeeze": Operator(squeeze, lambda o, xs, s: o.squeezed(*xs, s["axis"])),
    "slice": Operator(slices, lambda o, xs, s: o.sliced(*xs, s["axis"], s["start"], s["stop"], s["step"])),
    "[]": Operator(indexed, index, index_text),
    "reverse": Operator(axis_of(), rearranged(lambda i, n, s: n - 1 - i)),
    "roll": Operator(axis_of(shift=lambda d, a: d.rng.randrange(-2, 3)), rearranged(lambda i, n, s: (i - s["shift"]) % n)),
    "repeat": Operator(axis_of(times=lambda d, a: d.rng.randrange(3)), repeated),
    "pad_axis": Operator(pads, padded),
    "tile": Operator(tile, lambda o, xs, s: o.tiled(*xs, s["times"])),
    "broadcast_to": Operator(stretch_to, lambda o, xs, s: o.broadcast_to(*xs, s["dims"])),
    "zeros": Operator(shape_only, of_dims(0)),
    "ones": Operator(shape_only, of_dims(1)),
    "zeros_like": Operator(unary, lambda o, xs, s: tensors.Tensor(xs[0].dims, xs[0].values and [0] * len(xs[0].values))),
    "diagonal": Operator(lambda d: ([d.pick(2)], {}), lambda o, xs, s: o.diagonals(*xs)),
    "frame": Operator(frame, lambda o, xs, s: o.framed(*xs, s["length"], s["step"])),
    "max_pool": Operator(pool, lambda o, xs, s: o.windows(*xs, s["size"], s["stride"])),
    "conv1d": Operator(rows, lambda o, xs, s: o.convolved_rows(*xs, s["stride"][0], s["padding"], s["dilation"][0])),
    "conv_transpose1d": Operator(enlarged_rows, lambda o, xs, s: o.convolved_back(*xs, s["stride"][0], s["padding"], s["dilation"][0])),
    "conv": Operator(images, lambda o, xs, s: o.convolved(*xs)),
    "ij,jk->ik": einsum("ij,jk->ik"),
    "ij,ij->j": einsum("ij,ij->j"),
    "ii->i": einsum("ii->i"),
    "bij,bkj->bik": einsum("bij,bkj->bik"),
    "i,j->ji": einsum("i,j->ji"),
}


def inner(o, a, b):
    if not a.dims or not b.dims:
        raise tensors.Refused("rank")
    o.known(a.dims[-1], b.dims[-1])
    o.equal(a.dims[-1], b.dims[-1])
    letters = "abcdefgh"
    left, right = letters[:len(a.dims) - 1], letters[len(a.dims) - 1:len(a.dims) + len(b.dims) - 2]
    plain = [tensors.Tensor([tensors.Dim(size) for size in x.shape], x.values) for x in (a, b)]
    values = tensors.Operators().einsum(f"{left}z,{right}z->{left}{right}", *plain).values
    return tensors.Tensor(a.dims[:-1] + b.dims[:-1], values)


def outer(o, a, b):
    values = None if a.values is None or b.values is None else [x * y for x in a.values for y in b.values]
    return tensors.Tensor(a.dims + b.dims, values)
