// What `map` and `loop` hand to their function and collect of it, where sizes differ from round to round.
#include <algorithm>

#include "ir/codes.h"
#include "ir/lower/lowerer.h"

namespace axle::ir {

namespace {

void leaves(const Solution& solution, TypeId type, std::vector<TypeId>& into) {
  const TypeTerm& term = solution.types[type];
  if (term.kind != TypeKind::tuple) return into.push_back(type);
  for (TypeId part : term.parts) leaves(solution, part, into);
}

}  // namespace

std::optional<Lowerer::Rounds> Lowerer::roundsOver(const Application& a, std::size_t from) {
  std::optional<std::vector<Tensor>> sequences = evalSequences(a, from);
  if (!sequences) return std::nullopt;
  Rounds rounds;
  rounds.sequences = std::move(*sequences);
  for (std::size_t i = 0; i < rounds.sequences.size(); ++i) {
    rounds.types.push_back(argumentType(a, from + i));
    bool ragged = raggedShape(rounds.types.back()).has_value();
    rounds.count = ragged ? solution_.types[rounds.types.back()].shape[0].dim : fact(rounds.sequences[i]).shape[0];
    rounds.ragged = rounds.ragged || ragged;
  }
  for (std::size_t i = 0; i < rounds.sequences.size(); ++i)
    if (!raggedShape(rounds.types[i])) rounds.fed.push_back(rounds.sequences[i]);
  if (rounds.ragged) rounds.fed.push_back(countUp(rounds.count));
  if (failed_) return std::nullopt;
  for (const Tensor& sequence : rounds.fed) {
    Fact element = fact(sequence);
    element.shape.erase(element.shape.begin());
    element.value = {};
    rounds.elements.push_back(std::move(element));
  }
  return rounds;
}

// One value for each sequence, of what the body is fed.
std::optional<std::vector<Value>> Lowerer::elementsOf(const Rounds& rounds, const std::vector<Tensor>& fed,
                                                      const Closure& f, std::size_t firstParameter, Span span) {
  const TypedLambda& lambda = std::get<TypedLambda>(program_[f.lambda].node);
  std::vector<Value> values;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rounds.sequences.size(); ++i) {
    if (!raggedShape(rounds.types[i])) {
      values.push_back({fed[next++]});
      continue;
    }
    TypeId element = solution_.resolve(program_[lambda.parameters[firstParameter + i]].type, f.with);
    auto made = raggedElement(rounds.sequences[i], rounds.types[i], element, fed.back(), span);
    if (!made) return std::nullopt;
    values.push_back({*made});
  }
  return values;
}

// From the outermost length on: where the element's places end, so where its rows do.
std::optional<Tensor> Lowerer::raggedElement(const Tensor& rows, TypeId whole, TypeId element, const Tensor& index,
                                             Span span) {
  DimStore& dims = *model_.dims;
  const Shape outer = solution_.types[whole].shape, inner = solution_.types[element].shape;
  if (inner.size() + 1 != outer.size()) return unexpected("an element's rank differs", span);
  Dim zero = dims.constant(0), one = dims.constant(1), between = one, previous = one;
  std::optional<Tensor> rowEnds;
  for (std::size_t i = 1; i < outer.size(); ++i) {
    auto length = raggedLength(solution_, outer[i].dim);
    if (!length) {
      between = dims.mul(between, outer[i].dim);
      continue;
    }
    const Ragged ragged = lengthsOf(*length);
    Tensor factor = number(between);
    if (failed_) return std::nullopt;
    Tensor placeEnds = rowEnds ? integers(Op::mul, *rowEnds, factor)
                               : integers(Op::add, integers(Op::mul, index, factor), numbers({zero, between}));
    if (failed_) return std::nullopt;
    rowEnds = rowsAt(ragged.splits, placeEnds);
    if (failed_) return std::nullopt;
    auto own = i == 1 ? dims.asVariable(inner[0].dim) : std::optional(newSize(dims.name(*length)));
    Tensor first = numberAt(*rowEnds, zero), last = failed_ ? Tensor{} : numberAt(*rowEnds, one);
    if (failed_) return std::nullopt;
    if (own && !isFound(*own)) findSize(*own, integers(Op::sub, last, first), ragged.rows);
    Dim size = own ? dims.variable(*own) : inner[0].dim;
    if (i > 1) {
      auto innerLength = raggedLength(solution_, inner[i - 1].dim);
      if (!innerLength) return unexpected("an element lacks a ragged length", span);
      Tensor ends = integers(Op::add, placeEnds, numbers({zero, one}));
      Dim count = dims.add(dims.mul(previous, between), one);
      auto part = failed_ ? std::nullopt : emit(Op::segment, {ragged.splits, ends}, {}, Fact{Elem::i64, {count}, {}});
      if (!part) return std::nullopt;
      ragged_[innerLength->index] = {scope_, integers(Op::sub, *part, first), size};
    }
    previous = size;
    between = one;
  }
  std::optional<Fact> result = factOf(element, span);
  if (!result || failed_) return std::nullopt;
  return emit(Op::segment, {rows, *rowEnds}, {}, std::move(*result));
}

// A result whose ragged dimension is not its first: all before it, and it, become rows.
std::optional<Value> Lowerer::asRows(const Value& value, const std::vector<TypeId>& elements,
                                     const std::vector<TypeId>& wholes, std::size_t& leaf) {
  if (const Tuple* parts = std::get_if<Tuple>(&value.node)) {
    std::vector<Value> all;
    for (const Value& part : **parts) {
      auto one = asRows(part, elements, wholes, leaf);
      if (!one) return std::nullopt;
      all.push_back(std::move(*one));
    }
    return Value{std::make_shared<const std::vector<Value>>(std::move(all))};
  }
  std::size_t at = leaf++;
  const Tensor* t = std::get_if<Tensor>(&value.node);
  if (!t || at >= wholes.size() || at >= elements.size()) return value;
  auto ragged = raggedShape(wholes[at]);
  if (!ragged) return value;
  std::optional<Tensor> all = whole(*t);
  if (!all) return std::nullopt;
  std::vector<Dim> shape = fact(*all).shape;
  std::size_t tail = solution_.types[wholes[at]].shape.size() - ragged->axis - 1;
  if (shape.size() < tail + 1) return unexpected("a result's rank differs", program_[entry_.function].span);
  Dim rows = model_.dims->constant(1);
  for (std::size_t i = 0; i < shape.size() - tail; ++i) rows = model_.dims->mul(rows, shape[i]);
  shape.erase(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(tail));
  shape.insert(shape.begin(), rows);
  Tensor flat = shapedAs(*all, std::move(shape));
  if (failed_) return std::nullopt;
  return Value{flat};
}

// In the body: besides a result's rows the lengths of what nothing tells outside of it.
std::optional<Value> Lowerer::withLengths(Value result, TypeId element, TypeId whole, std::vector<NewLengths>& made) {
  std::vector<TypeId> elements, wholes;
  leaves(solution_, element, elements);
  leaves(solution_, whole, wholes);
  std::size_t first = 0;
  auto rows = asRows(result, elements, wholes, first);
  if (!rows) return std::nullopt;
  std::vector<Value> parts{std::move(*rows)};
  DimStore& dims = *model_.dims;
  for (std::size_t leaf = 0; leaf < wholes.size() && leaf < elements.size(); ++leaf) {
    const Shape in = solution_.types[elements[leaf]].shape, out = solution_.types[wholes[leaf]].shape;
    Dim places = dims.constant(1);
    for (std::size_t i = 1; i < out.size() && i <= in.size(); ++i) {
      DimVar length;
      bool isLength = false;
      if (auto of = raggedLength(solution_, out[i].isVar ? Dim{} : out[i].dim)) {
        length = *of;
        isLength = true;
      }
      auto inside = raggedLength(solution_, in[i - 1].dim);
      bool known = !isLength || raggedOf(length) ||
                   std::any_of(made.begin(), made.end(), [&](const NewLengths& l) { return l.length == length; });
      if (!known) {
        std::optional<Tensor> lengths;
        if (inside) {
          const Ragged own = lengthsOf(*inside);
          Dim count = placesOf(own), zero = dims.constant(0), one = dims.constant(1);
          Fact fact{Elem::i64, {count}, {}};
          auto begin = emit(Op::slice, {own.splits}, {zero, zero, one}, fact);
          auto end = begin ? emit(Op::slice, {own.splits}, {zero, one, one}, fact) : std::nullopt;
          if (end) lengths = integers(Op::sub, *end, *begin);
        } else {
          Tensor size = numbers({in[i - 1].dim});
          if (!failed_) lengths = emit(Op::broadcast, {size}, {}, Fact{Elem::i64, {places}, {}});
        }
        if (!lengths || failed_) return std::nullopt;
        parts.push_back({*lengths});
        Dim rows = inside ? lengthsOf(*inside).rows : dims.mul(places, in[i - 1].dim);
        made.push_back({length, places, rows, {}});
      }
      places = inside ? lengthsOf(*inside).rows : dims.mul(places, in[i - 1].dim);
    }
  }
  return Value{std::make_shared<const std::vector<Value>>(std::move(parts))};
}

bool Lowerer::isKnownHere(Dim dim) const {
  for (DimVar v : model_.dims->variables(dim))
    if (!symbols_.count(v.index) && !isFound(v)) return false;
  return true;
}

// The facts of the node's outputs for results of type `whole`, then for new lengths; and what the node finds.
bool Lowerer::collectedFacts(const Body& body, std::size_t states, Dim count, TypeId whole,
                             std::vector<NewLengths>& made, Node& node, std::vector<Fact>& facts, Span span) {
  std::vector<TypeId> wholes;
  leaves(solution_, whole, wholes);
  DimStore& dims = *model_.dims;
  auto behind = [&](std::size_t output, DimVar size) {  // one result after another, so many in all
    const Graph& inner = model_.graphs[scopes_[body.scope].graph.index];
    Fact fact = inner[inner.outputs[output]].fact;
    if (willFind(size, dims.mul(count, fact.shape[0])))
      node.finds.emplace_back(static_cast<std::uint32_t>(output), size);
    fact.shape[0] = dims.variable(size);
    fact.value = {};
    return fact;
  };
  for (std::size_t leaf = 0; leaf < wholes.size(); ++leaf) {
    auto ragged = solution_.types[wholes[leaf]].kind == TypeKind::tensor ? raggedShape(wholes[leaf]) : std::nullopt;
    auto fresh = made.end();
    if (ragged)
      fresh = std::find_if(made.begin(), made.end(), [&](const NewLengths& l) { return l.length == ragged->length; });
    if (fresh == made.end()) {
      if (!factsOf(wholes[leaf], facts, span, "a result")) return false;
      continue;
    }
    if (!fresh->rows) fresh->rows = newSize(dims.name(fresh->length));
    facts.push_back(behind(states + leaf, *fresh->rows));
  }
  for (std::size_t i = 0; i < made.size(); ++i)
    if (isKnownHere(made[i].places))
      facts.push_back({Elem::i64, {count, made[i].places}, {}});
    else
      facts.push_back(behind(states + wholes.size() + i, newSize("places")));
  return true;
}

bool Lowerer::keepLengths(const std::vector<Tensor>& outputs, const std::vector<NewLengths>& made, Dim count) {
  DimStore& dims = *model_.dims;
  for (std::size_t i = 0; i < made.size() && !failed_; ++i) {
    const Tensor& given = outputs[outputs.size() - made.size() + i];
    const std::vector<Dim> shape = fact(given).shape;
    Tensor splits = splitsOf(shape.size() == 1 ? given : shapedAs(given, {dims.mul(shape[0], shape[1])}));
    if (failed_) return false;
    DimVar rows = made[i].rows ? *made[i].rows : newSize(dims.name(made[i].length));
    // Lengths that others stand on are no tensor's rows: their sum is the last split.
    if (!made[i].rows) {
      Dim places = dims.sub(fact(splits).shape[0], dims.constant(1));
      findSize(rows, numberAt(splits, places), dims.mul(count, made[i].most));
    }
    ragged_[made[i].length.index] = {scope_, splits, dims.variable(rows)};
  }
  return !failed_;
}

std::optional<Value> Lowerer::lowerMap(const Application& a, const CoreOperator& core) {
  std::optional<Closure> f = function(a, 0);
  std::optional<Rounds> rounds = f ? roundsOver(a, 1) : std::nullopt;
  if (!rounds) return std::nullopt;
  Span span = a.expr->span;
  const char* where = "what `map` collects";
  TypeId element = resultOf(*f);
  std::vector<NewLengths> made;
  auto body = buildBody(rounds->elements, span, where, [&](const std::vector<Tensor>& fed) -> std::optional<Value> {
    auto arguments = elementsOf(*rounds, fed, *f, 0, span);
    auto result = arguments ? apply(*f, std::move(*arguments), span) : std::nullopt;
    return result ? withLengths(std::move(*result), element, a.type, made) : std::nullopt;
  });
  if (!body) return std::nullopt;
  Node node;
  node.op = core.op;
  node.ints = {model_.dims->constant(static_cast<std::int64_t>(rounds->fed.size()))};
  node.bodies = {scopes_[body->scope].graph};
  std::vector<Fact> facts;
  if (!collectedFacts(*body, 0, rounds->count, a.type, made, node, facts, span)) return std::nullopt;
  std::vector<Tensor> inputs = rounds->fed, captures = closeBodies({&*body});
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  auto outputs = emitNode(std::move(node), inputs, std::move(facts));
  if (!outputs || !keepLengths(*outputs, made, rounds->count)) return std::nullopt;
  std::size_t next = 0;
  return rebuild(a.type, *outputs, next);
}

std::optional<Value> Lowerer::lowerLoop(const Application& a, const CoreOperator& core) {
  std::optional<Value> startValue = eval(a.apply->arguments[0], a.frame, a.with);
  std::optional<Closure> cell = startValue ? function(a, 1) : std::nullopt;
  std::optional<Rounds> rounds = cell ? roundsOver(a, 2) : std::nullopt;
  Span span = a.expr->span;
  std::vector<Tensor> inputs;
  std::vector<Fact> facts;
  const char* where = "a loop's state or result";
  TypeTerm resultType = solution_.types[a.type];
  if (!rounds || !flatten(*startValue, inputs, span, where)) return std::nullopt;
  std::size_t states = inputs.size();
  if (resultType.kind != TypeKind::tuple || resultType.parts.size() != 2)
    return unexpected("its type differs from its state", span);
  if (!factsOf(resultType.parts[0], facts, span, where)) return std::nullopt;
  if (facts.size() != states) return unexpected("its type differs from its state", span);
  const TypeTerm& cellType = solution_.types[resultOf(*cell)];
  if (cellType.kind != TypeKind::tuple || cellType.parts.size() != 2) return unexpected("its cell gives no pair", span);
  TypeId element = cellType.parts[1];
  std::vector<Fact> fed = facts;
  fed.insert(fed.end(), rounds->elements.begin(), rounds->elements.end());
  std::vector<NewLengths> made;
  auto body = buildBody(fed, span, where, [&](const std::vector<Tensor>& in) -> std::optional<Value> {
    std::size_t next = 0;
    std::vector<Value> arguments{rebuild(resultType.parts[0], in, next)};
    auto elements = elementsOf(*rounds, {in.begin() + static_cast<std::ptrdiff_t>(states), in.end()}, *cell, 1, span);
    if (!elements) return std::nullopt;
    arguments.insert(arguments.end(), elements->begin(), elements->end());
    auto result = apply(*cell, std::move(arguments), span);
    const Tuple* pair = result ? std::get_if<Tuple>(&result->node) : nullptr;
    if (!pair || (*pair)->size() != 2) return std::nullopt;
    auto rest = withLengths((**pair)[1], element, resultType.parts[1], made);
    if (!rest) return std::nullopt;
    return Value{std::make_shared<const std::vector<Value>>(std::vector<Value>{(**pair)[0], std::move(*rest)})};
  });
  if (!body) return std::nullopt;
  Node node;
  node.op = core.op;
  node.ints = {model_.dims->constant(static_cast<std::int64_t>(states)),
               model_.dims->constant(static_cast<std::int64_t>(rounds->fed.size()))};
  node.bodies = {scopes_[body->scope].graph};
  if (!collectedFacts(*body, states, rounds->count, resultType.parts[1], made, node, facts, span)) return std::nullopt;
  inputs.insert(inputs.end(), rounds->fed.begin(), rounds->fed.end());
  std::vector<Tensor> captures = closeBodies({&*body});
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  auto outputs = emitNode(std::move(node), inputs, std::move(facts));
  if (!outputs || !keepLengths(*outputs, made, rounds->count)) return std::nullopt;
  std::size_t next = 0;
  return rebuild(a.type, *outputs, next);
}

// What a function gives, read for this instance.
TypeId Lowerer::resultOf(const Closure& f) {
  return solution_.resolve(program_[std::get<TypedLambda>(program_[f.lambda].node).body].type, f.with);
}

}  // namespace axle::ir
