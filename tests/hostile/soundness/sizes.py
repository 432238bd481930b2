"""Written sizes and shapes: their text, their values, and what names must be for shapes to fit.

A size is an int, a name, or (operator, size, size). A shape is a list of sizes, of ("@", name) for a shape variable, and of "_".
"""
import math

LARGEST = 64     # values of a name are tried up to here, or up to the size that it is part of
ENOUGH = 200     # give up if there are more ways to choose names

OPERATORS = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}


class Undefined(Exception):
    """A size that has no value: a division by zero."""


def is_variable(item):
    return isinstance(item, tuple) and item[0] == "@"


def value(size, names):
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        return names[size]
    operator, a, b = size[0], value(size[1], names), value(size[2], names)
    if operator == "+":
        return a + b
    if operator == "-":
        return a - b
    if operator == "*":
        return a * b
    if operator == "max":
        return max(a, b)
    if operator == "min":
        return min(a, b)
    if b == 0:
        raise Undefined
    return a // b if operator == "/" else a % b


def names_of(size):
    if isinstance(size, str):
        return {size} if size != "_" else set()
    return names_of(size[1]) | names_of(size[2]) if isinstance(size, tuple) and size[0] != "@" else set()


def text(size, within=0):
    if not isinstance(size, tuple):
        return str(size)
    operator, a, b = size
    if operator in ("max", "min"):
        return f"{operator}({text(a)}, {text(b)})"
    strength = OPERATORS[operator]
    written = f"{text(a, strength)} {operator} {text(b, strength + 1)}"
    return f"({written})" if strength < within else written


def shape_text(shape):
    parts, dims = [], []
    for item in shape:
        if is_variable(item):
            if dims:
                parts.append("[" + ", ".join(dims) + "]")
            dims = []
            parts.append(item[1])
        else:
            dims.append(text(item))
    if dims or not parts:
        parts.append("[" + ", ".join(dims) + "]")
    return " @ ".join(parts)


def substitute(size, names):
    """With values for names; a shape variable stays."""
    if isinstance(size, str):
        return names.get(size, size)
    if isinstance(size, tuple) and size[0] != "@":
        return (size[0], substitute(size[1], names), substitute(size[2], names))
    return size


def splits(pattern, shape, variables, equations):
    """All ways to give `shape` to `pattern`: what its shape variables are, and which sizes must have which values."""
    if not pattern:
        if not shape:
            yield variables, equations
        return
    item, rest = pattern[0], pattern[1:]
    if not is_variable(item):
        if shape:
            more = equations if item == "_" else equations + [(item, shape[0])]
            yield from splits(rest, shape[1:], variables, more)
        return
    known = variables.get(item[1])
    if known is not None:
        if tuple(shape[:len(known)]) == known:
            yield from splits(rest, shape[len(known):], variables, equations)
        return
    for length in range(len(shape) + 1):
        yield from splits(rest, shape[length:], {**variables, item[1]: tuple(shape[:length])}, equations)


def splits_of_all(pairs, variables, equations):
    if not pairs:
        yield variables, equations
        return
    (pattern, shape), rest = pairs[0], pairs[1:]
    for more, further in splits(list(pattern), list(shape), variables, equations):
        yield from splits_of_all(rest, more, further)


def solutions(equations, names):
    """All values of names with which `equations`, of (size, value), hold."""
    chosen, fewest = None, None
    for size, wanted in equations:
        unknown = names_of(size) - names.keys()
        if not unknown:
            try:
                if value(size, names) != wanted:
                    return
            except Undefined:
                return
        elif len(unknown) == 1:
            name, = unknown
            fits = []
            for candidate in range(max(LARGEST, wanted + 1)):
                try:
                    if value(size, {**names, name: candidate}) == wanted:
                        fits.append(candidate)
                except Undefined:
                    pass
            if not fits:
                return
            if fewest is None or len(fits) < len(fewest):
                chosen, fewest = name, fits
                if len(fits) == 1:
                    break
    if chosen is None:
        open_names = sorted(set().union(*(names_of(size) for size, _ in equations)) - names.keys())
        if not open_names:
            yield names
            return
        chosen, fewest = open_names[0], range(LARGEST // 4)
    for candidate in fewest:
        yield from solutions(equations, {**names, chosen: candidate})


def assignments(pairs, names=None, variables=None):
    """All (names, shape variables) with which patterns are their shapes; None at the end says that there are too many."""
    count = 0
    for more, equations in splits_of_all(pairs, dict(variables or {}), []):
        for solved in solutions(equations, dict(names or {})):
            count += 1
            if count > ENOUGH:
                yield None
                return
            yield solved, more


RELATIONS = {"==": lambda a, b: a == b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b, "<": lambda a, b: a < b,
             ">": lambda a, b: a > b, "!=": lambda a, b: a != b}


def holds(fact, names):
    relation, a, b = fact
    try:
        return RELATIONS[relation](value(a, names), value(b, names))
    except Undefined:
        return False


def count(shape):
    return math.prod(shape)
