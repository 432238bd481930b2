// Values that are followed: whole numbers and sizes.
#include <algorithm>
#include <unordered_map>

#include "ir/import/tensorflow/analysis/rule.h"

namespace axle::tensorflow {
namespace {

using Dims = std::vector<Dim>;
using Maybe = std::optional<Known>;

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (std::int64_t size : shape) count *= size;  // of what is known: small
  return count;
}

// ---- of shapes

Maybe shapeOf(const RuleNode& n) {
  auto dims = n.dims(0);
  return dims ? Maybe(Known::vector(*dims)) : std::nullopt;
}

Maybe sizeOf(const RuleNode& n) {
  auto dims = n.dims(0);
  if (!dims) return std::nullopt;
  Dim size = n.t.constant(1);
  for (Dim d : *dims) size = n.t.solution().dims.mul(size, d);
  return Known::scalar(size);
}

Maybe rankOf(const RuleNode& n) {
  auto rank = n.rank(0);
  return rank ? Maybe(Known::scalar(n.t.constant(static_cast<std::int64_t>(*rank)))) : std::nullopt;
}

// ---- elementwise

Maybe identity(const RuleNode& n) { return n.known(0); }

Maybe cast(const RuleNode& n) {
  auto from = n.type("SrcT"), to = n.type("DstT");
  auto isWide = [](std::optional<Type> type) { return type == Type::i32 || type == Type::i64; };
  return isWide(to) && (isWide(from) || n.numbers(0)) ? n.known(0) : std::nullopt;
}

// Two operands by NumPy's rule, on constant shapes.
Maybe pointwise(const RuleNode& n, const std::function<std::optional<Dim>(Dim, Dim)>& f) {
  auto a = n.known(0), b = n.known(1);
  if (!a || !b) return std::nullopt;
  std::vector<std::int64_t> shape(std::max(a->shape.size(), b->shape.size()));
  auto size = [&](const Known& k, std::size_t axis) {
    std::size_t missing = shape.size() - k.shape.size();
    return axis < missing ? 1 : k.shape[axis - missing];
  };
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int64_t x = size(*a, axis), y = size(*b, axis);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    shape[axis] = x == 1 ? y : x;
  }
  if (product(shape) > mostKnown) return std::nullopt;
  Known out{shape, {}};
  for (std::int64_t i = 0; i < product(shape); ++i) {
    auto at = [&](const Known& k) {
      std::int64_t rest = i, offset = 0, stride = 1;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        std::int64_t index = rest % shape[axis], length = size(k, axis);
        rest /= shape[axis];
        if (length != 1) offset += index * stride;
        stride *= length;
      }
      return k.elements[static_cast<std::size_t>(offset)];
    };
    auto value = f(at(*a), at(*b));
    if (!value || n.t.solution().dims.isUndefined(*value)) return std::nullopt;
    out.elements.push_back(*value);
  }
  return out;
}

template <Dim (DimStore::*f)(Dim, Dim)>
Maybe arithmetic(const RuleNode& n) {
  return pointwise(n, [&](Dim a, Dim b) { return std::optional((n.t.solution().dims.*f)(a, b)); });
}

// Where rounding down and towards zero agree.
Maybe truncated(const RuleNode& n) {
  return pointwise(n, [&](Dim a, Dim b) -> std::optional<Dim> {
    DimStore& dims = n.t.solution().dims;
    auto x = dims.asConstant(a), y = dims.asConstant(b);
    if (y == 0) return std::nullopt;
    if (x && y) return dims.constant(*x / *y);
    return y && *y > 0 && dims.variables(a).size() == 1 && dims.asVariable(a) ? std::optional(dims.div(a, b))
                                                                              : std::nullopt;
  });
}

enum class Compare { less, lessEqual, greater, greaterEqual, equal, notEqual };

template <Compare c>
Maybe compare(const RuleNode& n) {
  DimStore& dims = n.t.solution().dims;
  return pointwise(n, [&](Dim a, Dim b) -> std::optional<Dim> {
    auto difference = dims.asConstant(dims.sub(a, b));
    if (!difference) return std::nullopt;
    std::int64_t d = *difference;
    bool holds = c == Compare::less           ? d < 0
                 : c == Compare::lessEqual    ? d <= 0
                 : c == Compare::greater      ? d > 0
                 : c == Compare::greaterEqual ? d >= 0
                 : c == Compare::equal        ? d == 0
                                              : d != 0;
    return dims.constant(holds ? 1 : 0);
  });
}

Maybe both(const RuleNode& n) { return arithmetic<&DimStore::min>(n); }
Maybe either(const RuleNode& n) { return arithmetic<&DimStore::max>(n); }

Maybe mapped(const RuleNode& n, const std::function<Dim(Dim)>& f) {
  auto a = n.known(0);
  if (!a) return std::nullopt;
  for (Dim& d : a->elements) d = f(d);
  return a;
}

Maybe negated(const RuleNode& n) {
  DimStore& dims = n.t.solution().dims;
  return mapped(n, [&](Dim d) { return dims.sub(dims.constant(0), d); });
}

Maybe inverted(const RuleNode& n) {
  DimStore& dims = n.t.solution().dims;
  return mapped(n, [&](Dim d) { return dims.sub(dims.constant(1), d); });
}

Maybe chosen(const RuleNode& n) {
  auto condition = n.numbers(0);
  auto a = n.known(1), b = n.known(2);
  if (!condition || !a || !b) return std::nullopt;
  if (condition->size() == 1) return condition->front() ? a : b;
  if (a->shape != b->shape || condition->size() != a->elements.size()) return std::nullopt;
  for (std::size_t i = 0; i < condition->size(); ++i)
    if (!(*condition)[i]) a->elements[i] = b->elements[i];
  return a;
}

// ---- reductions

template <Dim (DimStore::*f)(Dim, Dim)>
Maybe reduced(const RuleNode& n, std::int64_t start) {
  auto a = n.known(0);
  auto axes = n.numbers(1);
  if (!a || !axes || a->shape.size() > 1) return std::nullopt;
  if (axes->empty() || a->shape.empty()) return a;
  DimStore& dims = n.t.solution().dims;
  std::optional<Dim> total;
  for (Dim d : a->elements) total = total ? (dims.*f)(*total, d) : d;
  if (!total) total = dims.constant(start);
  if (dims.isUndefined(*total)) return std::nullopt;
  return n.flag("keep_dims") ? Known::vector({*total}) : Known::scalar(*total);
}

Maybe sum(const RuleNode& n) { return reduced<&DimStore::add>(n, 0); }
Maybe prod(const RuleNode& n) { return reduced<&DimStore::mul>(n, 1); }
Maybe allOf(const RuleNode& n) { return reduced<&DimStore::min>(n, 1); }
Maybe anyOf(const RuleNode& n) { return reduced<&DimStore::max>(n, 0); }
Maybe greatest(const RuleNode& n) {
  auto a = n.known(0);
  return a && !a->elements.empty() ? reduced<&DimStore::max>(n, 0) : std::nullopt;
}
Maybe least(const RuleNode& n) {
  auto a = n.known(0);
  return a && !a->elements.empty() ? reduced<&DimStore::min>(n, 0) : std::nullopt;
}

// ---- arrays

Maybe pack(const RuleNode& n) {
  std::optional<Known> out;
  for (std::size_t i = 0; i < n.count(); ++i) {
    auto item = n.known(i);
    // An open scalar is a number all the same.
    if (!item && n.isTensor(i) && n.rank(i) == 0) item = Known::scalar(n.t.unknownInteger("k"));
    if (!item || (out && item->shape != std::vector(out->shape.begin() + 1, out->shape.end()))) return std::nullopt;
    if (item->shape.size() > 0 && n.integer("axis") != 0) return std::nullopt;
    if (!out) {
      out = Known{item->shape, {}};
      out->shape.insert(out->shape.begin(), static_cast<std::int64_t>(n.count()));
    }
    out->elements.insert(out->elements.end(), item->elements.begin(), item->elements.end());
  }
  return out;
}

// A vector of known length is a list of open numbers where its value is not followed.
Maybe vectorOf(const RuleNode& n, std::size_t i) {
  if (auto known = n.known(i)) return known;
  auto dims = n.dims(i);
  if (!dims || dims->size() != 1) return std::nullopt;
  auto length = n.t.solution().dims.asConstant(dims->front());
  if (!length || *length > mostKnown) return std::nullopt;
  Known out{{*length}, {}};
  for (std::int64_t k = 0; k < *length; ++k) out.elements.push_back(n.t.unknownInteger("k"));
  return out;
}

Maybe concatenated(const RuleNode& n, std::size_t from, std::size_t to) {
  Known out{{0}, {}};
  for (std::size_t i = from; i < to; ++i) {
    auto item = vectorOf(n, i);
    if (!item || item->shape.size() != 1) return std::nullopt;
    out.shape[0] += item->shape[0];
    out.elements.insert(out.elements.end(), item->elements.begin(), item->elements.end());
  }
  return out.count() <= mostKnown ? Maybe(out) : std::nullopt;
}
Maybe concat(const RuleNode& n) { return concatenated(n, 1, n.count()); }
Maybe concatV2(const RuleNode& n) { return concatenated(n, 0, n.count() - 1); }

Maybe reshaped(const RuleNode& n) {
  auto a = n.known(0);
  auto shape = n.numbers(1);
  if (!a || !shape) return std::nullopt;
  std::int64_t others = 1;
  for (std::int64_t size : *shape)
    if (size != -1) others *= size;
  for (std::int64_t& size : *shape)
    if (size == -1) size = others == 0 ? 0 : a->count() / others;
  if (product(*shape) != a->count()) return std::nullopt;
  a->shape = *shape;
  return a;
}

Maybe expanded(const RuleNode& n) {
  auto a = n.known(0);
  auto axis = n.number(1);
  if (!a || !axis) return std::nullopt;
  std::int64_t rank = static_cast<std::int64_t>(a->shape.size());
  if (*axis < 0) *axis += rank + 1;
  if (*axis < 0 || *axis > rank) return std::nullopt;
  a->shape.insert(a->shape.begin() + *axis, 1);
  return a;
}

Maybe squeezed(const RuleNode& n) {
  auto a = n.known(0);
  if (!a) return std::nullopt;
  if (n.integers("squeeze_dims").empty())
    std::erase(a->shape, 1);
  else if (a->count() == 1 && a->shape.size() == n.integers("squeeze_dims").size())
    a->shape.clear();
  else
    return std::nullopt;
  return a;
}

Maybe range(const RuleNode& n) {
  auto start = n.number(0), limit = n.number(1), delta = n.number(2);
  if (!start || !limit || !delta || *delta == 0) return std::nullopt;
  Known out{{0}, {}};
  for (std::int64_t k = *start; *delta > 0 ? k < *limit : k > *limit; k += *delta) {
    if (out.count() >= mostKnown) return std::nullopt;
    out.elements.push_back(n.t.constant(k));
  }
  out.shape[0] = out.count();
  return out;
}

Maybe filled(const RuleNode& n) {
  auto shape = n.numbers(0);
  auto value = n.known(1);
  if (!shape || !value || value->count() != 1) return std::nullopt;
  for (std::int64_t size : *shape)
    if (size < 0 || size > mostKnown) return std::nullopt;
  if (product(*shape) > mostKnown) return std::nullopt;
  return Known{*shape, std::vector<Dim>(static_cast<std::size_t>(product(*shape)), value->elements[0])};
}

Maybe likeNumber(const RuleNode& n, std::int64_t value) {
  auto a = n.known(0);
  if (a) std::fill(a->elements.begin(), a->elements.end(), n.t.constant(value));
  return a;
}
Maybe zerosLike(const RuleNode& n) { return likeNumber(n, 0); }
Maybe onesLike(const RuleNode& n) { return likeNumber(n, 1); }

// Slices of vectors.
Maybe strided(const RuleNode& n) {
  auto a = vectorOf(n, 0);
  auto begin = n.numbers(1), end = n.numbers(2), step = n.numbers(3);
  if (!a || a->shape.size() != 1 || !begin || !end || !step || begin->size() != 1) return std::nullopt;
  if (n.integer("ellipsis_mask") || n.integer("new_axis_mask")) return std::nullopt;
  std::int64_t length = a->count(), by = step->front();
  auto clamp = [&](std::int64_t at) {
    if (at < 0) at += length;
    return by > 0 ? std::clamp<std::int64_t>(at, 0, length) : std::clamp<std::int64_t>(at, -1, length - 1);
  };
  if (n.integer("shrink_axis_mask") & 1) {
    std::int64_t at = begin->front() < 0 ? begin->front() + length : begin->front();
    if (at < 0 || at >= length) return std::nullopt;
    return Known::scalar(a->elements[static_cast<std::size_t>(at)]);
  }
  if (by == 0) return std::nullopt;
  std::int64_t from = n.integer("begin_mask") & 1 ? (by > 0 ? 0 : length - 1) : clamp(begin->front());
  std::int64_t to = n.integer("end_mask") & 1 ? (by > 0 ? length : -1) : clamp(end->front());
  Dims picked;
  for (std::int64_t at = from; by > 0 ? at < to : at > to; at += by)
    picked.push_back(a->elements[static_cast<std::size_t>(at)]);
  return Known::vector(std::move(picked));
}

Maybe sliced(const RuleNode& n) {
  auto a = vectorOf(n, 0);
  auto begin = n.number(1), size = n.number(2);
  if (!a || a->shape.size() != 1 || !begin || !size) return std::nullopt;
  std::int64_t length = *size == -1 ? a->count() - *begin : *size;
  if (*begin < 0 || length < 0 || *begin + length > a->count()) return std::nullopt;
  return Known::vector(Dims(a->elements.begin() + *begin, a->elements.begin() + *begin + length));
}

Maybe gathered(const RuleNode& n) {
  auto a = vectorOf(n, 0);
  auto indices = n.known(1);
  auto at = n.numbers(1);
  if (!a || a->shape.size() != 1 || !at || n.integer("batch_dims") != 0) return std::nullopt;
  if (n.count() > 2 && n.number(2) != 0) return std::nullopt;
  Known out{indices->shape, {}};
  for (std::int64_t i : *at) {
    if (i < 0 || i >= a->count()) return std::nullopt;
    out.elements.push_back(a->elements[static_cast<std::size_t>(i)]);
  }
  return out;
}

Maybe reversed(const RuleNode& n) {
  auto a = n.known(0);
  auto axes = n.numbers(1);
  if (!a || !axes || a->shape.size() != 1) return std::nullopt;
  if (!axes->empty()) std::reverse(a->elements.begin(), a->elements.end());
  return a;
}

Maybe tiled(const RuleNode& n) {
  auto a = n.known(0);
  auto times = n.number(1);
  if (!a || !times || a->shape.size() != 1 || *times < 0 || a->count() * *times > mostKnown) return std::nullopt;
  Dims out;
  for (std::int64_t i = 0; i < *times; ++i) out.insert(out.end(), a->elements.begin(), a->elements.end());
  return Known::vector(std::move(out));
}

// The shape that a broadcast of two shapes has, where it is visible.
Maybe broadcastArgs(const RuleNode& n) {
  auto a = n.known(0), b = n.known(1);
  if (!a || !b) return std::nullopt;
  if (a->count() < b->count()) std::swap(a, b);
  Dim one = n.t.constant(1);
  std::size_t missing = a->elements.size() - b->elements.size();
  for (std::size_t i = 0; i < b->elements.size(); ++i) {
    Dim& x = a->elements[missing + i];
    Dim y = b->elements[i];
    if (x == y || y == one) continue;
    if (x != one) return std::nullopt;
    x = y;
  }
  return a;
}

Maybe invertedPermutation(const RuleNode& n) {
  auto a = n.numbers(0);
  if (!a) return std::nullopt;
  Dims out(a->size(), n.t.constant(0));
  for (std::size_t i = 0; i < a->size(); ++i) {
    std::int64_t at = (*a)[i];
    if (at < 0 || at >= static_cast<std::int64_t>(a->size())) return std::nullopt;
    out[static_cast<std::size_t>(at)] = n.t.constant(static_cast<std::int64_t>(i));
  }
  return Known::vector(std::move(out));
}

constexpr ValueRule rows[] = {
    {"Shape", shapeOf},
    {"Size", sizeOf},
    {"Rank", rankOf},
    {"Identity", identity},
    {"StopGradient", identity},
    {"PreventGradient", identity},
    {"Snapshot", identity},
    {"Cast", cast},
    {"Add", arithmetic<&DimStore::add>},
    {"AddV2", arithmetic<&DimStore::add>},
    {"Sub", arithmetic<&DimStore::sub>},
    {"Mul", arithmetic<&DimStore::mul>},
    {"FloorDiv", arithmetic<&DimStore::div>},
    {"FloorMod", arithmetic<&DimStore::mod>},
    {"Div", truncated},
    {"TruncateDiv", truncated},
    {"Maximum", arithmetic<&DimStore::max>},
    {"Minimum", arithmetic<&DimStore::min>},
    {"Neg", negated},
    {"Less", compare<Compare::less>},
    {"LessEqual", compare<Compare::lessEqual>},
    {"Greater", compare<Compare::greater>},
    {"GreaterEqual", compare<Compare::greaterEqual>},
    {"Equal", compare<Compare::equal>},
    {"NotEqual", compare<Compare::notEqual>},
    {"LogicalAnd", both},
    {"LogicalOr", either},
    {"LogicalNot", inverted},
    {"Select", chosen},
    {"SelectV2", chosen},
    {"Sum", sum},
    {"Prod", prod},
    {"All", allOf},
    {"Any", anyOf},
    {"Max", greatest},
    {"Min", least},
    {"Pack", pack},
    {"Concat", concat},
    {"ConcatV2", concatV2},
    {"Reshape", reshaped},
    {"ExpandDims", expanded},
    {"Squeeze", squeezed},
    {"Range", range},
    {"Fill", filled},
    {"ZerosLike", zerosLike},
    {"OnesLike", onesLike},
    {"StridedSlice", strided},
    {"Slice", sliced},
    {"Gather", gathered},
    {"GatherV2", gathered},
    {"ReverseV2", reversed},
    {"Tile", tiled},
    {"BroadcastArgs", broadcastArgs},
    {"InvertPermutation", invertedPermutation},
};

}  // namespace

const ValueRule* valueRuleNamed(std::string_view op) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const ValueRule*> made;
    for (const ValueRule& row : rows) made.emplace(row.op, &row);
    return made;
  }();
  auto found = index.find(op);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace axle::tensorflow
