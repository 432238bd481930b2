#!/usr/bin/env python3
"""Checks that the grammars for editors agree with grammar/AxLexer.g4: grammar.py

Reads every .ax file of the repository with the lexer's rules and with the TextMate grammar: each token must have the scope of its kind from
its first character to its last. Neovim's syntax file must have the lexer's words.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEXER = ROOT / "grammar/AxLexer.g4"
TEXTMATE = ROOT / "editors/vscode/syntaxes/axle.tmLanguage.json"
NEOVIM = ROOT / "editors/neovim/syntax/axle.vim"

# The beginning of the scope of each kind of token. A kind that is missing here is an error.
SCOPES = {
    **dict.fromkeys("FN IF ELSE MATCH WHERE IMPORT PARAM OP".split(), ("keyword.control",)),
    **dict.fromkeys("AND OR NOT".split(), ("keyword.operator",)),
    **dict.fromkeys("TRUE FALSE INF NOT_A_NUMBER LOWEST".split(), ("constant.language",)),
    **dict.fromkeys("LPAREN RPAREN LBRACK RBRACK LBRACE RBRACE".split(), ("punctuation.section",)),
    **dict.fromkeys("COMMA SEMI COLON".split(), ("punctuation.separator",)),
    **dict.fromkeys("ASSIGN ARROW EQ NE LE GE LT GT PLUS MINUS STAR SLASH PERCENT AT HASH TILDE QUESTION ELLIPSIS PACK".split(),
                    ("keyword.operator",)),
    "HOLE": ("variable.language",),
    "NAME": ("variable.other", "entity.name.function", "storage.type"),
    "NUMBER": ("constant.numeric",),
    "STRING": ("string.quoted",),
    "UNTERMINATED": ("string.quoted",),
    "DOC": ("comment.line.documentation",),
    "COMMENT": ("comment.line.double-slash",),
    "SPACE": (), "UNKNOWN": (),
}


def lexer_rules():
    """The rules of AxLexer.g4 with fragments expanded: [(kind, pattern)]."""
    text = re.sub(r"^\s*//.*$", "", LEXER.read_text(), flags=re.M)
    found = re.findall(r"^(fragment\s+)?([A-Z_]+)\s*:\s*((?:'(?:\\.|[^'\\])*'|\[(?:\\.|[^\]\\])*\]|[^;'\[])*);", text, flags=re.M)
    bodies = {name: body.split("->")[0] if "-> " in body else body for _, name, body in found}
    # A literal arrow is in quotes.
    bodies.update({name: body for _, name, body in found if re.fullmatch(r"\s*'[^']*'\s*", body)})

    def pattern(body):
        out = ""
        for part in re.findall(r"'(?:\\.|[^'\\])*'|~?\[(?:\\.|[^\]\\])*\]|[A-Z_]+|[()*+?|.]", body):
            if part.startswith("'"):
                out += "(?:" + re.escape(part[1:-1].replace("\\\\", "\\").replace("\\'", "'")) + ")"
            elif part.startswith("~["):
                out += "[^" + part[2:]
            elif part.startswith("["):
                out += part
            elif part == ".":
                out += "(?s:.)"
            elif part == "(":
                out += "(?:"
            elif part[0].isupper():
                out += "(?:" + pattern(bodies[part]) + ")"
            else:
                out += part
        return out
    return [(name, re.compile(pattern(bodies[name]))) for fragment, name, _ in found if not fragment]


def tokens(text, rules):
    """The longest match, of those the first rule."""
    at = 0
    while at < len(text):
        kind, end = max(((name, m.end()) for name, rule in rules if (m := rule.match(text, at))), key=lambda found: found[1])
        yield kind, at, end
        at = end


def scopes(line, grammar):
    """The scope of each character of a line, as TextMate gives them: the earliest match, of those the first pattern."""
    out, at, inside = [""] * len(line), 0, None
    while at < len(line):
        patterns = inside["patterns"] if inside else grammar["patterns"]
        best = None
        if inside:
            end = re.compile(inside["end"]).search(line, at)
            best = (end.start(), -1, end, None) if end else None
        for order, entry in enumerate(patterns):
            found = re.compile(entry.get("match") or entry["begin"]).search(line, at)
            if found and (best is None or (found.start(), order) < best[:2]):
                best = (found.start(), order, found, entry)
        if best is None:
            if inside:
                out[at:] = [inside["name"]] * (len(line) - at)
            break
        start, _, found, entry = best
        if inside:
            out[at:start] = [inside["name"]] * (start - at)
        if entry is None:
            out[start:found.end()] = [inside["name"]] * (found.end() - start)
            inside = None
        elif "begin" in entry:
            out[start:found.end()] = [entry["name"]] * (found.end() - start)
            inside = entry
        elif inside:
            out[start:found.end()] = [inside["name"]] * (found.end() - start)
        else:
            for i in range(start, found.end()):
                out[i] = entry.get("name", "")
            for number, capture in entry.get("captures", {}).items():
                for i in range(*found.span(int(number))):
                    out[i] = capture["name"]
        if found.end() == at and entry is not None:
            raise AssertionError(f"{entry} matches nothing")
        at = max(found.end(), at + (entry is not None and found.end() == at))
    return out


EVERYTHING = """\
/// doc
//// no doc
// comment "in" it
@inline(never) @implements("lstm")
fn if else match where import param op and or not true false inf nan lowest
( ) [ ] { } , ; : = -> == != <= >= < > + - * / % @ # ~ ? ... .. _
name s0' s0'' a'b stem.kernel fn.x if_ truer _x __ nn.relu(x) f32 f32.x f32x i64(3)
3 0.5 1e-5 0f 3i64 0.5f32 1e5 12abc 1.x 1..2 x[..., -1] x[1:2]
"text" "with \\" escape" "a // b" "" "unterminated
x = "again"; // end
"""


def texts():
    """Every .ax file, and a text that has all kinds of tokens: (name, text)."""
    yield "everything", EVERYTHING
    for path in sorted(ROOT.rglob("*.ax")):
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and not name.startswith("build/") and "node_modules" not in name:
            yield name, path.read_bytes().decode("utf-8", "replace")


def lines_of(text):
    return re.split(r"\r\n|\n|\r", text)


def breaches():
    rules = lexer_rules()
    kinds = {kind for kind, _ in rules}
    for kind in sorted(kinds ^ set(SCOPES)):
        yield f"{kind} is in only one of the lexer and the table of scopes"
    grammar = json.loads(TEXTMATE.read_text())
    seen = set()
    for name, text in texts():
        for number, line in enumerate(lines_of(text), 1):
            given = scopes(line, grammar)
            for kind, begin, end in tokens(line, rules):
                seen.add(kind)
                wanted, found = SCOPES.get(kind, ()), set(given[begin:end])
                if wanted and not (len(found) == 1 and found.pop().startswith(wanted)):
                    yield f"{name}:{number}: {kind} {line[begin:end]!r} has the scopes {sorted(set(given[begin:end]))}"
    for kind in sorted(kinds - seen - {"UNKNOWN"}):
        yield f"no text has a {kind}"
    words = set(re.findall(r"[\w']+", NEOVIM.read_text()))
    for kind, rule in rules:
        if re.fullmatch(r"\(\?:[a-z]+\)", rule.pattern) and rule.pattern[3:-1] not in words:
            yield f"Neovim's syntax file has no {rule.pattern[3:-1]!r}"


def main():
    found = list(breaches())
    print(*found[:40], f"{len(found)} breaches", sep="\n")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
