#include "import/emit/match.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "import/emit/operator_syntax.h"

namespace axle::emit {

namespace {

double realOf(const ast::ExprNumber& number) {
  const double magnitude = number.form == ast::NumberForm::inf ? HUGE_VAL : number.real;
  return number.negative ? -magnitude : magnitude;
}

// Computes a size of a type or of an expression.
template <class Op>
std::optional<Dim> computed(DimStore& dims, Op op, std::optional<Dim> a, std::optional<Dim> b) {
  if (!a || !b) return std::nullopt;
  if (op == Op::add) return dims.add(*a, *b);
  if (op == Op::sub) return dims.sub(*a, *b);
  if (op == Op::mul) return dims.mul(*a, *b);
  return std::nullopt;
}

}  // namespace

NodeId Matcher::throughNames(NodeId id, Match& match) const {
  while (true) {
    id = withoutAscription(p_, id);
    if (p_[id].kind != NodeKind::symbol) return id;
    const auto* its = definitions_.find(p_[id].symbol);
    if (!its || !its->isWhole) return id;
    match.throughNames.insert(id.index);
    id = its->value;
  }
}

bool Matcher::areEqual(NodeId a, NodeId b) const {
  if (a == b) return true;
  const Node &x = p_[a], &y = p_[b];
  if (x.kind != y.kind || x.text != y.text || x.symbol != y.symbol || x.parts.size() != y.parts.size()) return false;
  if (x.kind == NodeKind::function || !x.named.empty() || !y.named.empty()) return false;
  for (std::size_t i = 0; i < x.parts.size(); ++i)
    if (!areEqual(x.parts[i], y.parts[i])) return false;
  return true;
}

// ---- the program, for patterns

bool Matcher::bind(const LayerPattern& hole, NodeId value, Match& match) {
  const LayerTerm& term = *hole.op;
  for (const LayerTerm::Argument& its : term.arguments) match.typed.push_back({its.scope, its.parameter, value});
  switch (term.kind) {
    case LayerTerm::Kind::value:
      return bindValue(hole.index, value, match);
    case LayerTerm::Kind::setting:
      return bindSetting(hole.index, throughNames(value, match), match);
    default:
      return p_[value].kind == NodeKind::symbol && p_[value].symbol == match.symbols[hole.index];
  }
}

bool Matcher::bindValue(std::size_t hole, NodeId value, Match& match) const {
  value = withoutAscription(p_, value);
  const Node& node = p_[value];
  const bool isTuple =
      node.kind == NodeKind::tuple &&
      std::all_of(node.parts.begin(), node.parts.end(), [&](NodeId part) { return p_[part].kind == NodeKind::symbol; });
  if (node.kind != NodeKind::symbol && !isTuple) return false;
  match.values.resize(layer_.values.size());
  if (match.values[hole]) return areEqual(match.values[hole], value);
  match.values[hole] = value;
  return true;
}

bool Matcher::bindSetting(std::size_t hole, NodeId value, Match& match) const {
  if (!numberOf(p_, value)) return false;
  match.settings.resize(layer_.settings.size());
  NodeId& known = match.settings[hole];
  if (known) return isSameNumber(numberOf(p_, known).value_or(NAN), p_, value);
  known = withoutAscription(p_, value);
  return true;
}

Matcher::Operands Matcher::enter(const LayerPattern& pattern, NodeId value, Match& match) {
  const LayerTerm& term = *pattern.op;
  for (const LayerTerm::Argument& its : term.arguments) match.typed.push_back({its.scope, its.parameter, value});
  switch (term.kind) {
    case LayerTerm::Kind::op:
      return enterOp(term, throughNames(value, match), match);
    case LayerTerm::Kind::part:
    case LayerTerm::Kind::split:
      return enterPart(term, value, match);
    case LayerTerm::Kind::function:
      return enterFunction(term, value, match);
    case LayerTerm::Kind::tuple:
      value = throughNames(value, match);
      return p_[value].kind == NodeKind::tuple ? Operands(p_[value].parts) : std::nullopt;
    case LayerTerm::Kind::index:
      value = throughNames(value, match);
      return isAt(term, value) ? Operands({p_[value].parts[0]}) : std::nullopt;
    case LayerTerm::Kind::number: {
      value = throughNames(value, match);
      const bool isIt =
          numberOf(p_, value) && isSameNumber(realOf(std::get<ast::ExprNumber>(library_[term.at].node)), p_, value);
      return isIt ? Operands(std::in_place) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool Matcher::isAt(const LayerTerm& index, NodeId value) const {
  const Node& node = p_[value];
  if (node.kind != NodeKind::index || node.items.size() != 1 || node.items[0].kind != IndexItem::Kind::at) return false;
  const auto& at = std::get<ast::IndexAt>(std::get<ast::ExprIndex>(library_[index.at].node).items[0].node);
  const auto* number = std::get_if<ast::ExprNumber>(&library_[{at.index, index.at.scope}].node);
  return number && fmt::format("{}", number->integer) == node.items[0].start;
}

// Matches a name that a statement binds to one of several values; for a `split` also a slice.
Matcher::Operands Matcher::enterPart(const LayerTerm& term, NodeId value, Match& match) {
  const Node& node = p_[value];
  const bool ofSplit = term.kind == LayerTerm::Kind::split;
  const auto* its = node.kind == NodeKind::symbol ? definitions_.find(node.symbol) : nullptr;
  if (!its || its->isWhole) return ofSplit ? enterSlice(term, value, match) : std::nullopt;
  if (its->part != term.part) return std::nullopt;
  match.throughNames.insert(value.index);
  return ofSplit ? enterOp(term, throughNames(its->value, match), match) : Operands({its->value});
}

// Matches a slice that is one part of a `split`.
Matcher::Operands Matcher::enterSlice(const LayerTerm& split, NodeId value, Match& match) {
  const NodeId slice = throughNames(value, match);
  if (!p_.isCall(slice, "slice") || namedOf(p_, slice, "step")) return std::nullopt;
  const NodeId whole = p_[slice].parts[0];
  auto sizes = shapes_.sizes(p_[whole].type);
  const auto& call = std::get<ast::ExprCall>(library_[split.at].node);
  std::optional<std::int64_t> parts, axis = 0;
  for (const ast::NamedArgument& named : call.named) {
    auto text = canonicalText(ScopedExpr{named.value, split.at.scope}, ast::Sort::integer, 0);
    if (!text) return std::nullopt;
    (named.name.text == "parts" ? parts : axis) = std::strtoll(text->c_str(), nullptr, 10);
  }
  if (!sizes || !parts || !axis || *parts < 1) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(sizes->size());
  const std::int64_t at = *axis < 0 ? *axis + rank : *axis;
  auto sliced = integersOf(p_, namedOf(p_, slice, "axis"));
  std::int64_t slicedAt = sliced ? sliced->front() : 0;
  if (slicedAt < 0) slicedAt += rank;
  if (slicedAt != at || at < 0 || at >= rank) return std::nullopt;
  auto size = shapes_.constant((*sizes)[static_cast<std::size_t>(at)]);
  if (!size || *size % *parts != 0) return std::nullopt;
  const std::int64_t width = *size / *parts, start = width * static_cast<std::int64_t>(split.part);
  auto from = integersOf(p_, namedOf(p_, slice, "start")), to = integersOf(p_, namedOf(p_, slice, "stop"));
  if ((from ? from->front() : 0) != start || (to ? to->front() : *size) != start + width) return std::nullopt;
  return Operands({whole});
}

Matcher::Operands Matcher::enterFunction(const LayerTerm& term, NodeId value, Match& match) const {
  if (p_[value].kind != NodeKind::function) return std::nullopt;
  const Function& its = p_[p_[value].function];
  if (its.parameters.size() != term.symbols.size()) return std::nullopt;
  match.symbols.resize(layer_.symbols.size());
  for (std::size_t i = 0; i < term.symbols.size(); ++i) match.symbols[term.symbols[i]] = its.parameters[i].symbol;
  return Operands({its.body.result});
}

Matcher::Operands Matcher::enterOp(const LayerTerm& term, NodeId value, Match& match) {
  const Node& node = p_[value];
  if (node.kind != NodeKind::call) return std::nullopt;
  // Records that a list of sizes must be the shape of the result.
  const auto sizesOf = [&](std::size_t at) {
    const auto* list = at < term.parts.size() ? std::get_if<ast::ExprList>(&library_[term.parts[at]].node) : nullptr;
    if (!list || !node.type) return false;
    match.sized.push_back({term.parts[at].scope, list->items, *node.type});
    return true;
  };
  const Operands none(std::in_place);
  if (term.name == "zeros" && node.text == "full")
    return numberOf(p_, node.parts[1]) == 0 && sizesOf(0) ? none : std::nullopt;
  if (term.name == "cast" && node.symbol && p_[node.symbol].origin.starts_with("to_")) return node.parts;
  if (term.name == "swap_axes" && node.text == "transpose") {
    auto order = integersOf(p_, namedOf(p_, value, "perm"));
    const bool isSwap = order && order->size() >= 2 && (*order)[0] == 1 && (*order)[1] == 0 &&
                        std::is_sorted(order->begin() + 2, order->end());
    auto a = canonicalText(term.at, ast::Sort::integer, 0);
    return isSwap && a && *a == "a=0 b=1" ? Operands(node.parts) : std::nullopt;
  }
  if (node.symbol || node.text != term.name) return std::nullopt;
  if (term.name == "zeros") return sizesOf(0) ? none : std::nullopt;
  if (term.name == "reshape") return sizesOf(1) ? Operands({node.parts[0]}) : std::nullopt;
  return matchAttributes(term, value, match) ? Operands(p_[value].parts) : std::nullopt;
}

// ---- static arguments

std::string Matcher::canonicalText(const std::string& text, ast::Sort sort, std::size_t rank) const {
  if (sort != ast::Sort::axis && sort != ast::Sort::axes) return text;
  std::vector<std::int64_t> axes;
  const char* at = text.c_str();
  while (*at) {
    char* end = nullptr;
    const std::int64_t axis = std::strtoll(at, &end, 10);
    if (end != at) axes.push_back(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
    at = end == at ? at + 1 : end;
  }
  if (axes.empty()) return text;
  std::sort(axes.begin(), axes.end());
  std::string out;
  for (std::int64_t axis : axes) out += fmt::format("{} ", axis);
  return out;
}

std::string Matcher::canonicalText(NodeId id, ast::Sort sort, std::size_t rank) const {
  const Node& node = p_[id];
  std::string text = node.kind == NodeKind::hole ? "_" : node.text;
  if (auto number = numberOf(p_, id)) text = fmt::format("{}", *number);
  if (node.kind == NodeKind::list) {
    text = "[";
    for (NodeId part : node.parts) text += canonicalText(part, ast::Sort::integer, 0) + " ";
    text += "]";
  }
  return canonicalText(text, sort, rank);
}

std::optional<std::string> Matcher::canonicalText(ScopedExpr at, ast::Sort sort, std::size_t rank) {
  const Head head = library_.head(at);
  if (head.kind == Head::Kind::op && head.name == "swap_axes") {
    std::string out;
    for (const ast::NamedArgument& named : std::get<ast::ExprCall>(library_[head.at].node).named) {
      auto text = canonicalText(ScopedExpr{named.value, head.at.scope}, ast::Sort::integer, 0);
      out += (out.empty() ? "" : " ") + named.name.text + "=" + text.value_or("?");
    }
    return out;
  }
  if (head.kind != Head::Kind::other) return std::nullopt;
  const auto& node = library_[head.at].node;
  std::string text;
  if (const auto* number = std::get_if<ast::ExprNumber>(&node)) {
    text = fmt::format("{}", realOf(*number));
  } else if (const auto* word = std::get_if<ast::ExprString>(&node)) {
    text = "\"" + word->value + "\"";
  } else if (const auto* truth = std::get_if<ast::ExprBool>(&node)) {
    text = truth->value ? "true" : "false";
  } else if (const auto* list = std::get_if<ast::ExprList>(&node)) {
    text = "[";
    for (ast::ExprId item : list->items) {
      auto its = canonicalText(ScopedExpr{item, head.at.scope}, ast::Sort::integer, 0);
      if (!its) return std::nullopt;
      text += *its + " ";
    }
    text += "]";
  } else {
    return std::nullopt;
  }
  return canonicalText(text, sort, rank);
}

bool Matcher::matchAttributes(const LayerTerm& term, NodeId value, Match& match) {
  const Node node = p_[value];
  auto op = library_.operators().find(term.name, term.parts.size());
  if (!op) return false;
  const OperatorTable::Entry& entry = library_.operators()[*op];
  std::size_t rank = 0;
  if (!node.parts.empty())
    if (auto sizes = shapes_.sizes(p_[node.parts[0]].type)) rank = sizes->size();
  const auto* call = std::get_if<ast::ExprCall>(&library_[term.at].node);
  for (std::size_t i = 0; i < entry.decl->attributes.size(); ++i) {
    const ast::OpAttribute& attribute = entry.decl->attributes[i];
    const NodeId is = namedOf(p_, value, attribute.name.text);
    std::optional<ScopedExpr> wanted;
    if (call)
      for (const ast::NamedArgument& named : call->named)
        if (named.name.text == attribute.name.text) wanted = {named.value, term.at.scope};
    if (!is && !wanted) continue;
    std::string otherwise = defaultOf(entry, i);
    for (const Named& other : node.named)  // a default that is another attribute
      if (other.name == otherwise && !is) otherwise = canonicalText(other.value, attribute.sort, rank);
    if (!otherwise.empty() && otherwise.front() == '[') {
      otherwise = "[";  // in the canonical spelling
      const ast::Module& module = *entry.module;
      if (const auto* list = std::get_if<ast::ExprList>(&module[attribute.defaultValue].node))
        for (ast::ExprId item : list->items)
          if (const auto* number = std::get_if<ast::ExprNumber>(&module[item].node))
            otherwise += fmt::format("{} ", realOf(*number));
      otherwise += "]";
    }
    if (wanted) {
      const Head its = library_.head(*wanted);
      if (its.kind == Head::Kind::number) {
        const NodeId given = is ? is : p_.literal(defaultOf(entry, i));
        match.settings.resize(layer_.settings.size());
        NodeId& known = match.settings[layer_.setting(its.name)];
        if (!known) known = given;
        if (canonicalText(known, attribute.sort, rank) != canonicalText(given, attribute.sort, rank)) return false;
        continue;
      }
    }
    if (wanted && is && library_.head(*wanted).kind != Head::Kind::other) {
      auto numbers = integersOf(p_, is);
      if (!numbers || numbers->size() != 1) return false;
      match.counted.push_back({*wanted, numbers->front()});
      continue;
    }
    auto want = wanted ? canonicalText(*wanted, attribute.sort, rank)
                       : std::optional(canonicalText(otherwise, attribute.sort, rank));
    if (!want ||
        *want != (is ? canonicalText(is, attribute.sort, rank) : canonicalText(otherwise, attribute.sort, rank)))
      return false;
  }
  return true;
}

// ---- types

bool Matcher::typesMatch(const Match& match) {
  std::map<const Scope*, Signature> signatures;
  for (const Match::Typed& typed : match.typed) {
    if (!typed.scope->function || typed.parameter >= typed.scope->function->parameters.size()) continue;
    const ast::Parameter& parameter = typed.scope->function->parameters[typed.parameter];
    if (!parameter.type) continue;
    if (!matchType(library_.module(*typed.scope), parameter.type, typed.value, signatures[typed.scope])) return false;
  }
  for (const auto& [scope, signature] : signatures)
    for (const auto& [dim, size] : signature.later)
      if (valueOf(library_.module(*scope), dim, signature.sizes) != std::optional(size)) return false;
  for (const Match::Counted& counted : match.counted) {
    auto size = valueOf(*counted.at.scope, counted.at.expr, signatures);
    if (!size || shapes_.constant(*size) != counted.is) return false;
  }
  for (const Match::Sized& sized : match.sized) {
    auto is = shapes_.sizes(sized.type);
    if (!is || is->size() != sized.sizes.size()) return false;
    for (std::size_t i = 0; i < is->size(); ++i)
      if (valueOf(*sized.scope, sized.sizes[i], signatures) != std::optional((*is)[i])) return false;
  }
  return true;
}

bool Matcher::matchType(const ast::Module& module, ast::TypeId type, NodeId value, Signature& signature) const {
  const auto& node = module[type].node;
  if (const auto* tuple = std::get_if<ast::TypeTuple>(&node)) {
    if (p_[value].kind != NodeKind::tuple) return true;  // a name of a tuple whose parts were matched separately
    if (p_[value].parts.size() != tuple->parts.size()) return false;
    for (std::size_t i = 0; i < tuple->parts.size(); ++i)
      if (!matchType(module, tuple->parts[i], p_[value].parts[i], signature)) return false;
    return true;
  }
  const auto* tensor = std::get_if<ast::TypeTensor>(&node);
  if (!tensor) return true;
  if (auto elem = elemNamed(tensor->elem); elem && shapes_.elem(p_[value].type) != elem) return false;
  auto sizes = shapes_.sizes(p_[value].type);
  return sizes && (!tensor->shape || bindShape(module, tensor->shape, *sizes, signature));
}

bool Matcher::bindShape(const ast::Module& module, ast::ShapeId shape, const std::vector<Dim>& sizes,
                        Signature& signature) const {
  const auto& node = module[shape].node;
  if (const auto* name = std::get_if<ast::ShapeName>(&node)) {
    auto [known, isNew] = signature.shapes.emplace(name->name, sizes);
    return isNew || known->second == sizes;
  }
  if (const auto* dims = std::get_if<ast::ShapeDims>(&node)) {
    if (dims->dims.size() != sizes.size()) return false;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (!bindSize(module, dims->dims[i], sizes[i], signature)) return false;
    return true;
  }
  const auto* parts = std::get_if<ast::ShapeAppend>(&node);
  if (!parts || parts->parts.size() != 2) return false;
  // One part is a name, the other one has a fixed number of sizes.
  const auto* front = std::get_if<ast::ShapeDims>(&module[parts->parts[0]].node);
  const auto* back = std::get_if<ast::ShapeDims>(&module[parts->parts[1]].node);
  const std::size_t fixed = front ? front->dims.size() : back ? back->dims.size() : sizes.size() + 1;
  if (fixed > sizes.size() || (front && back)) return false;
  const auto cut = sizes.begin() + static_cast<std::ptrdiff_t>(front ? fixed : sizes.size() - fixed);
  return bindShape(module, parts->parts[0], {sizes.begin(), cut}, signature) &&
         bindShape(module, parts->parts[1], {cut, sizes.end()}, signature);
}

bool Matcher::bindSize(const ast::Module& module, ast::DimId dim, Dim size, Signature& signature) const {
  const auto& node = module[dim].node;
  if (const auto* name = std::get_if<ast::DimName>(&node))
    return signature.sizes.emplace(name->name, size).first->second == size;
  if (const auto* number = std::get_if<ast::DimInt>(&node))
    return shapes_.constant(size) == static_cast<std::int64_t>(number->value);
  signature.later.emplace_back(dim, size);
  return true;
}

std::optional<Dim> Matcher::valueOf(const ast::Module& module, ast::DimId dim, const Sizes& sizes) const {
  const auto& node = module[dim].node;
  if (const auto* name = std::get_if<ast::DimName>(&node)) {
    auto its = sizes.find(name->name);
    return its == sizes.end() ? std::nullopt : std::optional(its->second);
  }
  if (const auto* number = std::get_if<ast::DimInt>(&node))
    return shapes_.dims().constant(static_cast<std::int64_t>(number->value));
  const auto* both = std::get_if<ast::DimBinary>(&node);
  if (!both) return std::nullopt;
  return computed(shapes_.dims(), both->op, valueOf(module, both->left, sizes), valueOf(module, both->right, sizes));
}

std::optional<Dim> Matcher::valueOf(const Scope& scope, ast::ExprId expr,
                                    const std::map<const Scope*, Signature>& all) const {
  const auto& node = library_.module(scope)[expr].node;
  if (const auto* name = std::get_if<ast::ExprName>(&node)) {
    for (const Scope* at = &scope; at; at = at->outer)
      if (auto its = all.find(at); its != all.end())
        if (auto size = its->second.sizes.find(name->name); size != its->second.sizes.end()) return size->second;
    return std::nullopt;
  }
  if (const auto* number = std::get_if<ast::ExprNumber>(&node))
    return shapes_.dims().constant(static_cast<std::int64_t>(number->integer));
  const auto* both = std::get_if<ast::ExprBinary>(&node);
  if (!both) return std::nullopt;
  return computed(shapes_.dims(), both->op, valueOf(scope, both->left, all), valueOf(scope, both->right, all));
}

}  // namespace axle::emit
