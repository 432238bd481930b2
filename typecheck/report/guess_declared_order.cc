// Guesses of declarations whose sizes stand in another order, are of another layer, or make a window or image that is
// not square.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostOdd = 3;  // of the declarations that differ from the others

// A `param` whose sizes are written as numbers.
struct Written {
  const ast::Param* param;
  std::vector<Span> places;
  std::vector<std::int64_t> sizes;
};

std::vector<Written> writtenParams(const Guesser& g) {
  constexpr std::uint64_t most = INT32_MAX;
  std::vector<Written> all;
  for (const ast::Item& item : g.module.items) {
    const auto* param = std::get_if<ast::Param>(&item);
    const auto sizes = param ? declaredSizesOf(g.module, param->type) : std::vector<const ast::Dim*>();
    Written written{param, {}, {}};
    for (const ast::Dim* size : sizes)
      if (const auto* number = std::get_if<ast::DimInt>(&size->node); number && number->value <= most) {
        written.places.push_back(size->span);
        written.sizes.push_back(static_cast<std::int64_t>(number->value));
      }
    if (!sizes.empty() && written.sizes.size() == sizes.size()) all.push_back(std::move(written));
  }
  return all;
}

// Declares a weight with other sizes.
void declare(Guesser& g, const Written& written, const std::vector<std::int64_t>& sizes) {
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != written.sizes[i]) edits.push_back({written.places[i], std::to_string(sizes[i])});
  if (edits.empty()) return;
  const auto& type = std::get<ast::TypeTensor>(g.module[written.param->type].node);
  g.found.push_back(
      {fmt::format("declare what fits: `{} : {} [{}]`", written.param->name.text, type.elem, fmt::join(sizes, ", ")),
       std::move(edits)});
}

// Whether the error is about the channels of a convolution: windows and images make no others.
bool isOfChannels(const Guesser& g) { return g.named(0).starts_with("conv") && g.named(1) == "c"; }

bool isFilter(const std::vector<std::int64_t>& sizes) { return sizes.size() == 4; }
bool isSquare(const std::vector<std::int64_t>& sizes) { return sizes[0] == sizes[1]; }

// The size of a weight that the diagnostic marks; nothing where it marks none.
std::optional<std::size_t> markedSize(const Guesser& g, const Written& written) {
  for (std::size_t i = 0; i < written.places.size(); ++i)
    for (const Label& label : g.diagnostic.secondary)
      if (const Span* span = std::get_if<Span>(&label.place); span && *span == written.places[i]) return i;
  return std::nullopt;
}

// The other one of the two sizes that meet; nothing where the given one is neither.
std::optional<std::int64_t> otherSize(const Guesser& g, std::int64_t size) {
  const std::vector<std::int64_t> numbers = g.numbers();
  if (numbers.size() != 2) return std::nullopt;
  if (numbers[0] == size) return numbers[1];
  return numbers[1] == size ? std::optional(numbers[0]) : std::nullopt;
}

// The weight of a group with the same last name as another one; nullptr where there is none with as many sizes.
const Written* inGroup(const std::vector<Written>& params, const std::string& group, const Written& as) {
  const auto found = std::ranges::find_if(params, [&](const Written& written) {
    return written.param->name.text == group + lastNameOf(as.param->name.text) &&
           written.sizes.size() == as.sizes.size();
  });
  return found == params.end() ? nullptr : &*found;
}

}  // namespace

}  // namespace axle::guess

namespace axle {

bool areRelatedElsewhere(const Guesser& g) {
  using namespace guess;
  const std::vector<Written> params = writtenParams(g);
  std::vector<std::pair<const Written*, std::size_t>> marked;
  for (const Written& written : params)
    if (const auto size = markedSize(g, written)) marked.emplace_back(&written, *size);
  if (marked.size() != 2) return false;
  const auto [first, ofFirst] = marked[0];
  const auto [second, ofSecond] = marked[1];
  const std::string own = groupOf(first->param->name.text);
  if (own != groupOf(second->param->name.text)) return false;
  return std::ranges::any_of(params, [&](const Written& written) {
    const std::string group = groupOf(written.param->name.text);
    const Written *one = inGroup(params, group, *first), *other = inGroup(params, group, *second);
    return group != own && one && other &&
           one->sizes[ofFirst] * second->sizes[ofSecond] == other->sizes[ofSecond] * first->sizes[ofFirst];
  });
}

}  // namespace axle

namespace axle::guess {

// Exchanges the size of a weight at which the error is with the one of its sizes that would fit there: `f32 [2, 32]`
// for `f32 [32, 2]`. A filter's window comes first.
void declaredExchanged(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  for (const Written& written : writtenParams(g)) {
    const auto marked = markedSize(g, written);
    const auto other = marked ? otherSize(g, written.sizes[*marked]) : std::nullopt;
    if (!other) continue;
    std::vector<std::vector<std::int64_t>> orders;
    for (std::size_t i = 0; i < written.sizes.size(); ++i) {
      if (written.sizes[i] != *other) continue;
      orders.push_back(written.sizes);
      std::swap(orders.back()[i], orders.back()[*marked]);
    }
    if (isFilter(written.sizes) && !isSquare(written.sizes)) std::ranges::stable_partition(orders, isSquare);
    for (const std::vector<std::int64_t>& order : orders) declare(g, written, order);
  }
}

// Makes the window of a filter square, where those of the others are: by another order of its sizes, or with one of its
// two sides twice. A filter whose window differs from those of the same filter of other layers gets theirs.
void declaredWindow(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  constexpr std::size_t leastAlike = 2;
  const std::vector<Written> params = writtenParams(g);
  std::map<std::int64_t, std::size_t> windows;                        // how many square ones have the side
  std::map<std::string, std::map<std::int64_t, std::size_t>> layers;  // the same by the name without numbers
  for (const Written& written : params)
    if (isFilter(written.sizes) && isSquare(written.sizes)) {
      ++windows[written.sizes[0]];
      ++layers[layerForm(written.param->name.text)][written.sizes[0]];
    }
  std::size_t odd = 0, unlike = 0;
  for (const Written& written : params) {
    if (!isFilter(written.sizes) || (isOfChannels(g) && !markedSize(g, written))) continue;
    const std::vector<std::int64_t>& sizes = written.sizes;
    if (!isSquare(sizes) && !windows.empty() && ++odd <= mostOdd) {
      if (sizes[0] == sizes[2]) declare(g, written, {sizes[0], sizes[2], sizes[1], sizes[3]});
      if (sizes[1] == sizes[2]) declare(g, written, {sizes[1], sizes[2], sizes[0], sizes[3]});
      std::vector<std::int64_t> sides{sizes[0], sizes[1]};
      std::ranges::stable_sort(sides, std::greater(), [&](std::int64_t side) { return windows[side]; });
      for (const std::int64_t side : sides)
        if (windows[side] > 0) declare(g, written, {side, side, sizes[2], sizes[3]});
    }
    const auto& alike = layers[layerForm(written.param->name.text)];
    const bool isOdd = isSquare(sizes) && alike.size() == 2 && alike.at(sizes[0]) == 1;
    if (!isOdd || ++unlike > mostOdd) continue;
    for (const auto& [side, count] : alike)
      if (side != sizes[0] && count >= leastAlike) declare(g, written, {side, side, sizes[2], sizes[3]});
  }
}

// Exchanges the last two sizes of a weight at which the error is, where those of the same weight of another layer stand
// in the other order: `l2.out : f32 [576, 768]` for `[768, 576]` beside `l1.out : f32 [384, 768]`.
void declaredTurned(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Written> params = writtenParams(g);
  for (const Written& written : params) {
    const std::size_t rank = written.sizes.size();
    const auto marked = markedSize(g, written);
    if (rank < 2 || !marked || *marked + 2 < rank) continue;
    const std::vector<std::int64_t> own(written.sizes.end() - 2, written.sizes.end());
    if (otherSize(g, written.sizes[*marked]) != written.sizes[*marked + 1 == rank ? rank - 2 : rank - 1]) continue;
    const bool isTurned = std::ranges::any_of(params, [&](const Written& other) {
      const bool isOfLayer = other.param != written.param && other.sizes.size() == rank &&
                             layerForm(other.param->name.text) == layerForm(written.param->name.text);
      if (!isOfLayer) return false;  // it may have fewer sizes
      const std::vector<std::int64_t> beside(other.sizes.end() - 2, other.sizes.end());
      return !isSquare(beside) && beside[0] != own[0] && beside[1] != own[1] &&
             (beside[0] == own[1] || beside[1] == own[0]);
    });
    if (!isTurned || isSquare(own)) continue;
    std::vector<std::int64_t> sizes = written.sizes;
    std::swap(sizes[rank - 2], sizes[rank - 1]);
    declare(g, written, sizes);
    g.found.back().isSure = true;
  }
}

namespace {

// Whether the weights of one name in other layers all have a size in the same ratio to another of their sizes.
bool isAsInLayers(const std::vector<Written>& params, const Written& of, const std::vector<std::int64_t>& sizes,
                  std::size_t size) {
  constexpr std::size_t leastLayers = 2;
  const std::string form = layerForm(of.param->name.text);
  for (std::size_t other = 0; other < sizes.size(); ++other) {
    std::size_t layers = 0;
    bool areAlike = other != size;
    for (const Written& layer : params) {
      if (layer.param == of.param || layerForm(layer.param->name.text) != form) continue;
      areAlike &=
          layer.sizes.size() == sizes.size() && layer.sizes[size] * sizes[other] == layer.sizes[other] * sizes[size];
      ++layers;
    }
    if (areAlike && layers >= leastLayers) return true;
  }
  return false;
}

}  // namespace

// Writes the other one of two sizes where a weight has one that no other weight has, and that is no multiple or part of
// it; or where it is in the ratio to another of its sizes that other layers have.
void declaredOdd(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Written> params = writtenParams(g);
  std::map<std::int64_t, std::size_t> uses;
  for (const Written& written : params)
    for (const std::int64_t size : written.sizes) ++uses[size];
  std::size_t found = 0;
  for (const Written& written : params) {
    const auto marked = markedSize(g, written);
    const std::int64_t size = marked ? written.sizes[*marked] : 0;
    const auto other = marked ? otherSize(g, size) : std::nullopt;
    if (!other) continue;
    std::vector<std::int64_t> sizes = written.sizes;
    sizes[*marked] = *other;
    const bool areMultiples = size > 0 && *other > 0 && (size % *other == 0 || *other % size == 0);
    const bool isOdd = uses[size] == 1 && uses[*other] > 1 && !areMultiples;
    const bool isUnlike =
        isAsInLayers(params, written, sizes, *marked) && !isAsInLayers(params, written, written.sizes, *marked);
    if ((!isOdd && !isUnlike) || ++found > mostOdd) continue;
    declare(g, written, sizes);
    g.found.back().isFallback = isUsedOtherwise(g, written.param->name.text);
  }
}

// Makes a window by as much smaller or larger as the sizes that meet differ; or pads the image of a convolution with
// it, which is given no padding.
void declaredWindowThatFits(Guesser& g, const Application& at) {
  const std::vector<std::int64_t> numbers = g.numbers();
  if (!isFailing(g, at) || numbers.size() != 2 || g.named(0).starts_with("conv")) return;
  const std::int64_t apart = std::max(numbers[0], numbers[1]) - std::min(numbers[0], numbers[1]);
  std::size_t found = 0;
  for (const Written& written : writtenParams(g)) {
    if (!isFilter(written.sizes) || !isSquare(written.sizes) || markedSize(g, written).value_or(2) > 1) continue;
    if (++found > mostOdd) return;
    for (const std::int64_t side : {written.sizes[0] - apart, written.sizes[0] + apart})
      if (side > 0) declare(g, written, {side, side, written.sizes[2], written.sizes[3]});
    for (const Application& call : g.calls())
      if (calleeOf(g, call) == "conv2d" && call.arguments.size() > 1 && !namedOf(call, "padding"))
        if (std::ranges::count(weightsAt(g, call.arguments[1]), written.param) > 0)
          g.guess(call, "pad to keep its size", {giveStatic(g, call, "padding", "\"same\"")});
  }
}

// Makes an image square that a signature declares with two different numbers, where it has one of them only there, and
// the other one in another image, too.
void declaredSquare(Guesser& g, const Application& at) {
  if (!isFailing(g, at) || isOfChannels(g)) return;
  std::size_t found = 0;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    if (!function) continue;
    std::vector<ast::TypeId> types;
    for (const ast::Parameter& parameter : function->parameters) types.push_back(parameter.type);
    types.push_back(function->resultType);
    std::multiset<std::string> numbers;  // of the signature
    for (const ast::Dim& dim : g.module.dims)
      if (std::holds_alternative<ast::DimInt>(dim.node) && isWithin(dim.span, function->signature))
        numbers.insert(g.text(dim.span));
    for (const ast::TypeId type : types) {
      const std::vector<const ast::Dim*> sizes = declaredSizesOf(g.module, type);
      if (sizes.size() != 4 || std::holds_alternative<ast::DimInt>(sizes[0]->node)) continue;  // a filter
      const std::vector<const ast::Dim*> sides{sizes[1], sizes[2]};
      const bool areNumbers = std::ranges::all_of(
          sides, [](const ast::Dim* side) { return std::holds_alternative<ast::DimInt>(side->node); });
      if (!areNumbers || g.text(sides[0]->span) == g.text(sides[1]->span) || ++found > mostOdd) continue;
      for (const auto& [wrong, right] : {std::pair(sides[0], sides[1]), std::pair(sides[1], sides[0])})
        if (numbers.count(g.text(wrong->span)) == 1 && numbers.count(g.text(right->span)) > 1)
          g.guess({g.module[type].span, {}, nullptr}, "a square image", {{wrong->span, g.text(right->span)}});
    }
  }
}

// Exchanges two sizes that a function promises of a result, where the batch of its input is not the first: `[n, 5]` for
// `[5, n]` of `fn (x : [n, h, w, c])`.
void declaredBatchFirst(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    if (!function || !function->resultType || function->parameters.empty()) continue;
    const auto input = declaredSizesOf(g.module, function->parameters[0]);
    if (input.empty() || !std::holds_alternative<ast::DimName>(input[0]->node)) continue;
    const std::string batch = g.text(input[0]->span);
    for (std::uint32_t i = 0; i < g.module.types.size(); ++i) {
      const std::vector<const ast::Dim*> sizes = declaredSizesOf(g.module, ast::TypeId{i});
      if (sizes.size() < 2 || !isWithin(g.module.types[i].span, g.module[function->resultType].span)) continue;
      const auto own = std::ranges::find_if(sizes, [&](const ast::Dim* size) { return g.text(size->span) == batch; });
      if (own == sizes.begin() || own == sizes.end()) continue;
      const Span first = sizes[0]->span, second = (*own)->span;
      g.guess({g.module.types[i].span, {}, nullptr}, "declare the batch first",
              {{first, batch}, {second, g.text(first)}});
      g.found.back().isSure = true;
    }
  }
}

namespace {

// The numbers of parts that results are split into near what fails.
std::set<std::int64_t> partsOfSplits(Guesser& g) {
  std::set<std::int64_t> all;
  for (const Application& call : g.callsComputing()) {
    const ast::NamedArgument* named = calleeOf(g, call) == "split" ? namedOf(call, "parts") : nullptr;
    const auto parts = named ? numberOf(g.text(g.module[named->value].span)) : std::nullopt;
    if (parts && *parts > 1) all.insert(*parts);
  }
  return all;
}

}  // namespace

// Declares as many columns as its parts need, for a weight whose result is split, where no weight has the size of the
// parts that it makes now: `kv : f32 [512, 768]` for `[512, 384]` beside `q : f32 [512, 384]`.
void declaredParts(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  const std::vector<std::int64_t> numbers = g.numbers();
  if (!isFailing(g, at) || numbers.size() != 2 || numbers[0] == numbers[1]) return;
  const std::vector<Written> weights = writtenParams(g);
  std::set<std::int64_t> known;
  for (const Written& weight : weights) known.insert(weight.sizes.begin(), weight.sizes.end());
  std::vector<const Written*> near;  // named in the functions on the way to what fails
  for (const ast::ExprFn* function : markedFunctions(g))
    for (const Written& weight : weights)
      if (weight.sizes.size() > 1 && usesOf(g, weight.param->name.text, g.module[function->body].span) > 0)
        near.push_back(&weight);
  std::size_t found = 0;
  auto offer = [&](const Written& weight, std::int64_t parts, std::int64_t own, std::int64_t other) {
    const std::int64_t columns = weight.sizes.back();
    if (own == 0 || columns * other % own != 0 || columns % parts != 0) return;
    const std::int64_t instead = columns * other / own, part = instead / parts;
    const bool isOtherNumber = part > 0 && columns % part == 0 && columns / part > 1;  // of parts: that is wrong then
    if (instead % parts != 0 || !known.contains(part) || known.contains(columns / parts) || isOtherNumber) return;
    if (++found > most) return;
    std::vector<std::int64_t> sizes = weight.sizes;
    sizes.back() = instead;
    declare(g, weight, sizes);
    g.found.back().isSure = true;
  };
  for (const std::int64_t parts : partsOfSplits(g))
    for (const Written* weight : near) {
      offer(*weight, parts, numbers[0], numbers[1]);
      offer(*weight, parts, numbers[1], numbers[0]);
    }
}

}  // namespace axle::guess
