#!/usr/bin/env python3
"""Makes mistakes in correct programs and measures whether the checker offers the text as it was.

    mutants.py AXC MODEL... [--count N] [--seed N] [--kind KIND]... [--show] [--save FOLDER]

Each mistake changes one place of a model that `axc check` accepts. Changes that the checker accepts are no mistakes and do not
count. Of each other one the language server is asked; it counts as
    placed   if a label of the messages lies on the lines of the change
    mended   if a fix gives the text as it was, but for spaces
    other    if it is not mended, but a fix gives a program without problems
    one      if there is one message
The last lines count them for each kind of change. --show prints each message that does not mend, --save writes the programs.
"""
import argparse
import collections
import dataclasses
import itertools
import pathlib
import random
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools/lsp"))
from client import Client  # noqa: E402

TOKEN = re.compile(r"//[^\n]*|\"[^\"\n]*\"|[A-Za-z_]\w*(?:\.\w+)*|\d+\.\d+(?:e-?\d+)?|\d+|->|==|>=|<=|\s+|.", re.DOTALL)
OPENING, CLOSING = dict(zip("([{", ")]}")), dict(zip(")]}", "([{"))
WORDS = {"fn", "if", "else", "for", "in", "where", "import", "param", "match", "let", "as", "and", "or", "not", "true", "false", "op", "type",
         "f32", "f16", "f64", "bf16", "i64", "i32", "i8", "u8", "bool", "num", "float", "_"}
COLUMNS = ("all", "placed", "mended", "other", "one")
Change = collections.namedtuple("Change", "kind begin end text")  # [begin, end) of the text is replaced


@dataclasses.dataclass
class Token:
    text: str
    begin: int
    mate: int = -1  # the index of the bracket that closes or opens this one

    @property
    def end(self):
        return self.begin + len(self.text)


def tokens_of(text):
    tokens, stack = [], []
    for match in TOKEN.finditer(text):
        piece = match.group()
        if not piece.isspace() and not piece.startswith("//"):
            tokens.append(Token(piece, match.start()))
            if piece in OPENING:
                stack.append(len(tokens) - 1)
            elif piece in CLOSING and stack:
                tokens[-1].mate = stack.pop()
                tokens[tokens[-1].mate].mate = len(tokens) - 1
    return tokens


def is_name(text):
    return re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*", text) and text not in WORDS


def parts(tokens, opening):
    """The token ranges [first, last) between the commas of a bracket."""
    found, first, i = [], opening + 1, opening + 1
    while i < tokens[opening].mate:
        if tokens[i].text in OPENING:
            i = tokens[i].mate
        elif tokens[i].text in ",;":
            found.append((first, i))
            first = i + 1
        i += 1
    if first < tokens[opening].mate:
        found.append((first, tokens[opening].mate))
    return found


class Model:
    def __init__(self, name, text):
        self.name, self.text, self.tokens = name, text, tokens_of(text)
        self.numbers = sorted({t.text for t in self.tokens if t.text.isdigit()})
        self.params = [self.tokens[i + 1].text for i, t in enumerate(self.tokens) if t.text == "param"]
        self.functions = self.ranges()

    def ranges(self):
        """The token ranges of statements at the top."""
        found, first, i = [], 0, 0
        while i < len(self.tokens):
            if self.tokens[i].mate > i:
                i = self.tokens[i].mate
            if self.tokens[i].text == ";":
                found.append((first, i))
                first = i + 1
            i += 1
        return found

    def slice(self, first, last):
        return self.text[self.tokens[first].begin:self.tokens[last - 1].end]

    def calls(self):
        """(index of the callee, its argument ranges) in functions' bodies."""
        for i, t in enumerate(self.tokens[:-1]):
            if is_name(t.text) and self.tokens[i + 1].text == "(" and self.tokens[i + 1].mate > 0 and self.tokens[i - 1].text != "fn":
                yield i, parts(self.tokens, i + 1)

    def is_static(self, argument):
        return argument[1] - argument[0] > 2 and self.tokens[argument[0] + 1].text == "=" and is_name(self.tokens[argument[0]].text)

    def changes(self, dice):
        t = self.tokens
        for i, args in self.calls():
            end = t[t[i + 1].mate].end
            positional = [a for a in args if not self.is_static(a)]
            static = [a for a in args if self.is_static(a)]
            if positional:
                first = self.slice(*positional[0])
                yield Change("call dropped", t[i].begin, end, first)
                yield Change("call twice", t[i].begin, end, self.text[t[i].begin:t[i + 1].end] + self.text[t[i].begin:end] +
                             self.text[t[positional[0][1] - 1].end:end])
            for a in args[1:]:
                yield Change("static argument dropped" if a in static else "argument dropped", t[a[0] - 1].begin, t[a[1] - 1].end, "")
            for a, b in zip(positional, positional[1:]):
                yield Change("arguments exchanged", t[a[0]].begin, t[b[1] - 1].end, self.slice(*b) + ", " + self.slice(*a))
        for first, last in self.functions:
            yield from self.in_statement(first, last, dice)

    def in_statement(self, first, last, dice):
        t = self.tokens
        isParam = t[first].text == "param"
        known = sorted({x.text for x in t[first:last] if is_name(x.text)})
        for i in range(first + 3, last):
            text, before, after = t[i].text, t[i - 1].text, t[i + 1].text
            if text.isdigit():
                kind = "size of a weight" if isParam else "number"
                near = [str(int(text) + d) for d in (1, -1) if int(text) + d >= 0] + [str(int(text) * 2), str(int(text) // 2)]
                for number in {dice.choice(near), dice.choice(self.numbers)} - {text}:
                    yield Change(kind, t[i].begin, t[i].end, number)
            elif text == "[" and t[i].mate > i + 3:
                listed = parts(t, i)
                a = dice.randrange(len(listed) - 1) if len(listed) > 1 else None
                if a is not None and self.slice(*listed[a]) != self.slice(*listed[a + 1]):
                    kind = "sizes of a weight exchanged" if isParam else "list in another order"
                    yield Change(kind, t[listed[a][0]].begin, t[listed[a + 1][1] - 1].end,
                                 self.slice(*listed[a + 1]) + ", " + self.slice(*listed[a]))
                elif a is not None and not isParam:
                    yield Change("list without a part", t[listed[a][0]].begin, t[listed[a + 1][0]].begin, "")
            elif is_name(text) and not isParam and after not in ("=", "(", ":") and before != "fn":
                others = [k for k in known if k != text] if "." not in text else [p for p in self.params if p != text]
                if others:
                    yield Change("another name", t[i].begin, t[i].end, dice.choice(others))
                if len(text) > 3:
                    at = dice.randrange(1, len(text) - 1)
                    yield Change("typing", t[i].begin, t[i].end, text[:at] + text[at + 1:])
            elif text in "+*" and before not in "=(,[" and not isParam:
                yield Change("operator", t[i].begin, t[i].end, "*" if text == "+" else "+")


def squeezed(text):
    return " ".join(t.text for t in tokens_of(text))


def offset(text, position):
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[:position["line"]]) + position["character"]


def applied(text, edits):
    for edit in sorted(edits, key=lambda e: offset(text, e["range"]["start"]), reverse=True):
        text = text[:offset(text, edit["range"]["start"])] + edit["newText"] + text[offset(text, edit["range"]["end"]):]
    return text


class Checker:
    def __init__(self, axc, folder):
        self.client = Client(axc, folder)
        self.client.open("m.ax", "")
        self.client.diagnostics("m.ax")
        self.text = ""

    def problems(self, text):
        if text != self.text:
            self.client.change("m.ax", text)
            self.text = text
            self.found = [d for d in self.client.diagnostics("m.ax") if d["severity"] <= 2]
        return self.found

    def explained(self):
        """The problems as they are told once fixes were tried, and the texts that the fixes give, by their titles."""
        uri, text = self.client.uri("m.ax"), self.text
        actions = self.client.request("textDocument/codeAction", {
            "textDocument": {"uri": uri}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1 << 30, "character": 0}},
            "context": {"diagnostics": []}})
        published = [m["params"] for m in self.client.notified if m.get("method") == "textDocument/publishDiagnostics"]
        if published and published[-1]["version"] == self.client.versions["m.ax"]:
            self.found = [d for d in published[-1]["diagnostics"] if d["severity"] <= 2]
        self.client.notified.clear()
        fixes = {a["title"]: applied(text, a["edit"]["changes"][uri]) for a in actions if a.get("kind") == "quickfix"}
        return self.found, fixes


def marked_lines(client, problems):
    for d in problems:
        places = [d["range"]] + [r["location"]["range"] for r in d.get("relatedInformation", []) if r["location"]["uri"] == client.uri("m.ax")]
        for place in places:
            yield from range(place["start"]["line"], place["end"]["line"] + 1)


def judged(checker, model, change):
    """What one mistake gives, and the report of it; nothing where it is accepted."""
    text = model.text[:change.begin] + change.text + model.text[change.end:]
    problems = checker.problems(text)
    if not problems:
        return None, ""
    first = text[:change.begin].count("\n")
    lines = range(first, first + change.text.count("\n") + 1)
    problems, fixes = checker.explained()
    want = squeezed(model.text)
    result = {"placed": any(line in lines for line in marked_lines(checker.client, problems)), "one": len(problems) == 1,
              "mended": any(squeezed(t) == want for t in fixes.values())}
    result["other"] = not result["mended"] and any(not checker.problems(t) for t in fixes.values())
    said = "\n".join(f"  {d['range']['start']['line'] + 1}: {d.get('code')} {d['message']}" for d in problems)
    old, new = model.text[change.begin:change.end], change.text
    report = f"{change.kind}: line {first + 1}: {old!r} -> {new!r}\n  {text.splitlines()[first].strip()}\n{said}\n"
    report += "".join(f"  fix: {title}\n" for title in fixes)
    return result, report


def in_turn(changes, dice):
    """The changes in random order, one of each kind in turn."""
    by_kind = collections.defaultdict(list)
    for change in changes:
        by_kind[change.kind].append(change)
    for listed in by_kind.values():
        dice.shuffle(listed)
    return [change for turn in itertools.zip_longest(*by_kind.values()) for change in turn if change]


def measure(checker, path, options, counts):
    """Adds what the mistakes of one model give to the counts, by kind."""
    model = Model(str(path), path.read_text())
    if checker.problems(model.text):
        sys.exit(f"{path}: the checker does not accept this model")
    dice = random.Random(f"{options.seed} {path.name}")
    done = 0
    for index, change in enumerate(in_turn(model.changes(dice), dice)):
        if done == options.count or options.kind and change.kind not in options.kind:
            continue
        result, report = judged(checker, model, change)
        if not result:
            continue
        done += 1
        counts[change.kind].update(all=1, **{key: int(value) for key, value in result.items()})
        if result["mended"]:
            continue
        if options.show:
            print(f"--- {path} {index} {result}\n{report}", flush=True)
        if options.save:
            text = model.text[:change.begin] + change.text + model.text[change.end:]
            (options.save / f"{path.stem}_{index}.ax").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axc")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100, help="mistakes of each model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--save", type=pathlib.Path)
    options = parser.parse_args()
    counts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(pathlib.Path(options.axc).resolve(), folder)
        for path in options.models:
            measure(checker, path, options, counts)
    counts["all"] = sum(counts.values(), collections.Counter())
    print(f"{'kind':30}" + "".join(f"{column:>8}" for column in COLUMNS))
    for kind, of in sorted(counts.items(), key=lambda entry: (entry[0] == "all", entry[0])):
        print(f"{kind:30}" + "".join(f"{of[column]:8}" for column in COLUMNS))


if __name__ == "__main__":
    main()
