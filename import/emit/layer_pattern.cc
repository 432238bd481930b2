#include "import/emit/layer_pattern.h"

#include <algorithm>

namespace axle::emit {

namespace {

using Kind = LayerTerm::Kind;

struct Reader {
  Library& library;
  Layer& layer;
};

LayerPattern patternOf(Reader& r, ScopedExpr at);
LayerPattern patternOf(Reader& r, const Head& head, LayerTerm term);

std::uint8_t indexOf(std::vector<std::string>& names, const std::string& name) {
  const auto its = std::find(names.begin(), names.end(), name);
  const auto index = static_cast<std::uint8_t>(its - names.begin());
  if (its == names.end()) names.push_back(name);
  return index;
}

LayerPattern hole(Kind kind, std::vector<std::string>& names, const std::string& name, LayerTerm term) {
  term.kind = kind;
  LayerPattern made{LayerPattern::Kind::hole, indexOf(names, name)};
  made.op = std::make_shared<const LayerTerm>(std::move(term));
  return made;
}

LayerPattern node(Kind kind, LayerTerm term, std::vector<LayerPattern> inputs) {
  term.kind = kind;
  LayerPattern made{LayerPattern::Kind::node};
  made.op = std::make_shared<const LayerTerm>(std::move(term));
  made.inputs = std::move(inputs);
  return made;
}

std::vector<LayerPattern> patternsOf(Reader& r, const std::vector<ScopedExpr>& all) {
  std::vector<LayerPattern> patterns;
  for (ScopedExpr each : all) patterns.push_back(patternOf(r, each));
  return patterns;
}

// Returns the operands of an operator. Sizes are not operands: they are checked with the types.
std::vector<LayerPattern> operandsOf(Reader& r, const Head& head) {
  if (head.name == "zeros") return {};
  if (head.name == "reshape") return {patternOf(r, head.parts[0])};
  return patternsOf(r, head.parts);
}

LayerPattern functionOf(Reader& r, const Head& head, LayerTerm term) {
  const auto& function = std::get<ast::ExprFn>(r.library[head.at].node);
  Scope* scope = r.library.innerScope(head.at.scope, &function);
  for (const ast::Parameter& parameter : function.parameters) {
    const std::string name = std::to_string(r.layer.symbols.size());  // functions may have parameters of the same name
    scope->names[parameter.name.text] = {Meaning::Kind::symbol, {}, {}, name, std::nullopt};
    term.symbols.push_back(indexOf(r.layer.symbols, name));
  }
  return node(Kind::function, std::move(term), {patternOf(r, {function.body, scope})});
}

// Makes the pattern of a literal, or of `x[0]`.
LayerPattern otherOf(Reader& r, const Head& head, LayerTerm term) {
  const auto& expr = r.library[head.at].node;
  if (std::holds_alternative<ast::ExprNumber>(expr)) return node(Kind::number, std::move(term), {});
  const auto* index = std::get_if<ast::ExprIndex>(&expr);
  if (index && index->items.size() == 1 && std::holds_alternative<ast::IndexAt>(index->items[0].node))
    return node(Kind::index, std::move(term), {patternOf(r, {index->base, head.at.scope})});
  return node(Kind::unknown, std::move(term), {});
}

LayerPattern partOf(Reader& r, const Head& head, LayerTerm term) {
  if (head.of->kind != Head::Kind::op || head.of->name != "split")
    return node(Kind::part, std::move(term), {patternOf(r, *head.of, {})});
  term.name = head.of->name;
  term.at = head.of->at;
  term.parts = head.of->parts;
  return node(Kind::split, std::move(term), operandsOf(r, *head.of));
}

LayerPattern patternOf(Reader& r, const Head& head, LayerTerm term) {
  term.name = head.name;
  term.at = head.at;
  term.parts = head.parts;
  term.part = head.part;
  switch (head.kind) {
    case Head::Kind::variable:
      return hole(Kind::value, r.layer.values, head.name, std::move(term));
    case Head::Kind::number:
      return hole(Kind::setting, r.layer.settings, head.name, std::move(term));
    case Head::Kind::symbol:
      return hole(Kind::symbol, r.layer.symbols, head.name, std::move(term));
    case Head::Kind::op:
      return node(Kind::op, std::move(term), operandsOf(r, head));
    case Head::Kind::tuple:
      return node(Kind::tuple, std::move(term), patternsOf(r, head.parts));
    case Head::Kind::part:
      return partOf(r, head, std::move(term));
    case Head::Kind::function:
      return functionOf(r, head, std::move(term));
    case Head::Kind::other:
      return otherOf(r, head, std::move(term));
    case Head::Kind::unknown:
      break;
  }
  return node(Kind::unknown, std::move(term), {});
}

LayerPattern patternOf(Reader& r, ScopedExpr at) {
  LayerTerm term;
  for (ScopedExpr named = at;;) {
    if (const auto* group = std::get_if<ast::ExprGroup>(&r.library[named].node)) {
      named.expr = group->inner;
      continue;
    }
    Scope* scope = nullptr;
    const Meaning* its = r.library.meaning(named, &scope);
    if (!its) break;
    if (its->parameter) term.arguments.push_back({scope, *its->parameter});
    if (its->kind != Meaning::Kind::expression) break;
    named = its->closed;
  }
  return patternOf(r, r.library.head(at), std::move(term));
}

}  // namespace

Layer layerOf(Library& library, const LibraryFunction& function) {
  Layer layer;
  const ScopedExpr body = library.open(function);
  layer.scope = body.scope;
  for (const ast::StaticParameter& parameter : library.functionOf(function).statics)
    layer.settings.push_back(parameter.name.text);
  Reader reader{library, layer};
  layer.pattern = patternOf(reader, body);
  return layer;
}

}  // namespace axle::emit
