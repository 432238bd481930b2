// Computes the elements of small integer tensors that a program computes from sizes, such as counts of steps or ends of
// ranges.
#include <cstring>

#include "ir/stream/prepare.h"

namespace axle::ir::stream {

namespace {

using Elements = std::optional<std::vector<Dim>>;

constexpr std::int64_t mostElements = 4096;

template <class T>
std::vector<Dim> elementsAs(DimStore& dims, const std::vector<std::byte>& bytes) {
  std::vector<Dim> elements(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    elements[i] = dims.constant(static_cast<std::int64_t>(value));
  }
  return elements;
}

Elements elementsOf(DimStore& dims, const Constant& constant) {
  if (!constant.bytes || constant.bytes->size() > mostElements * sizeof(std::int64_t)) return std::nullopt;
  if (constant.elem == Elem::i32) return elementsAs<std::int32_t>(dims, *constant.bytes);
  if (constant.elem == Elem::i64) return elementsAs<std::int64_t>(dims, *constant.bytes);
  return std::nullopt;
}

std::optional<DimOp> dimOp(Op op) {
  switch (op) {
    case Op::add:
      return DimOp::add;
    case Op::sub:
      return DimOp::sub;
    case Op::mul:
      return DimOp::mul;
    case Op::maximum:
      return DimOp::max;
    case Op::minimum:
      return DimOp::min;
    default:
      return std::nullopt;
  }
}

// Divides numbers >= 0 by positive numbers, whose quotients are rounded down both in tensors and in sizes.
Elements quotients(const Model& model, const std::vector<Dim>& a, const std::vector<Dim>& b) {
  std::vector<Dim> out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = model.dims->asConstant(a[i]), y = model.dims->asConstant(b[i]);
    if (!x || !y || *x < 0 || *y < 1) return std::nullopt;
    out.push_back(model.dims->constant(*x / *y));
  }
  return out;
}

Elements ofBinary(const Model& model, const Graph& graph, const Node& node) {
  auto a = integerElements(model, graph, node.inputs[0]), b = integerElements(model, graph, node.inputs[1]);
  if (!a || !b || a->empty() || b->empty()) return std::nullopt;
  if (a->size() == 1) a->assign(b->size(), a->front());
  if (b->size() == 1) b->assign(a->size(), b->front());
  if (a->size() != b->size() || (a->size() > 1 && graph[node.inputs[0]].fact.shape.size() > 1)) return std::nullopt;
  if (node.op == Op::div) return quotients(model, *a, *b);
  std::vector<Dim> out;
  for (std::size_t i = 0; i < a->size(); ++i) out.push_back(model.dims->apply(*dimOp(node.op), (*a)[i], (*b)[i]));
  return out;
}

Elements ofSlice(const Model& model, const Graph& graph, const Node& node) {
  const auto& slice = as<SliceAttributes>(node);
  const auto from = integerElements(model, graph, node.inputs[0]);
  const Fact& fact = graph[node.outputs[0]].fact;
  if (!from || fact.shape.size() != 1) return std::nullopt;
  const auto start = model.dims->asConstant(slice.start), step = model.dims->asConstant(slice.step),
             count = model.dims->asConstant(fact.shape[0]);
  if (!start || !step || !count) return std::nullopt;
  std::vector<Dim> out;
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::int64_t at = *start + i * *step;
    if (at < 0 || at >= static_cast<std::int64_t>(from->size())) return std::nullopt;
    out.push_back((*from)[static_cast<std::size_t>(at)]);
  }
  return out;
}

}  // namespace

Elements integerElements(const Model& model, const Graph& graph, OutletId outlet) {
  const Node& node = graph.producer(outlet);
  const Fact& fact = graph[outlet].fact;
  if (const auto* known = std::get_if<std::vector<Dim>>(&fact.value)) return *known;
  if (node.op == Op::constant) return elementsOf(*model.dims, model[node.constant]);
  const bool isInteger = fact.elem == Elem::i32 || fact.elem == Elem::i64;
  if (!isInteger) return std::nullopt;
  switch (node.op) {
    case Op::dims:
      return as<DimsAttributes>(node).elements;
    case Op::cast:
    case Op::reshape:
    case Op::copy:
      return integerElements(model, graph, node.inputs[0]);
    case Op::slice:
      return ofSlice(model, graph, node);
    case Op::div:
      return ofBinary(model, graph, node);
    default:
      return dimOp(node.op) ? ofBinary(model, graph, node) : std::nullopt;
  }
}

}  // namespace axle::ir::stream
