"""Types as `axc check` prints them: read, and asked what they say about concrete shapes."""
import re

import sizes
import tensors

TOKEN = re.compile(r"\s*(?:(->|==|<=|>=|!=|[()\[\],@#:+\-*/%<>=;?~])|([A-Za-z_][\w.]*'*|\"[^\"]*\")|(\d+))")
ELEMENTS = set("f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool string".split())
SHAPE_FUNCTIONS = {"permute", "reduce", "reshape", "swap", "move", "sized", "stretch", "tile", "slice", "pad", "concat", "einsum"}


class Unread(Exception):
    """Something that this file does not know."""


class Open(Exception):
    """A name whose value is not known yet."""


class False_(Exception):
    """What is said does not hold."""


class Reader:
    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise Unread(text[at:])
            self.tokens.append(found.group(1) or found.group(2) or int(found.group(3)))
            at = found.end()
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else None

    def take(self, *wanted):
        token = self.peek()
        if wanted and token not in wanted:
            raise Unread(f"{token} for {wanted}")
        self.at += 1
        return token

    def skip(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    # ---- types

    def whole(self):
        """(parameters, result, facts); of what is no function the parameters are None."""
        left = self.type()
        facts = []
        if left[0] == "function":
            _, parameters, result = left
        else:
            parameters, result = None, left
        if self.skip("where"):
            facts = self.list(self.fact)
        if self.peek() is not None:
            raise Unread(self.peek())
        return parameters, result, facts

    def list(self, item):
        items = [item()]
        while self.skip(","):
            items.append(item())
        return items

    def type(self):
        if self.skip("("):
            parts = [] if self.peek() == ")" else self.list(self.type)
            self.take(")")
            if self.skip("->"):
                return "function", parts, self.type()
            return "tuple", parts
        word = self.take()
        if not isinstance(word, str) or not re.match(r"\w", word):
            raise Unread(word)
        token = self.peek()
        if token in ("[", "(", "?") or isinstance(token, str) and re.match(r"[A-Za-z_]", token) and token != "where":
            return "tensor", word, self.shape()
        return ("tensor", word, ("list", [])) if word in ELEMENTS else ("any", word)

    # ---- shapes

    def shape(self):
        parts = [self.append()]
        while self.skip("#"):
            parts.append(self.append())
        return parts[0] if len(parts) == 1 else ("stretch", parts)

    def append(self):
        parts = [self.part()]
        while self.skip("@"):
            parts.append(self.part())
        return parts[0] if len(parts) == 1 else ("append", parts)

    def part(self):
        if self.skip("("):
            inner = self.shape()
            self.take(")")
            return inner
        if self.skip("["):
            dims = [] if self.peek() == "]" else self.list(self.dim)
            self.take("]")
            return "list", dims
        word = self.take()
        if not isinstance(word, str) or not re.match(r"[A-Za-z_]", word):
            raise Unread(word)
        if self.peek() == "(":
            self.take("(")
            if word not in SHAPE_FUNCTIONS:
                raise Unread(word)
            arguments = self.list(self.argument)
            self.take(")")
            return "call", word, arguments
        return "variable", word

    def argument(self):
        """A shape, or a word, a number, a text or a list of a shape function, which may hold lists."""
        if isinstance(self.peek(), str) and self.peek().startswith('"'):
            return "text", self.take()
        if self.peek() == "[" and self.peek(1) == "[":
            self.take()
            pairs = self.list(self.part)
            self.take("]")
            return "pairs", pairs
        if isinstance(self.peek(), int) or self.peek() == "-":
            return self.dim()
        return self.shape()

    # ---- sizes

    def dim(self):
        left = self.product()
        while self.peek() in ("+", "-"):
            operator = self.take()
            left = (operator, left, self.product())
        return left

    def product(self):
        left = self.prefix()
        while self.peek() in ("*", "/", "%"):
            operator = self.take()
            left = (operator, left, self.prefix())
        return left

    def prefix(self):
        if self.skip("-"):
            inner = self.prefix()
            return -inner if isinstance(inner, int) else ("-", 0, inner)
        token = self.take()
        if token == "(":
            inner = self.dim()
            self.take(")")
            return inner
        if isinstance(token, int):
            return token
        if self.peek() == "(":
            self.take("(")
            if token in ("size", "rank"):
                inner = token, self.shape()
            elif token in ("max", "min", "ceildiv"):
                a = self.dim()
                self.take(",")
                inner = token, a, self.dim()
            else:
                raise Unread(token)
            self.take(")")
            return inner
        if not re.match(r"[A-Za-z_]", token):
            raise Unread(token)
        return token

    # ---- facts

    def fact(self):
        if isinstance(self.peek(), str) and self.peek(1) == ":":
            name = self.take()
            self.take(":")
            kind = self.take()
            if isinstance(kind, int):
                raise Unread("or")
            return "class", name, kind
        mark = self.at
        try:
            left = self.dim()
            relation = self.take(*sizes.RELATIONS)
            right = self.dim()
            if self.peek() in (None, ","):
                return relation, left, right
        except Unread:
            pass
        self.at = mark
        left = self.shape()
        self.take("==")
        return "shapes", left, self.shape()


# ---- their meaning


def size_of(size, names, variables):
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        if size not in names:
            raise Open(size)
        return names[size]
    if size[0] in ("size", "rank"):
        shape = shape_of(size[1], names, variables)
        return sizes.count(shape) if size[0] == "size" else len(shape)
    a, b = (size_of(part, names, variables) for part in size[1:])
    if size[0] == "ceildiv":
        if b == 0:
            raise False_
        return -(-a // b)
    try:
        return sizes.value((size[0], a, b), {})
    except sizes.Undefined:
        raise False_ from None


def words(argument, names, variables):
    """A list of numbers, or a word."""
    if isinstance(argument, tuple) and argument[0] == "list":
        return [None if dim == "_" else size_of(dim, names, variables) for dim in argument[1]]
    if isinstance(argument, tuple) and argument[0] == "variable":
        return argument[1]
    return size_of(argument, names, variables)


def shape_of(shape, names, variables):
    kind = shape[0]
    if kind == "list":
        numbers = tuple(size_of(dim, names, variables) for dim in shape[1])
        if any(n < 0 for n in numbers):
            raise False_
        return numbers
    if kind == "variable":
        if shape[1] not in variables:
            raise Open(shape[1])
        return variables[shape[1]]
    if kind == "append":
        return sum((shape_of(part, names, variables) for part in shape[1]), ())
    o = tensors.Operators()
    try:
        if kind == "stretch":
            shapes = [[tensors.Dim(n) for n in shape_of(part, names, variables)] for part in shape[1]]
            return tuple(dim.value for dim in o.broadcast(shapes))
        x = tensors.Tensor([tensors.Dim(n) for n in shape_of(shape[2][0], names, variables)])
        given = [words(argument, names, variables) for argument in shape[2][1:]]
        result = apply(o, shape[1], x, given)
    except tensors.Refused:
        raise False_ from None
    return tuple(result.shape)


def apply(o, function, x, given):
    rank = len(x.dims)
    if function == "permute":
        return o.permuted(x, list(range(rank))[::-1] if given[0] == "reversed" else [o.axis(i, rank) for i in given[0]])
    if function == "swap":
        perm = list(range(rank))
        a, b = (o.axis(i, rank) for i in given)
        perm[a], perm[b] = b, a
        return o.permuted(x, perm)
    if function == "move":
        a, b = (o.axis(i, rank) for i in given)
        perm = [i for i in range(rank) if i != a]
        perm.insert(b, a)
        return o.permuted(x, perm)
    if function == "reduce":
        axes = None if given[0] == "all" else given[0] if isinstance(given[0], list) else [given[0]]
        return o.reduced(sum, x, axes, given[1] == "true")
    if function == "reshape":
        return o.reshaped(x, [None if n is None else tensors.Dim(n) for n in given[0]])
    raise Unread(function)


def flatten(shape):
    """A shape as a pattern of `sizes.splits`, or None."""
    if shape[0] == "list":
        return list(shape[1])
    if shape[0] == "variable":
        return [("@", shape[1])]
    if shape[0] == "append":
        parts = [flatten(part) for part in shape[1]]
        return None if None in parts else sum(parts, [])
    return None


def settled(size, names, variables):
    """A size with the numbers that are known in it, or Open for a shape that is not."""
    if isinstance(size, str):
        return names.get(size, size)
    if isinstance(size, int):
        return size
    if size[0] in ("size", "rank"):
        return size_of(size, names, variables)
    parts = tuple(settled(part, names, variables) for part in size[1:])
    if size[0] == "ceildiv":
        return ("-", 0, ("/", ("-", 0, parts[0]), parts[1]))
    return (size[0], *parts)


class Question:
    """What a printed type says of concrete shapes; `facts` counts the sizes and facts that were evaluated."""

    def __init__(self, text):
        self.parameters, self.result, self.where = Reader(text).whole()
        self.facts = 0

    def ask(self, shapes):
        """True and the shapes of the results; False; or None where it is not known."""
        pairs, opaque = [], []
        for parameter, shape in zip(self.parameters, shapes):
            if parameter[0] == "any":
                continue
            if parameter[0] != "tensor":
                raise Unread(parameter[0])
            pattern = flatten(parameter[2])
            if pattern is None:
                opaque.append(("shapes", parameter[2], ("list", list(shape))))
            else:
                pairs.append((pattern, shape))
        facts = opaque + [fact for fact in self.where if fact[0] != "class"]
        answers = set()
        for variables, equations in sizes.splits_of_all(pairs, {}, []):
            try:
                for names, more in self.solve({}, variables, [("==", size, n) for size, n in equations] + facts):
                    try:
                        answers.add(tuple(self.results(self.result, names, more, shapes)))
                    except False_:  # the result has no shape, because its parts do not fit
                        continue
                    if len(answers) > 1:
                        return None, None
            except Open:
                return None, None
        return (True, answers.pop()) if answers else (False, None)

    def solve(self, names, variables, facts):
        """All values of the names with which the facts hold. Throws `Open` where one stays unknown."""
        facts, waiting = list(facts), []
        for fact in facts:
            try:
                if not self.holds(fact, names, variables):
                    return
            except Open:
                waiting.append(fact)
        if not waiting:
            yield names, variables
            return
        equations = []
        for fact in waiting:
            if fact[0] != "==":
                continue
            for size, other in (fact[1:], fact[2:0:-1]):
                try:
                    number = size_of(other, names, variables)
                    equations.append((settled(size, names, variables), number))
                except Open:
                    pass
                except False_:
                    return
        if equations:
            ordered = [e for e in equations if len(sizes.names_of(e[0])) == 1] or equations
            name = sorted(sizes.names_of(ordered[0][0]))[0]
            count = 0
            for solved in sizes.solutions(equations, {}):
                count += 1
                if count > sizes.ENOUGH:
                    raise Open(name)
                yield from self.solve({**names, **solved}, variables, waiting)
            return
        for fact in waiting:
            if fact[0] != "shapes":
                continue
            for shape, other in (fact[1:], fact[2:0:-1]):
                pattern = flatten(shape)
                if pattern is None:
                    continue
                try:
                    whole = shape_of(other, names, variables)
                except Open:
                    continue
                except False_:
                    return
                for more, further in sizes.splits(pattern, whole, variables, []):
                    yield from self.solve(names, more, [("==", size, n) for size, n in further] + [f for f in waiting if f is not fact])
                return
        raise Open(str(waiting[0]))

    def holds(self, fact, names, variables):
        try:
            if fact[0] == "shapes":
                holds = shape_of(fact[1], names, variables) == shape_of(fact[2], names, variables)
            else:
                holds = sizes.RELATIONS[fact[0]](size_of(fact[1], names, variables), size_of(fact[2], names, variables))
        except False_:
            return False
        self.facts += 1
        return holds

    def results(self, type_, names, variables, shapes):
        if type_[0] == "tuple":
            return [shape for part in type_[1] for shape in self.results(part, names, variables, shapes)]
        if type_[0] == "any":
            same = [shape for parameter, shape in zip(self.parameters, shapes) if parameter == type_]
            if not same:
                raise Open(type_[1])
            return [tuple(same[0])]
        shape = shape_of(type_[2], names, variables)
        self.facts += len(shape)
        return [shape]
