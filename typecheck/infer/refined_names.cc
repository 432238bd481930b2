// Reports the names in signatures that inference made less general than they read. The size that a parameter of an
// entry or a `param` names is a promise to whoever feeds it: a warning, or an error where the program is to be built or
// run.
#include <algorithm>

#include "typecheck/infer/infer_program.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<arg::Name, arg::Size> refinedName{codes::nameRefined, "{} is inferred to be {}",
                                                    "{1} in every use of this function"};
constexpr Message<arg::Name, arg::Size> promisedSizeNarrowed{
    codes::promiseNarrowed, "{} is not free: the program makes it {}", "reads as any size"};
constexpr Message<arg::Name, arg::Size> narrowedSizeRefused{
    codes::narrowingRefused, "{} is not free: the program makes it {}", "reads as any size"};

// The application that gave a written size its value; for one inside of a function, the use of that function.
std::optional<Label> placeOfRefinement(const Checked& c, const ShapePart& written, const std::string& value) {
  ReasonId why;
  if (written.isVar)
    why = c.solution.shapeVars[written.var.index].boundWhy;
  else if (auto v = c.solution.dims.asVariable(written.dim))
    why = c.solution.dimVars[v->index].boundWhy;
  if (!why.index || c.provenance[why].kind == ReasonKind::where) return std::nullopt;
  const Reason* reason = &c.provenance[why];
  while (reason->within.index) reason = &c.provenance[reason->within];
  if (reason->subject.empty()) return std::nullopt;
  return Label{reason->span, Phrase("{} makes it {}", arg::Subject{reason->subject}, arg::Size{value}).text};
}

bool isRefined(const ShapePart& written, const Shape& now) {
  if (now.size() != 1 || now[0].isVar != written.isVar) return true;
  return written.isVar ? now[0].var != written.var : now[0].dim != written.dim;
}

// A size that only the weights decide: its value comes from their file, or it is named by other `param`s.
bool isDecidedByWeights(Inference& in, const ShapePart& written, Dim now) {
  const Solution& solution = in.solution;
  if (solution.dims.asConstant(now)) {
    const std::vector<OriginId> origins = originsOf(in.solver, written);
    return std::ranges::any_of(origins, [&](OriginId id) { return !in.provenance[id].file.empty(); });
  }
  OpenVariables ofWeights;
  for (const TypedWeight& weight : in.program.weights)
    collectVariables(in.solver, in.program.bindings[weight.binding.index].type, ofWeights);
  return std::ranges::all_of(solution.dims.variables(now),
                             [&](DimVar v) { return std::ranges::find(ofWeights.dims, v) != ofWeights.dims.end(); });
}

bool isNarrowed(Inference& in, const WrittenName& name, const Shape& now) {
  if (name.by == NamedBy::signature || name.is.isVar || now.size() != 1 || now[0].isVar) return false;
  const auto variable = in.solution.dims.asVariable(name.is.dim);
  if (!variable) return false;
  const ReasonId why = in.solution.dimVars[variable->index].boundWhy;
  if (why.index && in.provenance[why].kind == ReasonKind::where) return false;  // the signature says so itself
  return !isDecidedByWeights(in, name.is, now[0].dim);
}

const Message<arg::Name, arg::Size>& messageFor(const Inference& in, bool isNarrowed) {
  if (!isNarrowed || in.options.narrowing == Narrowing::allowed) return refinedName;
  return in.options.narrowing == Narrowing::refused ? narrowedSizeRefused : promisedSizeNarrowed;
}

void reportRefinedName(Inference& in, const WrittenName& name, const std::string& value, bool isNarrowed) {
  Checked& c = in.checked;
  const arg::Name written{c.sources.text(name.span)};
  const arg::Size size{value};
  const auto& message = messageFor(in, isNarrowed);
  Diagnostic& d = report(in.diagnostics, message, name.span, written, size);
  auto place = placeOfRefinement(c, name.is, value);
  const Span placeSpan = place ? std::get<Span>(place->place) : name.span;
  const auto source = sourceOf(c, name.is);
  const bool isElsewhere = source && !(source->span == name.span) && !(source->span == placeSpan);
  if (isElsewhere)
    d.addLabel(source->span, "{} comes from {}", size,
               source->owner.empty() ? Phrase("here") : Phrase("{}", arg::Name{source->owner}));
  if (place) d.secondary.push_back(*place);
  if (&message == &refinedName) return;
  d.addHelp("write {} instead of {} if no other size is meant", arg::Code{value}, written);
  d.fixes.push_back({d.help.back(), {{name.span, value}}});
  const bool isNumber = in.solution.dims.asConstant(in.solution.resolve(name.is.dim)).has_value();
  if (isNumber && isElsewhere && c.sources.text(source->span) == value)
    d.addHelp("to keep it open, write {} also where {} comes from", written, size);
  else if (place && isNumber)
    d.addHelp("to keep it open, change what makes it {}", size);
}

}  // namespace

void noteRefinedNames(Inference& in, const std::vector<WrittenName>& written) {
  for (const WrittenName& name : written) {
    const Shape now = in.solution.resolve(Shape{name.is});
    if (!isRefined(name.is, now)) continue;
    const std::string value = name.is.isVar ? printShape(in.checked, now) : in.solution.printSize(now[0].dim);
    if (value == in.checked.sources.text(name.span)) continue;  // another size of the same name
    const bool narrowed = isNarrowed(in, name, now);
    if (name.by == NamedBy::weight && !narrowed) continue;  // its file decides
    if (in.refinedNames++ >= maxErrors) return;
    reportRefinedName(in, name, value, narrowed);
  }
}

}  // namespace axle
