#!/usr/bin/env python3
"""Random programs whose shapes are known before the program is: soundness.py AXC [--count N] [--seed S] [--sanitized] [--known] [--only I]

The judge computes each program on lists (`tensors.py`). `axc` must accept what it accepts, with its shapes and values, and refuse
what it refuses. The printed types must say the same of other shapes, and read back as they are; functions inlined, taken apart,
renamed and laid out anew have the same verdicts. Prints the counts, and each failure as a small program.

Failures with a cause that `cases.py` lists as known are counted, but do not fail the test; --known prints them too.
"""
import argparse
import random
import re
import sys
import tempfile
import time

import cases
import operators
import printed
import programs
import sizes
from compiler import Compiler, Crash

BATCH = 250
POINTS = 5    # other shapes with which a printed type is tried
RUNS = 40     # programs in one entry
RUNS_THAT_SPLIT = 2
FUNCTIONS = {"m": "f", "r": "fr", "o": "fo", "s": "fs", "i": "m"}  # the function of each call


def result_shapes(text):
    """The shapes of a call's results, or None where the printed type leaves one open."""
    try:
        _, result, facts = printed.Reader(text).whole()
        parts = result[2:] if result[0] == "function" else [result]
        parts = parts[0][1] if parts[0][0] == "tuple" else parts
        if any(fact[0] != "class" for fact in facts):
            return None
        return tuple(printed.shape_of(part[2], {}, {}) for part in parts)
    except (printed.Unread, printed.Open, printed.False_, IndexError):
        return None


def inlined(program, verdict, name):
    """The body in the caller: concrete parameters, numbers for names."""
    return f"{name} = fn ({program.given()}) {{ {program.body(names=verdict.names)} }};\n"


def renamed(program):
    names = dict(zip(programs.NAMES, programs.NAMES[2:] + programs.NAMES[:2]))
    variables = dict(zip(programs.VARIABLES, programs.VARIABLES[1:] + programs.VARIABLES[:1]))

    def item(size):
        if sizes.is_variable(size):
            return "@", variables[size[1]]
        if isinstance(size, tuple):
            return size[0], item(size[1]), item(size[2])
        return names.get(size, size) if isinstance(size, str) else size

    def change(other):
        for parameter in other.parameters:
            parameter[1] = parameter[1] and [item(size) for size in parameter[1]]
        other.promised = [pattern and [item(size) for size in pattern] for pattern in other.promised]
        other.facts = [(relation, item(a), item(b)) for relation, a, b in other.facts]
        for let in other.lets:
            for key in operators.SIZES & let[3].keys():
                value = let[3][key]
                let[3][key] = [v if v is None else item(v) for v in value] if isinstance(value, list) else item(value)
    return programs.variant(program, change)


def outlined(program, prefix, name):
    """Each operator in a function of its own whose parameters have no types."""
    helpers, lines = [], []
    for i, (target, operator, arguments, statics) in enumerate(program.lets):
        row = operators.TABLE[operator]
        named = any(sizes.names_of(v) for key in operators.SIZES & statics.keys()
                    for v in (statics[key] if isinstance(statics[key], list) else [statics[key]]) if v is not None)
        def write(args):
            return (row.write or (lambda a, s, t: operators.written(operator, a, s, t)))(args, statics, sizes.text)
        if named or not arguments:
            lines.append(f"{target} = {write(arguments)}; ")
            continue
        letters = list("abc"[:len(arguments)])
        helpers.append(f"{prefix}{i} = fn ({', '.join(letters)}) {{ {write(letters)} }};\n")
        lines.append(f"{target} = {prefix}{i}({', '.join(arguments)}); ")
    head, _ = program.function(name).split(" { ", 1)
    results = program.results[0] if len(program.results) == 1 else "(" + ", ".join(program.results) + ")"
    return "".join(helpers) + head + " { " + "".join(lines) + results + " };\n"


def elsewhere(rng, program):
    """Other shapes for the parameters, near those of the program."""
    shapes = [list(shape) for shape in program.shapes()]
    for shape in shapes:
        for i in range(len(shape)):
            if rng.random() < 0.35:
                shape[i] = rng.choice((0, 1, 2, 3, 4, 6))
        if rng.random() < 0.1:
            shape.insert(rng.randrange(len(shape) + 1), rng.randrange(4))
        if shape and rng.random() < 0.1:
            del shape[rng.randrange(len(shape))]
    if rng.random() < 0.5:
        swap = {rng.randrange(5): rng.randrange(5) for _ in range(2)}
        shapes = [[swap.get(n, n) for n in shape] for shape in program.shapes()]
    return [tuple(shape) for shape in shapes]


class Fuzzer:
    """What was tried and what failed."""

    def __init__(self, compiler):
        self.compiler = compiler
        self.counts = dict.fromkeys(("programs", "accepted", "refused", "open", "variants", "types", "points", "facts", "unread", "run"), 0)

    # Each test returns (kind, what) of a failure, or None.

    def compare(self, verdict, type_text, files, entry, generic):
        """The verdict against the type of a call, which is None where it is refused; `files` has the call alone.

        `generic`: whether the function that it calls is accepted.
        """
        shapes = None if type_text is None else result_shapes(type_text)
        if verdict.accepted is False:
            if type_text is None:
                return None
            if shapes is None and self.compiler.check(files, "--entry", entry) is None:
                return None
            return "accepted", f"must be refused, has type {type_text}"
        if type_text is None:
            if verdict.empty and (not generic or self.only_zero_would_do(files)):
                return None
            return ("refused", f"must be accepted, with shapes {verdict.shapes}") if verdict.accepted else None
        if shapes is None:
            entered = self.compiler.check(files, "--entry", entry)
            if entered is None:
                return ("refused", f"must be accepted as an entry, with shapes {verdict.shapes}") if verdict.accepted else None
            return None
        if verdict.shapes is not None and shapes != verdict.shapes:
            return "shape", f"must be {verdict.shapes}, has type {type_text}"
        return None

    def only_zero_would_do(self, files):
        """Whether a text is refused by a rule for sizes of 0: nobody means what only 0 solves, and what two sides share is not 0."""
        self.compiler.check(files)
        notes = [note for d in self.compiler.diagnostics for note in d["notes"]]
        return any(re.match(r"only .* = 0 would do|.* is taken not to be 0", note) for note in notes)

    def variants(self, i, program, verdict):
        """Texts beside the program's own, by the letter of the call that must have its verdict."""
        result = {"m": program.function(f"f{i}") + program.call(f"m{i}", f"f{i}")}
        other = renamed(program)
        result["r"] = other.function(f"fr{i}", nested=True) + other.call(f"r{i}", f"fr{i}")
        if program.lets:
            result["o"] = outlined(program, f"h{i}_", f"fo{i}") + program.call(f"o{i}", f"fo{i}")
        with_statics = programs.opened(program)
        if with_statics.statics and not verdict.widened:  # a 1 that is a static parameter does not stretch
            result["s"] = with_statics.function(f"fs{i}") + with_statics.call(f"s{i}", f"fs{i}")
        if verdict.accepted:
            result["i"] = inlined(program, verdict, f"i{i}")
        return result

    def ask_type(self, rng, program, text):
        """The printed type against the judge, at the program's shapes and at others."""
        try:
            question = printed.Question(text)
        except printed.Unread:
            self.counts["unread"] += 1
            return None
        self.counts["types"] += 1
        try:
            for k in range(POINTS + 1):
                shapes = elsewhere(rng, program) if k else program.shapes()
                said, said_shapes = question.ask(shapes)
                self.counts["points"] += 1
                if said is None:
                    self.counts["unread"] += 1
                    continue
                verdict = programs.judge(program, shapes)
                at = ", ".join(map(str, map(list, shapes)))
                if verdict.accepted is True and not said:
                    return "type refuses", f"{text} refuses {at}, the judge accepts"
                if verdict.accepted is False and said:
                    return "type accepts", f"{text} accepts {at} with {said_shapes}, the judge refuses"
                if said and verdict.shapes is not None and said_shapes != verdict.shapes:
                    return "type's shape", f"{text} gives {at} {said_shapes}, the judge {verdict.shapes}"
        except printed.Unread:
            self.counts["unread"] += 1
        finally:
            self.counts["facts"] += question.facts
        return None

    def batch(self, made):
        """Failures of [(number, program)]: (number, program, kind, what)."""
        failures = []
        verdicts = {i: programs.judge(program, with_values=True) for i, program in made}
        texts = {i: self.variants(i, program, verdicts[i]) for i, program in made}
        pieces = ["".join(texts[i].values()) for i, _ in made]
        types, crashes = self.compiler.check_many(pieces)
        died = set()
        for at, what in crashes.items():
            died.add(made[at][0])
            failures.append((*made[at], "crash", what))
        second, third = [], []
        for i, program in made:
            self.counts["programs"] += 1
            verdict = verdicts[i]
            self.counts["open" if verdict.accepted is None else "accepted" if verdict.accepted else "refused"] += 1
            if i in died:
                continue
            failed = self.calls(i, verdict, texts[i], types)
            if not failed and f"f{i}" in types:
                failed = self.ask_type(random.Random(f"points/{i}"), program, types[f"f{i}"])
                second.append((i, program))
            if failed:
                failures.append((i, program, *failed))
            elif verdict.accepted and f"f{i}" in types:
                third.append((i, program))
        failures += self.paste(second, types, verdicts)
        failures += self.paste([(i, program) for i, program in second if f"fs{i}" in types], types, verdicts, "fs")
        bad = {failure[0] for failure in failures}
        failures += self.run([(i, program) for i, program in third if i not in bad], verdicts)
        return failures

    def calls(self, i, verdict, texts, types):
        for letter, text in texts.items():
            self.counts["variants"] += letter != "m"
            try:
                # A call of a function with static parameters knows as much as the function without them.
                generic = f"{FUNCTIONS[letter]}{i}" in types and (letter != "s" or f"f{i}" in types)
                failed = self.compare(verdict, types.get(f"{letter}{i}"), text, f"{letter}{i}", generic)
            except Crash as crash:
                failed = "crash", str(crash)
            if failed:
                name = {"m": "", "r": "renamed: ", "o": "taken apart: ", "s": "with static parameters: ", "i": "inlined: "}[letter]
                return name + failed[0], failed[1] + ("\n" + text if letter != "m" else "")
        return None

    def paste(self, made, types, verdicts, name="f"):
        """Printed types as annotations, and all laid out anew; `name` is that of the functions, "fs" with static parameters."""
        if not made:
            return []
        failures = []
        written = programs.opened if name == "fs" else lambda program: program
        pieces = [written(program).function(f"{name}{i}") +
                  programs.pasted([x for x, _, _ in program.parameters], types[f"{name}{i}"], f"g{i}", f"{name}{i}") +
                  program.call(f"p{i}", f"g{i}") for i, program in made]
        again, crashes = self.compiler.check_many(pieces)
        try:
            laid_out = self.compiler.format("".join(pieces))
            if laid_out is None:
                failures.append((*made[0], "fmt", "lays out its own result in another way"))
            elif not crashes and self.compiler.check(laid_out) != again:
                failures.append((*made[0], "fmt", "changes a type"))
        except Crash as crash:
            failures.append((*made[0], "fmt", str(crash)))
        for at, (i, program) in enumerate(made):
            self.counts["variants"] += 1
            type_text = types[f"{name}{i}"]
            if f"g{i}" not in again and at not in crashes and len(made) > 1:
                # The parser gives up after many errors, and does not read the rest.
                failures += self.paste([(i, program)], types, verdicts, name)
                continue
            if at in crashes:
                failures.append((i, program, "pasted: crash", crashes[at]))
            elif f"g{i}" not in again:
                failures.append((i, program, "pasted: refused", f"{type_text} cannot be written: {self.said(made)}"))
            elif again[f"g{i}"] != type_text:
                failures.append((i, program, "pasted: another type", f"{type_text} reads back as {again[f'g{i}']}"))
            else:
                try:
                    failed = self.compare(verdicts[i], again.get(f"p{i}"), pieces[at], f"p{i}", True)
                except Crash as crash:
                    failed = "crash", str(crash)
                if failed and (again.get(f"p{i}"), types.get(f"{'m' if name == 'f' else 's'}{i}")) != (None, None):
                    failures.append((i, program, "pasted: " + failed[0], failed[1]))
        return failures

    def said(self, made):
        """The first error, where one program was checked."""
        return self.compiler.errors[0] if len(made) == 1 and self.compiler.errors else ""

    def run(self, made, verdicts):
        """Accepted programs as one entry whose parameters have no types: sizes, guards and values of a run."""
        failures, splitting = [], []
        for i, program in made:
            splitting.append(programs.splits_at_ranks(program, verdicts[i].shapes))
        # Most programs whose shapes can be split in several ways are refused, and so is an entry that calls one.
        for several, most in ((False, RUNS), (True, RUNS_THAT_SPLIT)):
            group = [pair for pair, splits in zip(made, splitting) if splits == several]
            for at in range(0, len(group), most):
                failures += self.run_some(group[at:at + most], verdicts)
        return failures

    def run_some(self, made, verdicts, concrete=False):
        """`concrete`: the shapes of the inputs are in the program."""
        inputs, text, given, calls = {}, "", [], []
        for i, program in made:
            text += program.function(f"f{i}")
            written = concrete or verdicts[i].empty or verdicts[i].stretched
            given += [f"{x}{i} : f32 {list(shape) if written else f's{x}{i}'}" for x, _, shape in program.parameters]
            for k, (x, _, shape) in enumerate(program.parameters):
                inputs[f"{x}{i}"] = shape, [(7 * j + 3 * k) % 11 - 4 for j in range(sizes.count(shape))]
            calls.append(f"f{i}(" + ", ".join(f"{x}{i}" for x, _, _ in program.parameters) + ")")
        text += f"main = fn ({', '.join(given)}) {{ ({', '.join(calls)}) }};\n"
        try:
            outputs = self.compiler.run(text, inputs)
        except Crash as crash:
            outputs = crash
        if not isinstance(outputs, dict) and len(made) > 1:
            half = len(made) // 2
            return self.run_some(made[:half], verdicts) + self.run_some(made[half:], verdicts)
        if isinstance(outputs, Crash):
            return [(*made[0], "run: crash", f"{outputs}\n{text}")]
        if isinstance(outputs, str) and "E0507" in outputs and not concrete and programs.splits_at_ranks(made[0][1], verdicts[made[0][0]].shapes):
            return self.run_some(made, verdicts, concrete=True)  # only the sizes determine the parts of a shape
        if isinstance(outputs, str):
            return [(*made[0], "run: refused", f"{' '.join(re.findall(r'E0[0-9]{3}', outputs))}: {outputs.strip()[:600]}\n{text}")]
        failures = []
        for at, (i, program) in enumerate(made):
            self.counts["run"] += 1
            name = "out" if len(made) == 1 else f"out.{at}"
            found = [outputs[name]] if name in outputs else [outputs[f"{name}.{k}"] for k in range(len(program.results))]
            for (shape, values), wanted, right in zip(found, verdicts[i].shapes, verdicts[i].values):
                if shape != wanted:
                    failures.append((i, program, "run: shape", f"{shape} for {wanted}"))
                elif right is not None and values != right:
                    failures.append((i, program, "run: values", f"{values} for {right}"))
        return failures


def smaller(program):
    """Programs with one thing less."""
    for i in range(len(program.lets) - 1, -1, -1):
        name = program.lets[i][0]
        if name not in {x for let in program.lets for x in let[2]}:
            def drop(other):
                let = other.lets.pop(i)
                other.results = [x for x in other.results if x != name] or list(let[2][:1]) or [other.parameters[0][0]]
                other.promised = [None] * len(other.results)
            yield programs.variant(program, drop)
    if len(program.results) > 1:
        for k in range(len(program.results)):
            def drop_result(other):
                del other.results[k], other.promised[k]
            yield programs.variant(program, drop_result)
    used = {x for let in program.lets for x in let[2]} | set(program.results)
    for k, parameter in enumerate(program.parameters):
        if parameter[0] not in used and len(program.parameters) > 1:
            yield programs.variant(program, lambda other: other.parameters.pop(k))
    if program.facts:
        yield programs.variant(program, lambda other: other.facts.clear())
    if None not in program.promised:
        yield programs.variant(program, lambda other: other.__setattr__("promised", [None] * len(other.results)))
    for k, (_, pattern, shape) in enumerate(program.parameters):
        if pattern is not None:
            yield programs.variant(program, lambda other: other.parameters[k].__setitem__(1, None))
            for j, item in enumerate(pattern):
                if isinstance(item, tuple) and not sizes.is_variable(item):
                    for part in item[1:]:
                        yield programs.variant(program, lambda other: other.parameters[k][1].__setitem__(j, part))
                if not sizes.is_variable(item) and not any(map(sizes.is_variable, pattern)) and len(pattern) == len(shape):
                    if item != shape[j]:
                        yield programs.variant(program, lambda other: other.parameters[k][1].__setitem__(j, shape[j]))
                    def without(other):
                        del other.parameters[k][1][j]
                        other.parameters[k][2] = shape[:j] + shape[j + 1:]
                    yield programs.variant(program, without)
                if sizes.is_variable(item):
                    yield programs.variant(program, lambda other: other.parameters[k][1].pop(j))
    for k, pattern in enumerate(program.promised):
        for j, item in enumerate(pattern or ()):
            if isinstance(item, tuple):
                for part in item[1:] if not sizes.is_variable(item) else ():
                    yield programs.variant(program, lambda other: other.promised[k].__setitem__(j, part))


def complete(program):
    """Whether every name of a size in the body and the facts is bound."""
    bound = program.names()
    asked = [size for let in program.lets for key in operators.SIZES & let[3].keys()
             for size in (let[3][key] if isinstance(let[3][key], list) else [let[3][key]]) if size is not None]
    asked += [size for fact in program.facts for size in fact[1:]]
    return all(sizes.names_of(size) <= bound for size in asked)


def shrink(compiler, i, program, kind, tries=300):
    """The smallest program found that fails in the same way."""
    what, found = "", True
    while found and tries > 0:
        found = False
        for other in smaller(program):
            tries -= 1
            if tries <= 0:
                break
            if not complete(other):
                continue
            try:
                failures = [f for f in Fuzzer(compiler).batch([(i, other)]) if f[2] == kind]
            except (KeyError, IndexError):
                continue
            if failures:
                program, what, found = other, failures[0][3], True
                break
    return program, what


def run_cases(compiler):
    """Prints what is wrong with the fixed cases; gives how many fail, of those that must not, and how many are known to."""
    wrong = known = 0
    for name, case in cases.CASES.items():
        try:
            said = cases.failure(compiler, case)
        except Crash as crash:
            said = str(crash)
        known += bool(said and case.known)
        if bool(said) != case.known:
            wrong += 1
            print(f"case {name}: " + (said or "passes, remove its `known=True` from cases.py") + "\n" + case.text)
    return wrong, known


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("axc")
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--only", type=int)
    parser.add_argument("--shrink", type=int, default=30, help="so many failures are made small")
    given = parser.parse_args()
    start, failed = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(given.axc, folder, given.sanitized)
        wrong, known_cases = run_cases(compiler)
        print(f"{len(cases.CASES)} cases: {wrong} wrong, {known_cases} of known causes")
        fuzzer = Fuzzer(compiler)
        numbers = range(given.count) if given.only is None else [given.only]
        for at in range(0, len(numbers), BATCH):
            failed += fuzzer.batch([(i, programs.draw_program(random.Random(f"{given.seed}/{i}"))) for i in numbers[at:at + BATCH]])
        seconds = time.monotonic() - start
        known = [failure for failure in failed if cases.cause_of(*failure[1:])]
        fresh = failed if given.known else [failure for failure in failed if failure not in known]
        print(", ".join(f"{name} {count}" for name, count in fuzzer.counts.items()) + f": {seconds:.1f} s, {len(failed)} failures, "
              f"{len(known)} of known causes", flush=True)
        kinds = {}
        for i, program, kind, what in fresh:
            kinds[kind] = kinds.get(kind, 0) + 1
        for kind, count in sorted(kinds.items(), key=lambda pair: -pair[1]):
            print(f"  {count} {kind}")
        shown = {}
        for i, program, kind, what in fresh:
            shown[kind] = shown.get(kind, 0) + 1
            if shown[kind] > max(3, given.shrink // max(1, len(kinds))):
                continue
            small, said = shrink(compiler, i, program, kind)
            print(f"---- {i}: {kind}: {said or what}\n{small.function('f')}{small.call('main', 'f')}", flush=True)
    return 1 if fresh or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
