#include <algorithm>

#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"
#include "ir/lower/run_sizes.h"

namespace axle::codes {

const DiagnosticCode raggedOperator{"E0517", Severity::error, "an operator that ragged tensors cannot be compiled for"};

}  // namespace axle::codes

namespace axle::ir::lowering {

const RaggedLengths* findRaggedLengths(const Context& c, DimVar length) {
  auto known = c.raggedLengths.find(length.index);
  return known != c.raggedLengths.end() && isEnclosing(c, known->second.scope) ? &known->second : nullptr;
}

std::vector<DimVar> raggedLengthsOf(const Context& c, TypeId tensor) {
  std::vector<DimVar> lengths;
  const TypeTerm& term = c.type(tensor);
  if (term.kind != TypeKind::tensor) return lengths;
  for (const ShapePart& part : term.shape)
    if (auto length = part.isVar ? std::nullopt : raggedLength(c.solution, part.dim)) lengths.push_back(*length);
  return lengths;
}

std::optional<RaggedDimension> raggedDimension(const Context& c, TypeId type) {
  const Shape& shape = c.type(type).shape;
  RaggedDimension out;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (auto length = shape[i].isVar ? std::nullopt : raggedLength(c.solution, shape[i].dim)) {
      out.length = *length;
      out.axis = i;
    }
  if (out.axis == 0) return std::nullopt;
  return out;
}

RaggedLengths requireRaggedLengths(Context& c, DimVar length) {
  if (const RaggedLengths* known = findRaggedLengths(c, length)) return *known;
  reportBug(c, "the lengths of a ragged tensor are not known", c.spans.empty() ? Span{} : c.spans.back());
  return {c.scope, {}, c.dims().constant(0)};
}

std::vector<Dim> dimsAfter(const Context& c, TypeId type, const RaggedDimension& ragged) {
  std::vector<Dim> tail;
  const Shape& shape = c.type(type).shape;
  for (std::size_t i = ragged.axis + 1; i < shape.size(); ++i) tail.push_back(shape[i].dim);
  return tail;
}

Dim segmentCount(Context& c, const RaggedLengths& lengths) {
  if (c.failed) return c.dims().constant(0);
  return c.dims().sub(fact(c, lengths.splits).shape[0], c.dims().constant(1));
}

bool usesRagged(Context& c, const Application& a) {
  auto ragged = [&](auto& self, TypeId type) -> bool {
    const TypeTerm& term = c.type(type);
    if (term.kind == TypeKind::tuple)
      return std::any_of(term.parts.begin(), term.parts.end(), [&](TypeId part) { return self(self, part); });
    return !raggedLengthsOf(c, type).empty();
  };
  if (ragged(ragged, a.type)) return true;
  for (std::size_t i = 0; i < a.apply->arguments.size(); ++i)
    if (ragged(ragged, argumentType(c, a, i))) return true;
  return false;
}

namespace {

constexpr Message<arg::Name> noRaggedRule{codes::raggedOperator, "{} of ragged tensors cannot be compiled",
                                          "this application"};
constexpr Message<arg::Name, Phrase> raggedRuleRefuses{
    codes::raggedOperator, "{} of ragged tensors cannot be compiled: {}", "this application"};
constexpr Format<> mapOverSegments{
    "within a `map` over the dimensions before it a ragged dimension has one size, which every operator takes"};

}  // namespace

std::nullopt_t failRagged(Context& c, const Application& a, const CoreOperator& core) {
  return fail(c, Diagnostic(noRaggedRule, a.span(), arg::Name{core.name}).addHelp(mapOverSegments));
}

std::nullopt_t failRagged(Context& c, const Application& a, const CoreOperator& core, Format<> reason) {
  return fail(c,
              Diagnostic(raggedRuleRefuses, a.span(), arg::Name{core.name}, Phrase(reason)).addHelp(mapOverSegments));
}

}  // namespace axle::ir::lowering
