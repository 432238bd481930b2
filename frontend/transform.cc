#include "frontend/transform.h"

namespace axle::transform {

namespace {
constexpr Message<Phrase> expectedBeforeComma{codes::syntax, "expected {} before `,`"};
constexpr Message<arg::Number> operationsTooDeep{codes::nestedTooDeeply, "nested too deeply",
                                                 "this is more than {} operations deep"};
}  // namespace

Span State::span(const Rule* context) const {
  Span first = span(context->start);
  return context->stop == nullptr ? first
                                  : Span{first.source, first.begin, std::max(first.begin, span(context->stop).end)};
}

std::vector<Rule*> State::items(const Rule* context, std::size_t first, std::size_t last, Format<> noun) {
  std::vector<Rule*> found;
  bool gap = true;
  for (std::size_t i = first; i < last; ++i) {
    Token* comma = tokenIf(context->children[i]);
    if (comma == nullptr)
      found.push_back(rule(context->children[i]));
    else if (gap && view(span(comma)) == ",")
      error(expectedBeforeComma, span(comma), noun);
    gap = comma != nullptr;
  }
  return found;
}

ast::PatternId State::addPattern(Span span, decltype(ast::Pattern::node) node) {
  module.patterns.push_back({span, std::move(node)});
  return {static_cast<std::uint32_t>(module.patterns.size() - 1)};
}

void State::reportTooDeep(Span span) {
  if (reportedTooDeep_) return;
  reportedTooDeep_ = true;
  error(operationsTooDeep, span, arg::Number{maxDepth}).addHelp("give inner parts names of their own");
}
ast::ExprId State::tooDeep(Span span) {
  reportTooDeep(span);
  return addExprAt(span, ast::ExprError{}, 0);
}
ast::DimId State::tooDeepDim(Span span) {
  reportTooDeep(span);
  return addDim(span, ast::DimHole{});
}
ast::TypeId State::tooDeepType(Span span) {
  reportTooDeep(span);
  return addType(span, ast::TypeHole{});
}

}  // namespace axle::transform
