// The inputs, weights and results of an entry: each must be a tensor of known rank and of numbers.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/entry/entry_steps.h"
#include "typecheck/infer/used_weights.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

const char* kindName(TypeKind kind) {
  return kind == TypeKind::function ? "a function" : kind == TypeKind::tuple ? "a tuple" : "of an open type";
}

bool hasOpenRank(const TypeTerm& tensor) {
  return std::any_of(tensor.shape.begin(), tensor.shape.end(), [](const ShapePart& p) { return p.isVar; });
}

bool checkNotText(EntryState& state, const TypeTerm& tensor, Span span, const std::string& what, const char* label) {
  const ElemTerm elem = state.checked.solution.resolve(tensor.elem);
  if (elem.isVar || elem.elem != Elem::string) return true;
  return reportEntryError(state, codes::entryText, span, fmt::format("{} is text, which bundles do not hold", what),
                          label, "give its bytes: u8");
}

// Suggests an entry that calls this one's function with a function.
std::string suggestCallingEntry(const EntryState& state) {
  std::string arguments;
  for (std::size_t i = 0; i < state.parameterNames.size(); ++i) {
    const bool isFunction = state.checked.solution.types[state.entry.parameters[i]].kind == TypeKind::function;
    arguments += (i ? ", " : "") + (isFunction ? std::string("tanh") : state.parameterNames[i]);
  }
  const std::string& name = state.options.name;
  return fmt::format("the body calls it, so it is no tensor: an entry calls this function with one, as in `{}({})`",
                     name == "main" ? "layer" : name, arguments);
}

bool checkInput(EntryState& state, const InputLeaf& input) {
  const TypeTerm type = state.checked.solution.types[input.type];
  const Span span = input.parameter < state.parameterSpans.size() ? state.parameterSpans[input.parameter] : state.span;
  if (type.kind != TypeKind::tensor)
    return reportEntryError(
        state, codes::entryType, span,
        fmt::format("the input `{}` of an entry must be a tensor, but is {}", input.name, kindName(type.kind)),
        "this parameter",
        type.kind == TypeKind::function ? suggestCallingEntry(state)
                                        : "annotate it with a tensor's type, or name another entry");
  if (hasOpenRank(type))
    return reportEntryError(
        state, codes::entryRank, span,
        fmt::format("the rank of the input `{}` is open: {}", input.name, printType(state.checked, input.type)),
        "this parameter", "give the shape: `--set s=[2,3]`, or annotate the parameter");
  return checkNotText(state, type, span, fmt::format("the input `{}`", input.name), "this parameter");
}

// Adds a result, or each part of a tuple.
bool addOutput(EntryState& state, TypeId id, const std::string& name) {
  Checked& c = state.checked;
  const TypeTerm type = c.solution.types[c.solution.resolve(id)];
  if (type.kind == TypeKind::tuple) {
    for (std::size_t i = 0; i < type.parts.size(); ++i)
      if (!addOutput(state, type.parts[i], name + "." + std::to_string(i))) return false;
    return true;
  }
  if (type.kind != TypeKind::tensor)
    return reportEntryError(
        state, codes::entryType, state.span,
        fmt::format("the result `{}` of an entry must be a tensor, but is {}", name, kindName(type.kind)),
        "this entry");
  if (hasOpenRank(type))
    return reportEntryError(state, codes::openEntry, state.span,
                            fmt::format("the shape of the result `{}` stays open: {}", name, printType(c, id)),
                            "this entry");
  if (!checkNotText(state, type, state.span, fmt::format("the result `{}`", name), "this entry")) return false;
  state.entry.outputs.push_back({name, c.solution.resolve(id), {}, {}});
  return true;
}

// Prints a type with `_` for each size that the user did not name, as in `f32 [32, _]`.
std::string printWithHoles(Checked& c, const TypeTerm& type) {
  const ElemTerm elem = c.solution.resolve(type.elem);
  const Shape shape = c.solution.resolve(type.shape);
  if (elem.isVar || std::any_of(shape.begin(), shape.end(), [](const ShapePart& part) { return part.isVar; }))
    return printType(c, c.solution.types.add(TypeTerm(type)));
  auto nameOf = [&](DimVar v) { return c.solution.dimVars[v.index].named ? c.solution.dims.name(v) : "_"; };
  std::string sizes;
  for (const ShapePart& part : shape) sizes += (sizes.empty() ? "" : ", ") + c.solution.printSize(part.dim, nameOf);
  return fmt::format("{} [{}]", info(elem.elem).name, sizes);
}

void reportUnknownWeight(EntryState& state, const TypedWeight& weight, const TypeTerm& type,
                         const OpenVariables& open) {
  const Solution& solution = state.checked.solution;
  bool onlyNamed = open.shapes.empty();  // the user named all that is open
  std::string sets;
  for (DimVar d : open.dims) {
    onlyNamed = onlyNamed && solution.dimVars[d.index].named;
    sets += fmt::format("{}`--set {}=4`", sets.empty() ? "" : ", ", solution.dims.name(d));
  }
  reportEntryError(
      state, codes::weightsNeeded, weight.span,
      fmt::format("the type of `{}` is not known: {}", weight.parameter, printWithHoles(state.checked, type)),
      "this parameter",
      onlyNamed ? fmt::format("give its sizes, as in {}, or the file that holds it: `--weights FILE`", sets)
                : fmt::format("annotate it, as in `param {} : f32 [4, 3]`, or give the file that holds it: "
                              "`--weights FILE`",
                              weight.parameter));
}

}  // namespace

bool checkTupleSizes(EntryState& state) {
  Checked& c = state.checked;
  for (const Pending<constraint::Repeat>& parts : pendingOf<constraint::Repeat>(c.solver)) {
    const Reason& why = c.provenance[parts.reason];
    const StaticTerm count = c.solution.types[c.solution.resolve(parts->count)];
    const std::string number = count.kind == StaticKind::dim ? c.solution.printSize(count.dim) : "_";
    const auto size = count.kind == StaticKind::dim ? c.solution.dims.asVariable(count.dim) : std::nullopt;
    reportEntryError(state, codes::openEntry, why.span,
                     fmt::format("{} gives {} parts, which only the run tells", why.subject, number),
                     "their number is open",
                     size && c.solution.dimVars[size->index].named
                         ? fmt::format("a pattern of as many names says it, and so does `--set {}=4`", number)
                         : "a pattern of as many names says it");
  }
  return !state.failed;
}

bool addInputs(EntryState& state) {
  Checked& c = state.checked;
  const TypeTerm function = c.solution.types[c.solution.resolve(state.type)];
  if (function.kind != TypeKind::function) return true;
  for (TypeId parameter : function.parts) state.entry.parameters.push_back(c.solution.resolve(parameter));
  for (const InputLeaf& input : inputLeaves(c.solution, state.type, state.parameterNames)) {
    if (!checkInput(state, input)) return false;
    state.firstInput.emplace(input.parameter, state.entry.inputs.size());
    state.entry.inputs.push_back({input.name, input.type, {}, {}});
  }
  return true;
}

bool checkWeights(EntryState& state) {
  Checked& c = state.checked;
  const std::set<std::uint32_t> used = weightsUsed(c.program, state.function);
  for (const TypedWeight& weight : c.program.weights) {
    const TypeTerm type = c.solution.types[c.solution.resolve(c.program[weight.binding].type)];
    checkNotText(state, type, weight.span, fmt::format("the weight `{}`", weight.parameter), "this parameter");
    OpenVariables open;
    collectVariables(c.solver, c.program[weight.binding].type, open);
    if ((open.shapes.empty() && open.dims.empty()) || !used.count(weight.binding.index)) continue;
    reportUnknownWeight(state, weight, type, open);
  }
  return !state.failed;
}

bool addOutputs(EntryState& state) {
  const Solution& solution = state.checked.solution;
  const TypeTerm& function = solution.types[state.checked.solution.resolve(state.type)];
  return addOutput(state, function.kind == TypeKind::function ? function.result : state.type, "out");
}

}  // namespace axle
