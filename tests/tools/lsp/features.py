"""Tests of every request that the server answers; each is a function that takes a client."""
import json
import pathlib
import subprocess

from client import Client, lines_of, places, span, value

MODEL = """\
import nn;
/// Weights of the one layer.
param kernel : f32 [16, 8];
param bias : f32 [8];

/// Doubles what it is given.
twice = fn (x) { x + x };
layer = fn (x : f32 [n, 16]) {
  y = matmul(x, kernel) + bias;
  nn.relu(twice(y))
};
main = layer;
"""


def diagnostics_follow_edits(c):
    c.open("m.ax", MODEL)
    assert c.diagnostics("m.ax") == []
    line, column = lines_of(MODEL, "[16, 8]")
    c.change("m.ax", ((line, column + 1), (line, column + 3), "17"))
    (d,) = c.diagnostics("m.ax")
    assert d["severity"] == 1 and d["code"].startswith("E03") and d["source"] == "axle", d
    assert "17" in d["message"] and "16" in d["message"] and "codeDescription" not in d, d
    assert places(d["range"])[0] == lines_of(MODEL, "matmul("), d
    assert any(places(r["location"]["range"])[0][0] in (line, 7) for r in d["relatedInformation"]), d
    c.change("m.ax", ((line, column + 1), (line, column + 3), "16"))
    assert c.diagnostics("m.ax") == []


def several_changes_are_applied_together(c):
    c.open("m.ax", "a = 1;\n")
    c.diagnostics("m.ax")
    c.change("m.ax", ((0, 0), (0, 1), "b"), ((1, 0), (1, 0), "c = b;\n"), ((0, 4), (0, 5), "2f32"))
    assert c.diagnostics("m.ax") == []
    assert "f32" in value(c.at("hover", "m.ax", 1, 0))
    c.change("m.ax", "c = nothing;\n")
    assert "unknown name" in c.diagnostics("m.ax")[0]["message"]


WIDE = "// \U0001f600\u4e2d\na = 1f32; // \U0001f600\nb = a;\tc = nope;\r\nd = nope;\r\n"


def places_are_utf16(c):
    c.open("m.ax", WIDE)
    first, second = c.diagnostics("m.ax")
    assert places(first["range"]) == ((2, 11), (2, 15)), first
    assert places(second["range"]) == ((3, 4), (3, 8)), second
    c.change("m.ax", 'e = (-1f32, "\U0001f600\u4e2d", nope);\n')
    (d,) = [d for d in c.diagnostics("m.ax") if "nope" in d["message"]]
    assert places(d["range"]) == ((0, 19), (0, 23)), d
    c.change("m.ax", ((0, 13), (0, 15), "xy"), ((0, 19), (0, 23), "e1"))  # a character of two UTF-16 units
    (d,) = [d for d in c.diagnostics("m.ax") if "unknown name" in d["message"]]
    assert "`e1`" in d["message"] and places(d["range"]) == ((0, 19), (0, 21)), d


def places_are_utf8_where_offered(c):
    other = Client(c.axc, c.folder, encodings=["utf-8", "utf-16"])
    assert other.capabilities["capabilities"]["positionEncoding"] == "utf-8"
    other.open("m.ax", 'e = (-1f32, "\U0001f600\u4e2d", nope);\n')
    (d,) = [d for d in other.diagnostics("m.ax") if "nope" in d["message"]]
    assert places(d["range"]) == ((0, 23), (0, 27)), d
    other.close()


def hover_shows_types_and_documentation(c):
    c.open("m.ax", MODEL)
    assert c.diagnostics("m.ax") == []

    def at(word, nth=0, into=0):
        line, column = lines_of(MODEL, word, nth)
        return value(c.at("hover", "m.ax", line, column + into))
    assert "kernel : f32 [16, 8]" in at("kernel") and "Weights of the one layer" in at("kernel", 1)
    assert "twice : (x : t s) -> t s" in at("twice") and "Doubles" in at("twice", 1)
    assert "f32 [n, 8]" in at("y =") and "f32 [n, 16]" in at("x : f32")
    assert "op matmul : (x : t s @ [m, k], y : t s @ [k, n])" in at("matmul") and "op +" in at("+ bias")
    assert "relu" in at("nn.relu") and "layer : (x : f32 [n, 16]) -> f32 [n, 8]" in at("main = layer", 0, 8)


def definition_finds_names_of_modules_and_the_library(c):
    c.open("m.ax", MODEL)
    def at(word, nth=0, into=0):
        line, column = lines_of(MODEL, word, nth)
        return c.at("definition", "m.ax", line, column + into)
    assert places(at("twice", 1)["range"])[0] == lines_of(MODEL, "twice")
    assert places(at("y))")["range"])[0] == lines_of(MODEL, "y =")
    assert places(at("x, kernel")["range"])[0] == lines_of(MODEL, "x : f32")
    for word, file, name in [("matmul", "core.ax", "matmul"), ("nn.relu", "core.ax", "relu"), ("import nn", "nn.ax", "")]:
        found = at(word, 0, 7 if word.startswith("import") else 3)
        path = pathlib.Path(found["uri"].removeprefix("file://"))
        assert path.name == file and path.is_file(), found
        (line, column), _ = places(found["range"])
        assert path.read_text().splitlines()[line][column:].startswith(name), found


def unsaved_modules_are_used(c):
    (c.folder / "other.ax").write_text("f = fn (x : f32 [3]) { x };\n")
    c.open("m.ax", "import other;\ng = fn (y) { other.f(y) };\n")
    assert c.diagnostics("m.ax") == []
    found = c.at("definition", "m.ax", 1, 20)
    assert found["uri"] == c.uri("other.ax") and places(found["range"]) == ((0, 0), (0, 1)), found
    c.open("other.ax", "f = fn (x : f32 [4]) { x };\n")
    c.diagnostics("other.ax")
    assert "f32 [4]" in value(c.at("hover", "m.ax", 1, 0))
    c.change("other.ax", "h = fn (x : f32 [4]) { x };\n")
    while not any("has no `f`" in json.dumps(m) for m in c.notified):  # reported for the file that imports it
        c.notified.append(c.read())
    c.change("m.ax", "import other;\ng = fn (y) { other.h(y) };\n")
    assert c.diagnostics("m.ax") == []


def formatting_matches_axc_fmt(c):
    c.open("m.ax", "a=fn(x){x+1};\n")
    (edit,) = c.request("textDocument/formatting", {"textDocument": {"uri": c.uri("m.ax")},
                                                    "options": {"tabSize": 2, "insertSpaces": True}})
    assert edit["newText"] == "a = fn (x) { x + 1 };\n", edit
    c.change("m.ax", edit["newText"])
    assert c.request("textDocument/formatting", {"textDocument": {"uri": c.uri("m.ax")}, "options": {}}) == []
    c.change("m.ax", "a = fn (\n")
    assert "error" in c.answer("textDocument/formatting", {"textDocument": {"uri": c.uri("m.ax")}, "options": {}})


def broken_statements_keep_their_last_good_state(c):
    c.open("m.ax", MODEL)
    assert c.diagnostics("m.ax") == []
    line, column = lines_of(MODEL, " + bias")
    c.change("m.ax", ((line, column), (line, column), " + ("))
    assert any(d["code"].startswith("E01") for d in c.diagnostics("m.ax"))
    assert "f32 [n, 8]" in value(c.at("hover", "m.ax", *lines_of(MODEL, "layer =")))
    assert "f32 [n, 8]" in value(c.at("hover", "m.ax", *lines_of(MODEL, "main =")))
    assert "f32 [n, 8]" in value(c.at("hover", "m.ax", *lines_of(MODEL, "y =")))


def references_and_rename_reach_other_modules(c):
    uses = 'import m;\nq = fn (x) { m.twice(m.layer(x)) };\n'
    c.open("m.ax", MODEL)
    c.open("user.ax", uses)
    assert c.diagnostics("m.ax") == [] and c.diagnostics("user.ax") == []
    line, column = lines_of(MODEL, "twice")
    found = c.at("references", "m.ax", line, column, context={"includeDeclaration": True})
    assert sorted((f["uri"], places(f["range"])[0]) for f in found) == sorted([
        (c.uri("m.ax"), lines_of(MODEL, "twice")), (c.uri("m.ax"), lines_of(MODEL, "twice", 1)),
        (c.uri("user.ax"), (1, 15))]), found
    assert len(c.at("references", "m.ax", line, column, context={"includeDeclaration": False})) == 2
    edit = c.at("rename", "user.ax", 1, 16, newName="double")["changes"]
    assert {uri: len(edits) for uri, edits in edit.items()} == {c.uri("m.ax"): 2, c.uri("user.ax"): 1}, edit
    assert c.at("prepareRename", "user.ax", 1, 16)["placeholder"] == "twice"

    def refused(name, to, nth=0):
        line, column = lines_of(MODEL, name, nth)
        answer = c.answer("textDocument/rename", {"textDocument": {"uri": c.uri("m.ax")}, "newName": to,
                                                  "position": {"line": line, "character": column}})
        return answer["error"]["message"]
    assert "core operator" in refused("matmul", "product") and "core operator" in refused("twice", "matmul")
    assert "defined already" in refused("twice", "layer") and "no name" in refused("twice", "fn")
    assert "no name" in refused("twice", "a b") and "something else" in refused("kernel", "y")
    assert "something else already, in line 8" in refused("y =", "x") and "core operator" in refused("nn.relu", "r") and \
        "its file" in refused("nn;", "n")
    assert c.at("rename", "m.ax", *lines_of(MODEL, "twice"), newName="twice") == {"changes": {}}
    edit = c.at("rename", "m.ax", *lines_of(MODEL, "bias"), newName="offset")["changes"][c.uri("m.ax")]
    assert sorted(e["newText"] for e in edit) == [' = "bias"', "offset", "offset"], edit
    edit = c.at("rename", "m.ax", *lines_of(MODEL, "n, 16"), newName="rows")["changes"][c.uri("m.ax")]
    assert [e["newText"] for e in edit] == ["rows"], edit
    text = "f = fn (x; width = 3) { reshape(x, [width]) };\ng = fn (x) { f(x, width=4) };\n"
    c.change("user.ax", text)
    assert len(c.at("rename", "user.ax", 1, 19, newName="wide")["changes"][c.uri("user.ax")]) == 3


def completion_knows_what_is_in_scope(c):
    c.open("m.ax", MODEL)
    c.diagnostics("m.ax")

    def labels(line, column):
        return {i["label"]: i for i in c.at("completion", "m.ax", line, column)}
    line, column = lines_of(MODEL, "twice(y")
    inside = labels(line, column)
    assert {"x", "y", "kernel", "twice", "matmul", "nn", "fn", "f32"} <= set(inside) and "main" not in inside, inside.keys()
    assert inside["y"]["detail"] == "f32 [n, 8]" and "Doubles" in inside["twice"]["documentation"]["value"]
    assert {"nn.dense", "nn.relu", "nn.softmax"} <= set(labels(line, lines_of(MODEL, "relu")[1]))
    text = MODEL.replace("nn.relu(twice(y))", 'conv2d(x, x, padding="", st')
    c.change("m.ax", text)
    line, column = lines_of(text, 'padding="')
    assert {"same", "valid"} == set(labels(line, column + 9))
    broken = labels(line, column + 14)
    assert {"stride=", "dilation=", "twice", "y", "x"} <= set(broken), broken.keys()
    assert {"rnn", "audio"} <= set(labels(0, 7))


def completion_depends_on_the_position(c):
    text = ("import nn;\nparam w : f32 [k, 4]; // a co\nf = fn (x : f32 [n, 3], y : t [n]) : f32 [] {\n  a = x[1:2];\n"
            "  conv2d(x, y, padding=)\n};\ng = fn (b) { b };\n")
    c.open("m.ax", text)
    c.diagnostics("m.ax")

    def labels(text, word, into):
        line, column = lines_of(text, word)
        return {i["label"] for i in c.at("completion", "m.ax", line, column + into)}
    assert labels(text, "// a co", 7) == set() and labels(text, "// a co", 2) == set()
    for word, into in [("x : f32", 4), (": f32 []", 2), ("w : f32", 4), ("t [n]", 0)]:
        found = labels(text, word, into)
        assert {"f32", "i64"} <= found and not {"matmul", "w", "fn", "x"} & found, (word, found)
    assert {"k"} == labels(text, "n, 3", 0), labels(text, "n, 3", 0)
    assert {"k", "n"} == labels(text, "3], y", 1), labels(text, "3], y", 1)
    assert {"matmul", "x", "w"} <= labels(text, "1:2", 2) and {"matmul"} <= labels(text, "y : t", 0)
    found = labels(text, "padding=", 8)
    assert {'"same"', '"valid"', "x"} <= found and not {"stride=", "matmul"} & found, found
    good = MODEL + "h = fn (p : f32 [n], q) { r = p + q; r * 2f32 };\n"
    c.change("m.ax", good)
    assert c.diagnostics("m.ax") == []
    broken = good.replace("h = fn (p : f32 [n], q) { r = p + q; r * 2f32 }", "h = fn (v, q) { s = v + q; s * nn. }")
    c.change("m.ax", broken)
    assert c.diagnostics("m.ax")
    assert {"nn.dense", "nn.relu"} <= labels(broken, "nn. }", 3)
    found = labels(broken, "nn. }", 0)
    assert {"v", "q", "s", "twice"} <= found and not {"p", "r", "h"} & found, found
    c.change("m.ax", broken.replace("import nn;\n", ""))
    c.diagnostics("m.ax")
    assert "nn" not in {i["label"] for i in c.at("completion", "m.ax", *lines_of(broken.replace("import nn;\n", ""), "nn. }"))}


def hover_explains_missing_types(c):
    text = "import nn;\nf = fn (x : e [n, m]) { reshape(x, [n, m, 1]) };\ng = fn (x) { g(x) };\n"
    c.open("m.ax", text)
    (d,) = c.diagnostics("m.ax")
    hover = value(c.at("hover", "m.ax", 2, 0))
    assert d["message"].split("\n")[0] in hover and "(an error)" not in hover, hover
    for word, what in [("n, m]", "the name of a size"), ("e [n", "the name of an element type"), ("m, 1", "m")]:
        assert what in value(c.at("hover", "m.ax", *lines_of(text, word))), word
    assert "Layers" in value(c.at("hover", "m.ax", 0, 8))


def signatures_help_with_calls(c):
    text = MODEL + "conv = fn (a, k) { conv2d(a, k, stride=[2, 2]) };\nh = fn (a; wide = 3) { a };\nz = h(kernel, wide=4);\n"
    text += "product = matmul;\nv = product(kernel, kernel);\n"
    c.open("m.ax", text)
    c.diagnostics("m.ax")
    line, column = lines_of(text, "k, stride")
    help = c.at("signatureHelp", "m.ax", line, column)
    assert help["signatures"][0]["label"].startswith("op conv2d") and help["activeParameter"] == 1, help
    for parameter in help["signatures"][0]["parameters"]:
        assert parameter["label"] in help["signatures"][0]["label"], parameter
    assert help["signatures"][0]["parameters"][1] == {"label": "filter : t [r, s, c, k]"}, help
    assert c.at("signatureHelp", "m.ax", line, column + 11)["activeParameter"] == 2
    line, column = lines_of(text, "kernel, wide")
    help = c.at("signatureHelp", "m.ax", line, column)
    assert help["signatures"][0]["label"] == "h(a : a; wide = 3) : a", help
    assert c.at("signatureHelp", "m.ax", line, column + 13)["activeParameter"] == 1
    assert c.at("signatureHelp", "m.ax", 0, 3) is None
    line, column = lines_of(text, "kernel, kernel")
    help = c.at("signatureHelp", "m.ax", line, column)
    assert help["signatures"][0]["label"] == "product(x : t s @ [m, k], y : t s @ [k, n]) : t s @ [m, n]", help
    assert "product : (x : t s @ [m, k], y" in value(c.at("hover", "m.ax", line, 5))


def parameters_of_no_written_type_have_hints(c):
    c.open("m.ax", "param w;\nparam b : f32 [4];\nf = fn (x : f32 [n, 3]) : f32 [n, 4] { matmul(x, w) + b };\n")
    assert c.diagnostics("m.ax") == []
    found = c.request("textDocument/inlayHint", {"textDocument": {"uri": c.uri("m.ax")}, "range": span((0, 0), (9, 0))})
    assert [(h["position"], h["label"]) for h in found] == [({"line": 0, "character": 7}, " : f32 [3, 4]")], found


def symbols_outline_the_text(c):
    c.open("m.ax", MODEL)
    c.diagnostics("m.ax")
    found = c.request("textDocument/documentSymbol", {"textDocument": {"uri": c.uri("m.ax")}})
    assert [s["name"] for s in found] == ["nn", "kernel", "bias", "twice", "layer", "main"], found
    assert found[4]["detail"] == "(x : f32 [n, 16]) -> f32 [n, 8]" and places(found[4]["selectionRange"])[0] == (7, 0)
    assert places(found[4]["range"])[1][0] == 10, found[4]
    c.change("m.ax", MODEL.replace("nn.relu(", "nn.relu((("))
    c.diagnostics("m.ax")
    broken = c.request("textDocument/documentSymbol", {"textDocument": {"uri": c.uri("m.ax")}})
    assert [s["name"] for s in broken] == ["nn", "kernel", "bias", "twice", "layer", "main"], broken


def hints_show_inferred_types(c):
    c.open("m.ax", MODEL)
    c.diagnostics("m.ax")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    def hints():
        found = c.request("textDocument/inlayHint", {"textDocument": {"uri": c.uri("m.ax")}, "range": whole})
        return {(h["position"]["line"], h["position"]["character"]): h["label"] for h in found}
    found = hints()
    assert found == {(6, 13): " : t s", (6, 14): " : t s", (7, 28): " : f32 [n, 8]", (8, 3): ": f32 [n, 8]",
                     (11, 4): ": (f32 [n, 16]) -> f32 [n, 8]"}, found
    whole = {"start": {"line": 8, "character": 0}, "end": {"line": 8, "character": 99}}
    assert list(hints()) == [(8, 3)]


def errors_offer_fixes_that_were_tried(c):
    text = "f = fn (x : f32 [2, 3], w : f32 [4, 3]) { matmul(x, w) };\n"
    c.open("m.ax", text)
    (d,) = c.diagnostics("m.ax")
    actions = c.request("textDocument/codeAction", {"textDocument": {"uri": c.uri("m.ax")}, "range": d["range"],
                                                    "context": {"diagnostics": [d]}})
    fixes = [a for a in actions if a["kind"] == "quickfix"]
    assert fixes and fixes[0]["diagnostics"][0]["code"] == d["code"], actions
    for edit in fixes[0]["edit"]["changes"][c.uri("m.ax")]:
        c.change("m.ax", (*places(edit["range"]), edit["newText"]))
    assert c.diagnostics("m.ax") == []


def missing_imports_are_added(c):
    text = "// A model.\n/// Doubles.\nf = fn (x : f32 [n]) { nn.relu(x) };\n"
    for name, start, expected in (("m.ax", text, "// A model.\nimport nn;\n/// Doubles.\n"),
                                  ("n.ax", "import rnn;\n" + text, "import rnn;\nimport nn;\n// A model.\n")):
        c.open(name, start)
        (d,) = c.diagnostics(name)
        actions = c.request("textDocument/codeAction", {"textDocument": {"uri": c.uri(name)}, "range": d["range"],
                                                        "context": {"diagnostics": []}})
        (action,) = [a for a in actions if a["kind"] == "quickfix"]
        assert action["title"] == "write `import nn;`" and action["isPreferred"], action
        (edit,) = action["edit"]["changes"][c.uri(name)]
        at, end = places(edit["range"])
        lines = start.splitlines(keepends=True)
        assert at == end and at[1] == 0, edit
        changed = "".join(lines[:at[0]]) + edit["newText"] + "".join(lines[at[0]:])
        assert changed.startswith(expected), changed
        c.change(name, changed)
        assert c.diagnostics(name) == []


def names_that_nothing_uses_are_hints(c):
    text = """\
import nn;
import rnn;
param w : f32 [3];
param v : f32 [3];
f = fn (x : f32 [n], y, _z; k = 1, heads = 2) {
  unused = nn.relu(x);
  a, b = (x, x);
  map(fn (row) { 1f32 }, reshape(a, [heads, _]))
};
main = fn (x : f32 [n, k]) { f(x, w, x), k };
"""
    c.open("m.ax", text)
    c.diagnostics("m.ax")
    assert all(d["tags"] == [1] and d["source"] == "axle" for d in c.hints), c.hints
    found = [d["message"] for d in c.hints]
    assert found == [f"`{name}` is not used" for name in ("rnn", "v", "y", "k", "unused", "b", "row")], found
    assert places(c.hints[0]["range"]) == ((1, 7), (1, 10)), c.hints[0]
    c.change("m.ax", ((4, 0), (4, 0), "("))
    c.diagnostics("m.ax")
    assert c.hints == []


def published_errors_name_fixes_when_typing_stops(c):
    text = "f = fn (x : f32 [2, 3], w : f32 [4, 3]) { matmul(x, w) };\r\n// \U0001f600\r\ng = f;\r\n"
    c.open("m.ax", text)
    (first,) = c.diagnostics("m.ax")
    (d,) = c.diagnostics("m.ax")  # the same version again
    told = [line for line in d["message"].split("\n") if line.startswith("help: transpose `w`")]
    assert told and told[0] not in first["message"] and d["message"].startswith(first["message"]), d
    (mend,) = [r for r in d["relatedInformation"] if r["message"] == told[0]]
    assert places(mend["location"]["range"]) == ((0, text.index("w) }")), (0, text.index("w) }") + 1)), d
    (c.folder / "m.ax").write_text(text, newline="")
    checked = subprocess.run([str(c.axc), "check", "m.ax"], cwd=c.folder, capture_output=True, text=True).stderr
    assert all("= " + line in checked for line in d["message"].split("\n") if line.startswith("help: ")), (d, checked)
    c.change("m.ax", ((0, text.index("w) }")), (0, text.index("w) }") + 1), "transpose(w)"))
    assert c.diagnostics("m.ax") == []


def errors_move_to_the_operator_that_fails(c):
    text = "param w : f32 [3, 4];\nf = fn (x, w) { exp(matmul(x, w)) };\nmain = fn (x : f32 [n, 5]) { f(x, w) };\n"
    c.open("m.ax", text)
    (first,) = c.diagnostics("m.ax")
    (d,) = c.diagnostics("m.ax")
    line, column = lines_of(text, "matmul(x, w)")
    assert places(first["range"])[0][0] == 2 and places(d["range"]) == ((line, column), (line, column + 12)), (first, d)
    actions = c.request("textDocument/codeAction", {"textDocument": {"uri": c.uri("m.ax")}, "range": d["range"],
                                                    "context": {"diagnostics": [d]}})
    edits = {a["title"]: a["edit"]["changes"][c.uri("m.ax")] for a in actions if a["kind"] == "quickfix"}
    (edit,) = edits["declare what fits: `w : f32 [5, 4]`"]
    c.change("m.ax", (*places(edit["range"]), edit["newText"]))
    assert c.diagnostics("m.ax") == []


def static_parameters_are_renamed_in_other_modules(c):
    text = "f = fn (x; width = 3, other = 1) { reshape(x, [width, other]) };\ng = f;\nwidth = 7;\n"
    uses = "import m;\nwide = 1;\na = fn (x) { m.f(x, width=4) };\nb = fn (x, width) { m.g(x, width=2, other=1) };\n"
    c.open("m.ax", text)
    c.open("user.ax", uses)
    assert c.diagnostics("m.ax") == [] and c.diagnostics("user.ax") == []
    wanted = {c.uri("m.ax"): [(0, 11), (0, 47)], c.uri("user.ax"): [(2, 20), (3, 27)]}
    for name, line, column in [("m.ax", 0, 12), ("m.ax", 0, 48), ("user.ax", 2, 21), ("user.ax", 3, 28)]:
        edits = c.at("rename", name, line, column, newName="wide")["changes"]
        assert {uri: sorted(places(e["range"])[0] for e in of) for uri, of in edits.items()} == wanted, (name, edits)
        found = c.at("references", name, line, column, context={"includeDeclaration": False})
        assert len(found) == 3, found
    place = c.at("definition", "user.ax", 2, 21)
    assert place["uri"] == c.uri("m.ax") and places(place["range"])[0] == (0, 11), place
    def refused(**where):
        return c.answer("textDocument/rename", {"textDocument": {"uri": c.uri("user.ax")}, "position": {"line": 2, "character": 21},
                                                **where})["error"]["message"]
    assert "something else" in refused(newName="other") and "something else" in refused(newName="x")
    (c.folder / "m.ax").write_text(text)
    c.notify("textDocument/didClose", {"textDocument": {"uri": c.uri("m.ax")}})
    assert "not open" in refused(newName="wide")


def types_are_inserted_where_they_are_the_same(c):
    text = "param w;\nscale = fn (x) { x * 2f32 };\nuse = fn (x : f32 [n, 3]) : f32 [n, 4] { matmul(x, scale(w)) };\n"
    c.open("m.ax", text)
    assert c.diagnostics("m.ax") == []
    def actions(line):
        at = {"line": line, "character": 1}
        return {a["title"]: a["edit"]["changes"][c.uri("m.ax")] for a in c.request("textDocument/codeAction", {
            "textDocument": {"uri": c.uri("m.ax")}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}})}
    assert [e["newText"] for e in actions(0)["insert the inferred type of `w`"]] == [" : f32 [3, 4]"], actions(0)
    offered = actions(1)
    assert [e["newText"] for e in offered["insert the inferred types of `scale`"]] == [" : f32 s", " : f32 s"], offered
    assert set(offered) == {"insert the inferred types of `scale`", "insert the inferred type of `x`",
                            "insert the inferred type of the result of `scale`"}, offered
    assert actions(2) == {}
