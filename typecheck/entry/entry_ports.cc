// The inputs, weights and results of an entry: each must be a tensor of known rank and of numbers.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/entry/entry_steps.h"
#include "typecheck/entry/example_sizes.h"
#include "typecheck/infer/used_weights.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace codes {
const DiagnosticCode weightsNeeded{"E0403", Severity::error, "weights are needed"};
const DiagnosticCode entryRank{"E0503", Severity::error, "the rank of an input is open"};
}  // namespace codes

namespace {

constexpr Message<arg::Name, Phrase> inputNoTensor{
    codes::entryType, "the input {} of an entry must be a tensor, but is {}", "this parameter"};
constexpr Message<arg::Name, arg::Type> inputRankOpen{codes::entryRank, "the rank of the input {} is open: {}",
                                                      "this parameter"};
constexpr Message<arg::Name, Phrase> resultNoTensor{
    codes::entryType, "the result {} of an entry must be a tensor, but is {}", "this entry"};
constexpr Message<arg::Name, arg::Type> resultRankOpen{codes::openEntry, "the shape of the result {} stays open: {}",
                                                       "this entry"};
constexpr Message<arg::Name> textInput{codes::entryText, "the input {} is text, which bundles do not hold",
                                       "this parameter"};
constexpr Message<arg::Name> textWeight{codes::entryText, "the weight {} is text, which bundles do not hold",
                                        "this parameter"};
constexpr Message<arg::Name> textResult{codes::entryText, "the result {} is text, which bundles do not hold",
                                        "this entry"};
constexpr Message<arg::Name, arg::Type> weightTypeUnknown{codes::weightsNeeded, "the type of {} is not known: {}",
                                                          "this parameter"};
constexpr Message<arg::Number, arg::Type> weightTypesUnknown{codes::weightsNeeded,
                                                             "the types of {} parameters are not known", "{1}"};
constexpr Message<arg::Subject, arg::Size> tupleSizeOpen{
    codes::openEntry, "{} gives {} parts, which only the run tells", "their number is open"};

Phrase kindName(TypeKind kind) {
  return kind == TypeKind::function ? Phrase("a function")
         : kind == TypeKind::tuple  ? Phrase("a tuple")
                                    : Phrase("of an open type");
}

bool hasOpenRank(const TypeTerm& tensor) {
  return std::any_of(tensor.shape.begin(), tensor.shape.end(), [](const ShapePart& p) { return p.isVar; });
}

bool checkNotText(EntryState& state, const TypeTerm& tensor, const Message<arg::Name>& message, Span span,
                  const std::string& name) {
  const ElemTerm elem = state.checked.solution.resolve(tensor.elem);
  if (elem.isVar || elem.elem != Elem::string) return true;
  report(state, message, span, arg::Name{name}).addHelp("give its bytes: u8");
  return false;
}

// Suggests an entry that calls this one's function with a function as argument.
void suggestCallingEntry(const EntryState& state, Diagnostic& d) {
  std::string arguments;
  for (std::size_t i = 0; i < state.parameterNames.size(); ++i) {
    const bool isFunction = state.checked.solution.types[state.entry.parameters[i]].kind == TypeKind::function;
    arguments += (i ? ", " : "") + (isFunction ? std::string("tanh") : state.parameterNames[i]);
  }
  const std::string& name = state.options.name;
  d.addHelp("the body calls it, so it is no tensor: an entry calls this function with one, as in {}",
            arg::Code{(name == "main" ? "layer" : name) + "(" + arguments + ")"});
}

// Marks the other inputs of open rank too, and suggests options that give all open shapes.
void suggestShapes(EntryState& state, const InputLeaf& first, Diagnostic& d) {
  Checked& c = state.checked;
  for (const InputLeaf& other : inputLeaves(c.solution, state.type, state.parameterNames))
    if (const TypeTerm& type = c.solution.types[other.type];
        other.name != first.name && type.kind == TypeKind::tensor && hasOpenRank(type))
      d.addLabel(spanOf(state, other), "and the rank of {}: {}", arg::Name{other.name},
                 arg::Type{printType(c, other.type)});
  Phrase options = "";
  for (const auto& [name, shape] : state.shapeNames) {
    const Shape now = c.solution.resolve(shape);
    if (name.empty() || std::ranges::none_of(now, [](const ShapePart& part) { return part.isVar; })) continue;
    const arg::Code option{fmt::format("--set {}=[2,3]", name)};
    options = options.text.empty() ? Phrase("{}", option) : Phrase("{}, {}", options, option);
  }
  if (options.text.empty())
    d.addHelp("annotate the parameter with its shape");
  else
    d.addHelp("give the shape: {}, or annotate the parameter", options);
}

bool checkInput(EntryState& state, const InputLeaf& input) {
  const TypeTerm type = state.checked.solution.types[input.type];
  const Span span = spanOf(state, input);
  if (type.kind != TypeKind::tensor) {
    Diagnostic& d = report(state, inputNoTensor, span, arg::Name{input.name}, kindName(type.kind));
    if (type.kind == TypeKind::function)
      suggestCallingEntry(state, d);
    else
      d.addHelp("annotate it with a tensor's type, or name another entry");
    return false;
  }
  if (hasOpenRank(type)) {
    suggestShapes(
        state, input,
        report(state, inputRankOpen, span, arg::Name{input.name}, arg::Type{printType(state.checked, input.type)}));
    return false;
  }
  return checkNotText(state, type, textInput, span, input.name);
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
  if (type.kind != TypeKind::tensor) {
    report(state, resultNoTensor, state.span, arg::Name{name}, kindName(type.kind));
    return false;
  }
  if (hasOpenRank(type)) {
    report(state, resultRankOpen, state.span, arg::Name{name}, arg::Type{printType(c, id)});
    return false;
  }
  if (!checkNotText(state, type, textResult, state.span, name)) return false;
  state.entry.outputs.push_back({name, c.solution.resolve(id), {}, {}});
  return true;
}

// Returns a shape with which an operator broadcasts a weight of an open shape; none if there is no such operator, or
// the last size is open there.
std::optional<Shape> broadcastWith(Checked& c, ShapeVar weight) {
  for (const Pending<constraint::Broadcast>& pending : pendingOf<constraint::Broadcast>(c.solver)) {
    const Shape left = c.solution.resolve(pending->left), right = c.solution.resolve(pending->right);
    for (const auto& [own, other] : {std::pair(&left, &right), std::pair(&right, &left)}) {
      const bool isOwn = own->size() == 1 && own->front().isVar && own->front().var == weight;
      if (isOwn && !other->empty() && !other->back().isVar) return *other;
    }
  }
  return std::nullopt;
}

// Returns a declaration that a weight of an open type may have: with its known sizes, or else as a vector that
// broadcasts along the last axis.
std::string exampleType(Checked& c, const TypeTerm& type, const std::optional<Shape>& other, ExampleSizes& numbers) {
  constexpr std::int64_t anySize = 3;
  const ElemTerm elem = c.solution.resolve(type.elem);
  Shape shape = other ? Shape{other->back()} : c.solution.resolve(type.shape);
  if (shape.size() > 1 && shape.front().isVar) shape.erase(shape.begin());  // of a batch, one is enough
  std::string sizes;
  for (const ShapePart& part : shape) {
    if (part.isVar) return "f32 [4, 3]";
    const Dim size = c.solution.resolve(part.dim);
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", numbers.of(size, numbers.leastOf(size).value_or(anySize)));
  }
  return fmt::format("{} [{}]", info(elem.isVar ? Elem::f32 : elem.elem).name, sizes);
}

// A weight whose type has open sizes.
struct UnknownWeight {
  const TypedWeight* weight;
  TypeTerm type;
  OpenVariables open;
  std::optional<Shape> other;  // a shape that an operator broadcasts it with
};

UnknownWeight unknownWeight(Checked& c, const TypedWeight& weight, TypeTerm type, OpenVariables open) {
  const Shape shape = c.solution.resolve(type.shape);
  const bool isOpen = shape.size() == 1 && shape[0].isVar;
  return {&weight, std::move(type), std::move(open), isOpen ? broadcastWith(c, shape[0].var) : std::nullopt};
}

// Whether the user named all that is open, so that options can set it.
bool isNamed(const Solution& solution, const OpenVariables& open) {
  return open.shapes.empty() &&
         std::ranges::all_of(open.dims, [&](DimVar v) { return solution.dimVars[v.index].named; });
}

// Reports weights whose types are not known, in one error: the first ones with examples of what they may be.
void reportUnknownWeights(EntryState& state, const std::vector<UnknownWeight>& weights, ExampleSizes& numbers) {
  if (weights.empty()) return;
  constexpr std::size_t mostShown = 3, mostMarked = 8;
  Checked& c = state.checked;
  const UnknownWeight& first = weights.front();
  std::vector<std::string> names;
  for (const UnknownWeight& unknown : weights) names.push_back(unknown.weight->parameter);
  const arg::Type type{printWithHoles(c, c.program[first.weight->binding].type)};
  const bool isOne = weights.size() == 1;
  Diagnostic& d = isOne ? report(state, weightTypeUnknown, first.weight->span, arg::Name{names.front()}, type)
                        : report(state, weightTypesUnknown, first.weight->span, arg::Number{names.size()}, type);
  std::vector<DimVar> sizes;
  Phrase examples = "";
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const UnknownWeight& unknown = weights[i];
    for (DimVar v : unknown.open.dims)
      if (std::ranges::find(sizes, v) == sizes.end()) sizes.push_back(v);
    if (i > 0 && i < mostMarked)
      d.addLabel(unknown.weight->span, "and this: {}",
                 arg::Type{printWithHoles(c, c.program[unknown.weight->binding].type)});
    if (unknown.other && i < mostMarked)
      d.addNote("an operator broadcasts {} with {}: any shape that fits would do",
                isOne ? Phrase("it") : Phrase("{}", arg::Name{names[i]}), arg::Shape{printShape(c, *unknown.other)});
    if (i >= mostShown || isNamed(c.solution, first.open)) continue;
    const arg::Code example{"param " + names[i] + " : " + exampleType(c, unknown.type, unknown.other, numbers)};
    examples = i == 0 ? Phrase("{}", example) : Phrase("{}, {}", examples, example);
  }
  if (weights.size() > mostMarked) d.addNote("and {} others", arg::Number{weights.size() - mostMarked});
  const Phrase them = isOne ? Phrase("it") : Phrase("them");
  if (isNamed(c.solution, first.open))
    d.addHelp("give {} sizes, as in {}, or the file that holds {}: `--weights FILE`",
              isOne ? Phrase("its") : Phrase("their"), settingOptions(c.solution, sizes, numbers), them);
  else
    d.addHelp("annotate {}, as in {}, or give the file that holds {}: `--weights FILE`", them, examples, them);
}

}  // namespace

bool checkTupleSizes(EntryState& state) {
  Checked& c = state.checked;
  for (const Pending<constraint::Repeat>& parts : pendingOf<constraint::Repeat>(c.solver)) {
    const Reason& why = c.provenance[parts.reason];
    const StaticTerm count = c.solution.types[c.solution.resolve(parts->count)];
    const std::string number = count.kind == StaticKind::dim ? c.solution.printSize(count.dim) : "_";
    ExampleSizes numbers(state);
    const auto size = count.kind == StaticKind::dim ? c.solution.dims.asVariable(count.dim) : std::nullopt;
    Diagnostic& d = report(state, tupleSizeOpen, why.span, arg::Subject{why.subject}, arg::Size{number});
    if (size && c.solution.dimVars[size->index].named)
      d.addHelp("a pattern with a name for each part says it, and so does {}",
                settingOptions(c.solution, {*size}, numbers));
    else
      d.addHelp("a pattern with a name for each part says it");
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
  std::vector<UnknownWeight> named, others;  // each are mended alike
  for (const TypedWeight& weight : c.program.weights) {
    const TypeTerm type = c.solution.types[c.solution.resolve(c.program[weight.binding].type)];
    checkNotText(state, type, textWeight, weight.span, weight.parameter);
    OpenVariables open;
    collectVariables(c.solver, c.program[weight.binding].type, open);
    if ((open.shapes.empty() && open.dims.empty()) || !used.count(weight.binding.index)) continue;
    (isNamed(c.solution, open) ? named : others).push_back(unknownWeight(c, weight, type, std::move(open)));
  }
  ExampleSizes numbers(state);
  reportUnknownWeights(state, named, numbers);
  reportUnknownWeights(state, others, numbers);
  return !state.failed;
}

bool addOutputs(EntryState& state) {
  const Solution& solution = state.checked.solution;
  const TypeTerm& function = solution.types[state.checked.solution.resolve(state.type)];
  return addOutput(state, function.kind == TypeKind::function ? function.result : state.type, "out");
}

}  // namespace axle
