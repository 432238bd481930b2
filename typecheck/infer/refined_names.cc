// Notes the names in signatures that inference made less general than they read.
#include "typecheck/infer/infer_program.h"

namespace axle {
namespace {

constexpr Message<arg::Name, arg::Size> refinedName{codes::nameRefined, "{} is inferred to be {}",
                                                    "{1} in every use of this function"};

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

void noteRefinedName(Checked& c, const WrittenName& name, const std::string& value, Diagnostics& diagnostics) {
  Diagnostic& d = report(diagnostics, refinedName, name.span, arg::Name{c.sources.text(name.span)}, arg::Size{value});
  auto place = placeOfRefinement(c, name.is, value);
  const Span placeSpan = place ? std::get<Span>(place->place) : name.span;
  const auto source = sourceOf(c, name.is);
  if (source && !(source->span == name.span) && !(source->span == placeSpan))
    d.addLabel(source->span, "{} comes from {}", arg::Size{value},
               source->owner.empty() ? Phrase("here") : Phrase("{}", arg::Name{source->owner}));
  if (place) d.secondary.push_back(std::move(*place));
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
