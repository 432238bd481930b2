// Applies the options to an entry's type: sets sizes, shapes and ranks, and defaults what stays open.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/entry/entry_steps.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace codes {
const DiagnosticCode elementDefaulted{"N0501", Severity::note, "an open element type"};
}

namespace {

constexpr Message<arg::Name, arg::Name> noShapeToSet{codes::unknownSet, "the type of {} has no shape {} to set",
                                                     "this entry"};
constexpr Message<arg::Name, arg::Name> noSizeToSet{codes::unknownSet, "the type of {} has no dimension {} to set",
                                                    "this entry"};
constexpr Message<arg::Name, arg::ElementType, arg::Code> elementTaken{
    codes::elementDefaulted, "the element type of {} is open: {} is taken", "annotate it to choose another, as in {2}"};

ReasonId annotationReason(EntryState& state, std::string subject) {
  Reason why;
  why.kind = ReasonKind::annotation;
  why.span = state.span;
  why.subject = std::move(subject);
  return state.checked.provenance.add(std::move(why));
}

template <class Names>
bool reportUnknownSet(EntryState& state, const Message<arg::Name, arg::Name>& message, const std::string& name,
                      const Names& names) {
  Phrase known = "";
  for (const auto& [other, value] : names)
    if (!other.empty())
      known = known.text.empty() ? Phrase("{}", arg::Name{other}) : Phrase("{}, {}", known, arg::Name{other});
  Diagnostic& d = report(state, message, state.span, arg::Name{state.options.name}, arg::Name{name});
  if (known.text.empty())
    d.addHelp("it has no open size or shape");
  else
    d.addHelp("it has {}", known);
  return false;
}

bool setShapes(EntryState& state) {
  Checked& c = state.checked;
  for (const auto& [name, sizes] : state.options.shapes) {
    auto known = state.shapeNames.find(name);
    if (known == state.shapeNames.end()) return reportUnknownSet(state, noShapeToSet, name, state.shapeNames);
    Shape shape;
    for (std::int64_t size : sizes) shape.push_back(ShapePart::of(c.solution.dims.constant(size)));
    unifyShape(c.solver, known->second, shape, annotationReason(state, fmt::format("`{}`", name)));
  }
  return true;
}

bool setSizes(EntryState& state) {
  Checked& c = state.checked;
  for (const auto& [name, size] : state.options.dims) {
    auto known = state.dimNames.find(name);
    if (known == state.dimNames.end()) return reportUnknownSet(state, noSizeToSet, name, state.dimNames);
    unifyDim(c.solver, ShapePart::of(known->second), ShapePart::of(c.solution.dims.constant(size)),
             annotationReason(state, fmt::format("`--set {}={}`", name, size)));
  }
  return true;
}

// Gives an open shape this rank. A rank that is too small is rejected when the input is bound, as for any other entry.
// For a shape with several open parts, only their total rank is then known.
void setRank(EntryState& state, const OpenShape& open, std::size_t rank) {
  Checked& c = state.checked;
  const auto first = std::ranges::find_if(open.shape, [](const ShapePart& part) { return part.isVar; });
  const std::string name = c.solution.shapeVars[first->var.index].name;
  const std::size_t known = open.variables == 1 ? open.sizes : 0;
  Shape sizes;
  for (std::size_t i = known; i < std::max(rank, open.sizes); ++i)
    sizes.push_back(ShapePart::of(freshDimTerm(c.solver, name + std::to_string(i - known))));
  const Shape given = open.variables == 1 ? Shape{*first} : open.shape;
  unifyShape(c.solver, given, sizes, annotationReason(state, fmt::format("`{}`", name)));
}

// Applies the ranks of inputs until nothing changes: one input's rank may decide where another one's shape splits.
void setRanks(EntryState& state) {
  Checked& c = state.checked;
  std::set<std::string> given;
  for (bool changed = true; changed && c.solver.conflicts.empty();) {
    changed = false;
    for (const InputLeaf& input : inputLeaves(c.solution, state.type, state.parameterNames)) {
      const auto rank = state.options.inputRanks.find(input.name);
      const auto open = openShape(c.solution, input.type);
      if (rank == state.options.inputRanks.end() || !open || !given.insert(input.name).second) continue;
      changed = true;
      setRank(state, *open, rank->second);
      solve(c.solver);
    }
  }
}

}  // namespace

bool specialiseEntry(EntryState& state) {
  Checked& c = state.checked;
  if (!setShapes(state) || !setSizes(state)) return false;
  const TypeTerm function = c.solution.types[c.solution.resolve(state.type)];
  if (function.kind == TypeKind::function) {
    for (const StaticField& field : function.statics) unifyStatic(c.solver, field.value, field.defaultValue, {});
    setRanks(state);
  }
  return !reportConflict(c, state.diagnostics);
}

namespace {

// Reports the inputs whose element type was this variable, which is now bound. `inputs` have the types from before.
void noteDefault(EntryState& state, const std::vector<InputLeaf>& inputs, ElemVar defaulted) {
  Checked& c = state.checked;
  for (const InputLeaf& input : inputs) {
    const TypeTerm& tensor = c.solution.types[input.type];
    if (tensor.kind != TypeKind::tensor || tensor.elem != ElemTerm::of(defaulted)) continue;
    const std::string_view taken = info(c.solution.resolve(tensor.elem).elem).name;
    const arg::Code annotated{input.name + " : " + printType(c, input.type)};
    report(state.diagnostics, elementTaken, spanOf(state, input), arg::Name{input.name}, arg::ElementType{taken},
           annotated);
  }
}

}  // namespace

void defaultElements(EntryState& state) {
  Checked& c = state.checked;
  std::set<std::uint32_t> ofInputs;
  const std::vector<InputLeaf> inputs = inputLeaves(c.solution, state.type, state.parameterNames);
  for (const InputLeaf& input : inputs) {
    OpenVariables v;
    collectVariables(c.solver, input.type, v);
    for (ElemVar e : v.elems) ofInputs.insert(e.index);
  }
  for (std::uint32_t i = 0; i < c.solution.elemVars.size(); ++i) {
    ElemVarInfo& e = c.solution.elemVars.edit(i);
    if (e.binding || e.level == genericLevel) continue;
    const bool isInput = ofInputs.count(i) > 0;
    const bool isInteger = e.elemClass == ElemClass::integer || (e.elemClass == ElemClass::num && !isInput);
    e.binding = ElemTerm::of(isInteger ? Elem::i64 : Elem::f32);
    if (isInput) noteDefault(state, inputs, ElemVar{i});
  }
}

}  // namespace axle
