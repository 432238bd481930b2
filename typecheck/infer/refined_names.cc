// Notes the names in signatures that inference made less general than they read.
#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/infer_program.h"

namespace axle {
namespace {

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
  return Label{reason->span, fmt::format("{} makes it {}", reason->subject, value)};
}

bool isRefined(const ShapePart& written, const Shape& now) {
  if (now.size() != 1 || now[0].isVar != written.isVar) return true;
  return written.isVar ? now[0].var != written.var : now[0].dim != written.dim;
}

void noteRefinedName(Checked& c, const WrittenName& name, const std::string& value, Diagnostics& diagnostics) {
  Diagnostic d;
  d.code = &codes::nameRefined;
  d.message = fmt::format("`{}` is inferred to be {}", c.sources.text(name.span), value);
  d.primary = {name.span, fmt::format("{} in every use of this function", value)};
  auto place = placeOfRefinement(c, name.is, value);
  const Span placeSpan = place ? std::get<Span>(place->place) : name.span;
  const auto source = sourceOf(c, name.is);
  if (source && !(source->span == name.span) && !(source->span == placeSpan))
    d.secondary.push_back({source->span, fmt::format("{} comes from {}", value,
                                                     source->owner.empty() ? "here" : "`" + source->owner + "`")});
  if (place) d.secondary.push_back(std::move(*place));
  diagnostics.push_back(std::move(d));
}

}  // namespace

void noteRefinedNames(Inference& in, const std::vector<WrittenName>& written) {
  for (const WrittenName& name : written) {
    if (in.refinedNames >= maxErrors) return;
    const Shape now = in.solution.resolve(Shape{name.is});
    if (!isRefined(name.is, now)) continue;
    const std::string value = name.is.isVar ? printShape(in.checked, now) : in.solution.printSize(now[0].dim);
    if (value == in.checked.sources.text(name.span)) continue;  // another size of the same name
    ++in.refinedNames;
    noteRefinedName(in.checked, name, value, in.diagnostics);
  }
}

}  // namespace axle
