"""Operators on concrete tensors: NumPy's rules on lists, with what the language changes of them.

A `Dim` is a size with its value and its form: `literal` (the program says the number), `named` (it is an expression of names) or
`free` (it is of a shape whose rank is open). Only a literal 1 or one of a shape that a call decides stretches; where a named size
of value 1 would have to, `Operators.doubtful` says so.
"""
import itertools
import math

LITERAL, NAMED, FREE = 2, 1, 0
LARGEST = 1 << 22  # values beyond this are not exact in f32


class Refused(Exception):
    """What NumPy would refuse."""


class Large(Exception):
    """More axes or elements than the judge computes."""


class Dim:
    """A size: equal ones are joined, and know the strongest form of any of them."""
    __slots__ = ("value", "form", "joined", "named")

    def __init__(self, value, form=LITERAL):
        self.value, self.form, self.joined, self.named = value, form, None, form == NAMED

    def root(self):
        dim = self
        while dim.joined is not None:
            dim = dim.joined
        return dim


class Tensor:
    __slots__ = ("dims", "values")

    def __init__(self, dims, values=None):
        self.dims, self.values = dims, values

    @property
    def shape(self):
        return [dim.value for dim in self.dims]


def places(shape):
    return itertools.product(*map(range, shape))


def flat(shape, place):
    at = 0
    for size, i in zip(shape, place):
        at = at * size + i
    return at


def moved(shape, place, source):
    """Values at `shape`, each that of `source` at place(index)."""
    if source.values is None:
        return None
    from_shape = source.shape
    return [source.values[flat(from_shape, place(p))] for p in places(shape)]


class Operators:
    """The operators of one evaluation, and the stretches that it made."""

    def __init__(self, with_values=False):
        self.with_values = with_values
        self.stretched = []
        self.several = self.empty = False  # `several`: names of the promised result have several values; `empty`: some size is 0

    def doubtful(self):
        return any(dim.root().named for dim in self.stretched)

    # ---- sizes

    def known(self, *dims):
        """An operator that splits a shape at an axis names these sizes."""
        for dim in dims:
            root = dim.root()
            root.form, root.named = max(root.form, NAMED), root.named or root.form != LITERAL

    def equal(self, a, b):
        if a.value != b.value:
            raise Refused(f"{a.value} is not {b.value}")
        a, b = a.root(), b.root()
        if a is not b:
            b.joined = a
            a.form = max(a.form, b.form)
            a.named = a.named or b.named

    def equal_shapes(self, a, b):
        if len(a) != len(b):
            raise Refused(f"rank {len(a)} is not {len(b)}")
        for x, y in zip(a, b):
            self.equal(x, y)

    def computed(self, value, *dims):
        if value < 0:
            raise Refused(f"size {value}")
        return Dim(value, LITERAL if all(dim.root().form == LITERAL for dim in dims) else NAMED)

    def axis(self, axis, rank):
        if not -rank <= axis < rank:
            raise Refused(f"axis {axis} of rank {rank}")
        return axis % rank

    def split_at(self, x, axis):
        """The sizes before, at and after an axis; those on the way to it from its end are named."""
        at = self.axis(axis, len(x.dims))
        self.known(*(x.dims[:at + 1] if axis >= 0 else x.dims[at:]))
        return at

    def broadcast(self, shapes):
        rank = max(map(len, shapes))
        result = []
        for i in range(rank):
            dims = [shape[i - rank + len(shape)] for shape in shapes if i - rank + len(shape) >= 0]
            wide = [dim for dim in dims if dim.value != 1]
            if len({dim.value for dim in wide}) > 1:
                raise Refused(f"{[dim.value for dim in dims]} do not broadcast")
            if wide:
                self.stretched += [dim for dim in dims if dim.value == 1]
                result.append(wide[0] if all(dim.root() is wide[0].root() for dim in wide) else Dim(wide[0].value, max(
                    dim.root().form for dim in wide)))
            else:
                result.append(min(dims, key=lambda dim: dim.root().form))
        return result

    def stretch(self, x, shape):
        skip = len(shape) - len(x.dims)
        own = x.shape
        return moved(shape, lambda p: [0 if own[i] == 1 else p[skip + i] for i in range(len(own))], x)

    # ---- element by element

    def pointwise(self, function, *xs):
        dims = self.broadcast([x.dims for x in xs])
        values = None
        if all(x.values is not None for x in xs):
            shape = [dim.value for dim in dims]
            values = [function(*row) for row in zip(*(self.stretch(x, shape) for x in xs))]
        return Tensor(dims, values)

    def strict(self, function, *xs):
        for x in xs[1:]:
            self.equal_shapes(xs[0].dims, x.dims)
        return self.pointwise(function, *xs)

    # ---- products

    def einsum(self, equation, *xs):
        """The letters of `equation`, `ij,jk->ik`, each a size; what stands for `...` is a common shape."""
        inputs, output = equation.split("->")
        sizes = {}
        letters = inputs.split(",")
        for word, x in zip(letters, xs):
            if len(word) != len(x.dims):
                raise Refused("rank")
            self.known(*x.dims)
            for letter, dim in zip(word, x.dims):
                self.equal(sizes.setdefault(letter, dim), dim)
        dims = [sizes[letter] for letter in output]
        values = None
        summed = [letter for letter in sizes if letter not in output]
        work = math.prod(sizes[letter].value for letter in sizes)
        if all(x.values is not None for x in xs) and work <= 2000:
            values = []
            for p in places([dim.value for dim in dims]):
                at = dict(zip(output, p))
                total = 0
                for q in places([sizes[letter].value for letter in summed]):
                    at.update(zip(summed, q))
                    total += math.prod(x.values[flat(x.shape, [at[letter] for letter in word])]
                                       for word, x in zip(letters, xs))
                values.append(total)
        return Tensor(dims, values)

    def product(self, a, b, left, right, out, broadcast=False):
        """A product of trailing dimensions under common batch dimensions, as an einsum."""
        ends = [len(x.dims) - n for x, n in zip((a, b), (len(left), len(right)))]
        if min(ends) < 0:
            raise Refused("rank")
        self.known(*a.dims[ends[0]:], *b.dims[ends[1]:])
        sizes = {}
        for letter, dim in zip(left + right, a.dims[ends[0]:] + b.dims[ends[1]:]):
            self.equal(sizes.setdefault(letter, dim), dim)
        if broadcast:
            front = self.broadcast([a.dims[:ends[0]], b.dims[:ends[1]]])
        else:
            self.equal_shapes(a.dims[:ends[0]], b.dims[:ends[1]])
            front = a.dims[:ends[0]]
        dims = front + [sizes[letter] for letter in out]
        if broadcast or a.values is None or b.values is None:
            return Tensor(dims)
        letters = "ABCDEFGH"[:len(front)]
        equation = f"{letters}{left},{letters}{right}->{letters}{out}"
        plain = [Tensor([Dim(size) for size in x.shape], x.values) for x in (a, b)]
        return Tensor(dims, Operators().einsum(equation, *plain).values)

    # ---- structure

    def permuted(self, x, perm, named=True):
        if sorted(perm) != list(range(len(x.dims))):
            raise Refused("no permutation of its axes")
        if named:
            self.known(*x.dims)
        dims = [x.dims[i] for i in perm]
        back = [perm.index(i) for i in range(len(perm))]
        return Tensor(dims, moved([dim.value for dim in dims], lambda p: [p[i] for i in back], x))

    def reduced(self, function, x, axes, keep):
        rank = len(x.dims)
        if axes is None:
            at = set(range(rank))
            for dim in x.dims if keep else ():  # named if something determines the rank of the result
                dim.root().named = dim.root().named or dim.root().form != LITERAL
        else:
            at = {self.axis(axis, rank) for axis in axes}
            if len(at) < len(axes):
                raise Refused("an axis twice")
            if all(axis >= 0 for axis in axes):
                self.known(*x.dims[:max(axes) + 1])
            elif all(axis < 0 for axis in axes):
                self.known(*x.dims[min(at):])
            else:
                self.several = True  # whether sizes are named depends on whether the rank becomes known
        kept = [i for i in range(rank) if i not in at]
        dims = [Dim(1) if i in at else dim for i, dim in enumerate(x.dims) if keep or i not in at]
        values = None
        if x.values is not None:
            shape = x.shape
            values = []
            for p in places([shape[i] for i in kept]):
                elements = []
                for q in places([shape[i] for i in sorted(at)]):
                    place = [0] * rank
                    for i, v in zip(kept, p):
                        place[i] = v
                    for i, v in zip(sorted(at), q):
                        place[i] = v
                    elements.append(x.values[flat(shape, place)])
                if not elements and function is not sum:
                    values = None
                    break
                values.append(function(elements))
        return Tensor(dims, values)

    def joined(self, xs, axis):
        at = self.split_at(xs[0], axis)
        for x in xs[1:]:
            if len(x.dims) != len(xs[0].dims):
                raise Refused("rank")
            self.split_at(x, axis)
            self.equal_shapes(x.dims[:at] + x.dims[at + 1:], xs[0].dims[:at] + xs[0].dims[at + 1:])
        total = self.computed(sum(x.dims[at].value for x in xs), *(x.dims[at] for x in xs))
        dims = xs[0].dims[:at] + [total] + xs[0].dims[at + 1:]
        values = None
        if all(x.values is not None for x in xs):
            values = []
            for p in places([dim.value for dim in dims]):
                i = p[at]
                for x in xs:
                    if i < x.dims[at].value:
                        values.append(x.values[flat(x.shape, p[:at] + (i,) + p[at + 1:])])
                        break
                    i -= x.dims[at].value
        return Tensor(dims, values)

    def stacked(self, xs, axis):
        for x in xs[1:]:
            self.equal_shapes(xs[0].dims, x.dims)
        return self.joined([self.expanded(x, axis) for x in xs], axis)

    def expanded(self, x, axis):
        at = self.axis(axis, len(x.dims) + 1)
        self.known(*(x.dims[:at] if axis >= 0 else x.dims[at:]))
        return Tensor(x.dims[:at] + [Dim(1)] + x.dims[at:], x.values)

    def squeezed(self, x, axis):
        at = self.split_at(x, axis)
        self.equal(x.dims[at], Dim(1))
        return Tensor(x.dims[:at] + x.dims[at + 1:], x.values)

    def along(self, x, axis, size, index):
        """Another size at an axis; `index` gives the old place of a new one, or None for a 0."""
        at = self.split_at(x, axis)
        dims = x.dims[:at] + [size] + x.dims[at + 1:]
        values = None
        if x.values is not None:
            shape, values = x.shape, []
            for p in places([dim.value for dim in dims]):
                old = index(p[at])
                values.append(0 if old is None else x.values[flat(shape, p[:at] + (old,) + p[at + 1:])])
        return Tensor(dims, values)

    def sliced(self, x, axis, start, stop, step):
        dim = x.dims[self.split_at(x, axis)]
        end = dim if stop is None else stop
        if not 0 <= start.value <= end.value <= dim.value:
            raise Refused(f"{start.value}:{end.value} of {dim.value}")
        size = self.computed(-(-(end.value - start.value) // step), dim, start, end)
        return self.along(x, axis, size, lambda i: start.value + i * step)

    def reshaped(self, x, dims):
        """To `dims`, of which one may be None."""
        size = math.prod(x.shape)
        rest = math.prod(dim.value for dim in dims if dim)
        if None in dims:
            if not rest or size % rest:
                raise Refused(f"{size} in {rest}")
            dims = [Dim(size // rest, max(NAMED, min((d.root().form for d in x.dims), default=NAMED))) if dim is None
                    else dim for dim in dims]
        elif rest != size:
            raise Refused(f"{size} is not {rest}")
        return Tensor(dims, x.values)

    def broadcast_to(self, x, dims):
        if len(x.dims) > len(dims) or any(a not in (1, b) for a, b in zip(x.shape[::-1], [d.value for d in dims][::-1])):
            raise Refused("does not stretch")
        self.stretched += [a for a, b in zip(x.dims[::-1], dims[::-1]) if a.value != b.value]
        return Tensor(dims, self.stretch(x, [dim.value for dim in dims]))

    def tiled(self, x, times):
        if len(times) != len(x.dims):
            raise Refused("rank")
        self.known(*x.dims)
        dims = [self.computed(dim.value * n, dim) for dim, n in zip(x.dims, times)]
        shape = x.shape
        return Tensor(dims, moved([dim.value for dim in dims], lambda p: [i % n for i, n in zip(p, shape)], x))

    def filled(self, dims, value):
        return Tensor(dims, [value] * math.prod(dim.value for dim in dims) if self.with_values else None)

    def diagonals(self, x):
        if len(x.dims) < 2:
            raise Refused("rank")
        m, n = x.dims[-2:]
        self.known(m, n)
        dims = x.dims[:-2] + [self.computed(min(m.value, n.value), m, n)]
        return Tensor(dims, moved([dim.value for dim in dims], lambda p: p + (p[-1],), x))

    def framed(self, x, length, step):
        dim = x.dims[self.split_at(x, -1)]
        if not 1 <= length <= dim.value:
            raise Refused("empty, or longer than the tensor")
        dims = x.dims[:-1] + [self.computed((dim.value - length) // step + 1, dim), Dim(length)]
        return Tensor(dims, moved([d.value for d in dims], lambda p: p[:-2] + (p[-2] * step + p[-1],), x))

    def windows(self, x, size, stride):
        """max_pool without padding."""
        if len(x.dims) != 4:
            raise Refused("rank")
        self.known(*x.dims)
        out = []
        for dim, r, step in zip(x.dims[1:3], size, stride):
            if dim.value < r:
                raise Refused("smaller than the window")
            out.append(self.computed((dim.value - r) // step + 1, dim))
        dims = [x.dims[0], *out, x.dims[3]]
        values = None
        if x.values is not None:
            values = [max(x.values[flat(x.shape, (n, i * stride[0] + a, j * stride[1] + b, c))]
                          for a in range(size[0]) for b in range(size[1])) for n, i, j, c in places([d.value for d in dims])]
        return Tensor(dims, values)

    def convolved(self, x, w):
        """The paper's `conv`: [n, c, h, w] by [k, c, r, s]."""
        if len(x.dims) != 4 or len(w.dims) != 4:
            raise Refused("rank")
        self.known(*x.dims, *w.dims)
        self.equal(x.dims[1], w.dims[1])
        out = []
        for dim, r in zip(x.dims[2:], w.dims[2:]):
            if dim.value < r.value:
                raise Refused("smaller than the filter")
            out.append(self.computed(dim.value - r.value + 1, dim, r))
        return Tensor([x.dims[0], w.dims[0], *out])

    def window(self, w, stride, padding, dilation):
        """How far a filter reaches, and how much explicit padding there is."""
        around = 0 if isinstance(padding, str) else sum(padding[0])
        if min(stride, dilation) < 1 or not isinstance(padding, str) and min(padding[0]) < 0:
            raise Refused("a stride, a dilation or a padding")
        return (w.value - 1) * dilation + 1, around

    def convolved_rows(self, x, w, stride, padding, dilation):
        """[n, l, c] by [r, c, k]."""
        if len(x.dims) != 3 or len(w.dims) != 3:
            raise Refused("rank")
        self.known(*x.dims, *w.dims)
        self.equal(x.dims[2], w.dims[1])
        extent, around = self.window(w.dims[0], stride, padding, dilation)
        l = x.dims[1]
        if padding == "same":
            out = self.computed(-(-l.value // stride), l)
        elif l.value + around < extent:
            raise Refused("smaller than the filter")
        else:
            out = self.computed((l.value + around - extent) // stride + 1, l, w.dims[0])
        return Tensor([x.dims[0], out, w.dims[2]])

    def convolved_back(self, x, w, stride, padding, dilation):
        """The transpose of it: [n, l, c] by [r, k, c]."""
        if len(x.dims) != 3 or len(w.dims) != 3:
            raise Refused("rank")
        self.known(*x.dims, *w.dims)
        self.equal(x.dims[2], w.dims[2])
        extent, around = self.window(w.dims[0], stride, padding, dilation)
        l = x.dims[1]
        if padding == "same":
            out = self.computed(l.value * stride, l)
        elif padding == "valid":
            out = self.computed(l.value * stride + max(extent - stride, 0), l, w.dims[0])
        else:
            out = self.computed((l.value - 1) * stride + extent - around, l, w.dims[0])
        return Tensor([x.dims[0], out, w.dims[1]])
