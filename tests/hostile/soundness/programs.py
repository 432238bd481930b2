"""Random programs: concrete shapes first, then operators that are valid on them, then names for some of the sizes."""
import copy
import itertools

import operators
import sizes
import tensors

NAMES, VARIABLES, PARAMETERS = "nmkhw", "srpq", "xyzuv"


class Program:
    """`parameters`: [name, pattern or None, shape]; `lets`: [name, operator, arguments, static arguments]; `results`: names of
    parameters and lets, `promised` a pattern or None for each; `facts`: (relation, size, size)."""

    def __init__(self):
        self.parameters, self.lets, self.results, self.promised, self.facts = [], [], [], [], []
        self.statics = []  # static parameters and their defaults, as text

    def shapes(self):
        return [shape for _, _, shape in self.parameters]

    def names(self):
        """The names of sizes that the parameters bind."""
        return set().union(*(sizes.names_of(item) for _, pattern, _ in self.parameters for item in pattern or ()))

    # ---- text

    def body(self, names=None, nested=False):
        """The statements; names of sizes as numbers where `names` has them; with `nested`, what is used once stands at its use."""
        def text(size):
            return sizes.text(sizes.substitute(size, names or {}))
        uses = [argument for let in self.lets for argument in let[2]] + self.results
        inside, lines = {}, []
        for name, operator, arguments, statics in self.lets:
            arguments = [inside.get(argument, argument) for argument in arguments]
            row = operators.TABLE[operator]
            value = (row.write or (lambda args, s, t: operators.written(operator, args, s, t)))(arguments, statics, text)
            if operator == "if" and (nested or any("{" in a for a in arguments)):
                value = f"({value})"
            if nested and uses.count(name) == 1 and operator != "if":
                inside[name] = value
            else:
                lines.append(f"{name} = {value}; ")
        results = [inside.get(name, name) for name in self.results]
        return "".join(lines) + (results[0] if len(results) == 1 else "(" + ", ".join(results) + ")")

    def function(self, name, nested=False):
        parameters = ", ".join(x if pattern is None else f"{x} : f32 {sizes.shape_text(pattern)}"
                               for x, pattern, _ in self.parameters)
        parameters += "".join(f"{', ' if i else '; '}{name} = {value}" for i, (name, value) in enumerate(self.statics))
        promise = ""
        if None not in self.promised:
            types = [f"f32 {sizes.shape_text(pattern)}" for pattern in self.promised]
            promise = " : " + (types[0] if len(types) == 1 else "(" + ", ".join(types) + ")")
        where = ", ".join(f"{sizes.text(a)} {relation} {sizes.text(b)}" for relation, a, b in self.facts)
        return f"{name} = fn ({parameters}){promise}{' where ' + where if where else ''} {{ {self.body(nested=nested)} }};\n"

    def given(self):
        """The parameters with their concrete shapes."""
        return ", ".join(f"{x} : f32 {list(shape)}" for x, _, shape in self.parameters)

    def call(self, name, function):
        return f"{name} = fn ({self.given()}) {{ {function}({', '.join(x for x, _, _ in self.parameters)}) }};\n"


class Verdict:
    """`accepted`: True, False, or None where the rules leave it open; the shapes and values of the results where accepted.

    `empty`: some size is 0, and a function may be refused whose sizes fit for 0 alone; `stretched`: a size that no function says
    to be 1 was stretched, which an entry of open sizes does not do; `widened`: some size was.
    """
    __slots__ = ("accepted", "shapes", "values", "names", "empty", "stretched", "widened")

    def __init__(self, accepted, shapes=None, values=None, names=None, empty=False, stretched=False, widened=False):
        self.accepted, self.shapes, self.values, self.names = accepted, shapes, values, names
        self.empty, self.stretched, self.widened = empty, stretched, widened


def evaluate(program, shapes, names, variables, with_values):
    """Results of the program for one choice of its names; throws `Refused`. Gives the operators and the results."""
    o = tensors.Operators(with_values)
    sized, free = {}, {}

    def size(written):
        if isinstance(written, int):
            return tensors.Dim(written)
        key = sizes.text(written)
        if key not in sized:
            try:
                number = sizes.value(written, names)
            except sizes.Undefined:
                raise tensors.Refused("division by zero") from None
            if number < 0:
                raise tensors.Refused("negative size")
            sized[key] = tensors.Dim(number, tensors.NAMED)
        return sized[key]

    def dims_of(pattern, shape):
        if pattern is None:
            return [tensors.Dim(n, tensors.FREE) for n in shape]
        dims, at = [], 0
        for item in pattern:
            if sizes.is_variable(item):
                known = variables[item[1]]
                dims += free.setdefault(item[1], [tensors.Dim(n, tensors.FREE) for n in known])
                at += len(known)
            else:
                dims.append(tensors.Dim(shape[at], tensors.NAMED) if item == "_" else size(item))
                at += 1
        return dims

    environment = {}
    for i, ((name, pattern, _), shape) in enumerate(zip(program.parameters, shapes)):
        values = [(7 * j + 3 * i) % 11 - 4 for j in range(sizes.count(shape))] if with_values else None
        environment[name] = tensors.Tensor(dims_of(pattern, shape), values)
    for name, operator, arguments, statics in program.lets:
        evaluated = {key: (([None if v is None else size(v) for v in value] if isinstance(value, list) else size(value))
                           if key in operators.SIZES else value) for key, value in statics.items()}
        result = operators.TABLE[operator].apply(o, [environment[x] for x in arguments], evaluated)
        if len(result.dims) > 7 or sizes.count(result.shape) > 100000:
            raise tensors.Large
        if result.values and max(map(abs, result.values)) > tensors.LARGEST:
            result.values = None
        environment[name] = result
    results = [environment[name] for name in program.results]
    if None not in program.promised:
        pairs = [(pattern, tuple(x.shape)) for pattern, x in zip(program.promised, results)]
        found = list(itertools.islice(sizes.assignments(pairs, names, variables), 2))
        if not found or found[0] is None:
            raise tensors.Refused("the promised result")
        o.several = o.several or len(found) > 1
        names, variables = found[0]
        for pattern, x in zip(program.promised, results):
            o.equal_shapes(x.dims, dims_of(pattern, x.shape))
    o.empty = any(n == 0 for n in names.values()) or any(0 in x.shape for x in environment.values())
    return o, results


def judge(program, shapes=None, with_values=False):
    shapes = shapes or program.shapes()
    pairs = [(pattern, shape) for (_, pattern, _), shape in zip(program.parameters, shapes) if pattern is not None]
    accepted = []
    open_verdict = False
    for found in sizes.assignments(pairs):
        if found is None:
            open_verdict = True
            break
        names, variables = found
        if not all(sizes.holds(fact, names) for fact in program.facts):
            continue
        try:
            o, results = evaluate(program, shapes, names, variables, with_values)
        except tensors.Refused:
            continue
        except tensors.Large:
            return Verdict(None)
        accepted.append((tuple(tuple(x.shape) for x in results), [x.values for x in results], names, o))
    if open_verdict:
        return Verdict(None)
    if not accepted:
        return Verdict(False)
    first = accepted[0]
    if any(other[0] != first[0] for other in accepted):
        return Verdict(None)
    o = first[3]
    in_doubt = len(accepted) > 1 or o.several or o.doubtful()
    return Verdict(None if in_doubt else True, *first[:3], o.empty, any(dim.root().form != tensors.LITERAL for dim in o.stretched),
                   bool(o.stretched))


def splits_at_ranks(program, results):
    """Whether shapes of these ranks can be split in several ways, whatever their sizes are."""
    pairs = [(pattern, shape) for (_, pattern, _), shape in zip(program.parameters, program.shapes())]
    pairs += zip(program.promised, results)
    of_ranks = [([item if sizes.is_variable(item) else "_" for item in pattern], (0,) * len(shape)) for pattern, shape in pairs if pattern]
    return len(list(itertools.islice(sizes.splits_of_all(of_ranks, {}, []), 2))) > 1


# ---- drawing


class Draw:
    """A program in the making: the operators ask it for operands."""

    def __init__(self, rng):
        self.rng, self.program, self.shapes = rng, Program(), {}

    def size(self):
        return self.rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5))

    def shape(self, name):
        return self.shapes[name]

    def fresh(self, shape):
        if len(self.program.parameters) >= len(PARAMETERS):
            raise tensors.Refused("parameters")
        name = PARAMETERS[len(self.program.parameters)]
        self.program.parameters.append([name, None, tuple(shape)])
        self.shapes[name] = tuple(shape)
        return name

    def pick(self, least=0, most=9):
        fitting = [name for name, shape in self.shapes.items() if least <= len(shape) <= most]
        if not fitting or self.rng.random() < 0.1:
            return self.fresh([self.size() for _ in range(self.rng.randrange(least, min(most, max(least, 3)) + 1))])
        return self.rng.choice(fitting[-3:] if self.rng.random() < 0.7 else fitting)

    def other(self, shape):
        """An operand of this shape: one that is there, or a new one."""
        shape = tuple(shape)
        fitting = [name for name, own in self.shapes.items() if own == shape]
        if fitting and self.rng.random() < 0.7:
            return self.rng.choice(fitting)
        return self.fresh(shape)


class Generalise:
    """Names for sizes, and shape variables for rows of them."""

    def __init__(self, rng):
        self.rng, self.names, self.variables = rng, {}, {}

    def name(self, number, fresh=True):
        known = [name for name, value in self.names.items() if value == number]
        if known and (self.rng.random() < 0.7 or not fresh):
            return self.rng.choice(known)
        unused = [name for name in NAMES if name not in self.names]
        if not unused or not fresh:
            return None
        self.names[unused[0]] = number
        return unused[0]

    def size(self, number, fresh=True):
        """A written size of this value."""
        roll = self.rng.random()
        if roll < 0.3:
            return number
        if roll < 0.72:
            name = self.name(number, fresh)
            return number if name is None else name
        known = list(self.names)
        if not known:
            return number
        name = self.rng.choice(known)
        n = self.names[name]
        other = self.rng.choice(known)
        m = self.names[other]
        k = self.rng.choice((2, 2, 3))
        forms = [("+", name, number - n) if number >= n else ("-", name, n - number), ("*", k, name), ("*", name, other), ("+", name, other),
                 ("-", name, other), ("/", name, k), ("%", name, k), ("max", name, other), ("min", name, k),
                 ("+", ("*", k, name), number - k * n), ("+", ("*", name, other), name), ("/", ("+", name, other), k)]
        self.rng.shuffle(forms)
        for form in forms:
            if isinstance(form[2], int) and form[2] <= 0:
                continue
            if sizes.value(form, {name: n, other: m}) == number:
                return form
        return number

    def shape(self, shape, fresh=True):
        shape, at, pattern = tuple(shape), 0, []
        while at < len(shape) or not pattern or self.rng.random() < 0.05:
            if self.rng.random() < 0.3 and len(pattern) < 6:
                known = [name for name, own in self.variables.items() if shape[at:at + len(own)] == own]
                if known and self.rng.random() < 0.7:
                    name = self.rng.choice(known)
                else:
                    unused = [name for name in VARIABLES if name not in self.variables]
                    if not unused or not fresh:
                        name = None
                    else:
                        name = unused[0]
                        self.variables[name] = shape[at:at + self.rng.randrange(len(shape) - at + 1)]
                if name is not None:
                    pattern.append(("@", name))
                    at += len(self.variables[name])
                    continue
            if at < len(shape):
                pattern.append(self.size(shape[at], fresh))
                at += 1
            elif not shape:
                break
        return pattern


def draw_concrete(rng):
    """A program over concrete shapes without names."""
    d = Draw(rng)
    for _ in range(rng.choice((1, 1, 2))):
        d.fresh([d.size() for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)))])
    wanted, tries = rng.choice((0, 1, 1, 1, 2, 2, 3, 4)), 0
    while len(d.program.lets) < wanted and tries < 12:
        tries += 1
        operator = rng.choice(tuple(operators.TABLE))
        parameters, shapes = list(d.program.parameters), dict(d.shapes)
        try:
            arguments, statics = operators.TABLE[operator].draw(d)
            let = [f"t{len(d.program.lets)}", operator, arguments, statics]
            d.program.lets.append(let)
            d.program.results, d.program.promised = [let[0]], [None]
            verdict = judge(d.program)
            if verdict.accepted is False or verdict.shapes is None or sizes.count(verdict.shapes[0]) > 150:
                raise tensors.Refused("")
            d.shapes[let[0]] = verdict.shapes[0]
        except tensors.Refused:
            d.program.parameters, d.shapes = parameters, shapes
            d.program.lets = d.program.lets[:len(d.shapes) - len(parameters)]
    used = {x for let in d.program.lets for x in let[2]}
    ends = [name for name in d.shapes if name not in used]
    d.program.results = ends[-1:] if rng.random() < 0.8 else ends[-2:]
    d.program.promised = [None] * len(d.program.results)
    return d


def draw_program(rng):
    d = draw_concrete(rng)
    program, g = d.program, Generalise(rng)
    for parameter in program.parameters:
        if rng.random() < 0.85:
            parameter[1] = g.shape(parameter[2])
    bound = program.names()
    g.names = {name: n for name, n in g.names.items() if name in bound}
    for let in program.lets:
        for key, value in let[3].items():
            if key in operators.SIZES and rng.random() < 0.5:
                let[3][key] = [v if v is None else g.size(v, False) for v in value] if isinstance(value, list) else g.size(value, False)
    if g.names and rng.random() < 0.2:
        a, b = rng.choice(list(g.names)), g.size(rng.randrange(5), False)
        a = rng.choice((a, ("*", 2, a), ("%", a, 2), ("+", a, rng.choice(list(g.names)))))
        fitting = [r for r in sizes.RELATIONS if sizes.holds((r, a, b), g.names)]
        program.facts.append((rng.choice(fitting), a, b))
    if rng.random() < 0.35:
        program.promised = [["_" if isinstance(item, int) and rng.random() < 0.15 else item for item in g.shape(d.shapes[name])]
                            for name in program.results]
    if rng.random() < 0.35:
        spoil(rng, program)
    return program


def spoil(rng, program):
    """One mistake, perhaps: another size or rank of an argument, of a static argument or of a promise, other operands."""
    roll = rng.random()
    if roll < 0.5:
        parameter = rng.choice(program.parameters)
        shape = list(parameter[2])
        if shape and rng.random() < 0.75:
            i = rng.randrange(len(shape))
            shape[i] = max(0, shape[i] + rng.choice((-1, 1, 2)))
        elif shape and rng.random() < 0.5:
            del shape[rng.randrange(len(shape))]
        else:
            shape.insert(rng.randrange(len(shape) + 1), rng.randrange(4))
        parameter[2] = tuple(shape)
    elif roll < 0.7 and program.lets:
        statics = rng.choice(program.lets)[3]
        for key, value in statics.items():
            if isinstance(value, bool) or rng.random() < 0.5:
                continue
            if isinstance(value, int) and key != "step":
                statics[key] = max(0, value + rng.choice((-1, 1))) if key in operators.SIZES else value + rng.choice((-1, 1))
            elif isinstance(value, list) and value and isinstance(value[0], int) and key not in ("size", "stride", "times", "perm"):
                value[0] = max(0, value[0] + rng.choice((-1, 1)))
    elif roll < 0.85 and program.lets:
        rng.choice(program.lets)[2].reverse()
    else:
        patterns = [p for p in program.promised + [p for _, p, _ in program.parameters] if p]
        if patterns:
            pattern = rng.choice(patterns)
            i = rng.randrange(len(pattern))
            if isinstance(pattern[i], int):
                pattern[i] += 1
            elif len(pattern) > 1:
                j = rng.randrange(len(pattern))
                pattern[i], pattern[j] = pattern[j], pattern[i]
    bound = program.names()
    if any(sizes.names_of(size) - bound for _, a, b in program.facts for size in (a, b)):
        program.facts = []


def variant(program, change):
    """A copy of the program, changed."""
    other = copy.deepcopy(program)
    change(other)
    return other


def opened(program):
    """With a static parameter for each static argument that is given by name; of an axis a type would not tell where it is."""
    def change(other):
        for _, operator, _, statics in other.lets:
            for key, value in statics.items() if operators.TABLE[operator].write is None else ():
                if key not in operators.SIZES and key not in operators.AXES:
                    name = f"o{len(other.statics)}"
                    text = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)
                    other.statics.append((name, text))
                    statics[key] = operators.Parameter(name)
    return variant(program, change)


def pasted(parameters, type_text, name, function):
    """A function with the printed type of another one, which it calls; `parameters` are names for its parameters, or more."""
    left, where = (type_text.split(" where ", 1) + [""])[:2]
    depth, at, parts, start, positional = 0, 0, [], 1, None
    for at, c in enumerate(left):
        depth += (c in "([") - (c in ")]")
        if c in ",;" and depth == 1 or depth == 0:
            parts.append(left[start:at].strip())
            start = at + 1
        if c == ";" and depth == 1:
            positional = len(parts)
        if depth == 0:
            break
    statics = parts[positional:] if positional is not None else []
    parts = [part for part in parts[:positional] if part]
    parameters = list(parameters)[:len(parts)]
    result = left[at + 1:].strip().removeprefix("->").strip()
    given = ", ".join(f"{x} : {t}" for x, t in zip(parameters, parts)) + ("; " + ", ".join(statics) if statics else "")
    passed = parameters + [f"{static.split(' = ')[0]}={static.split(' = ')[0]}" for static in statics]
    return f"{name} = fn ({given}) : {result}{' where ' + where if where else ''} {{ {function}({', '.join(passed)}) }};\n"
