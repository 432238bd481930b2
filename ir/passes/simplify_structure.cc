// Rules for operators that only move elements: some cancel, merge, or move nothing.
#include <algorithm>
#include <cmath>

#include "ir/passes/attributes.h"
#include "ir/passes/match.h"

namespace axle::ir {

using namespace pattern;

namespace {

bool givesItsOperand(const Found& f) { return f.fact(x).shape == f.resultFact().shape; }

// ---- transpose

OutletId mergeTransposes(const Found& f, PatchBuilder& p) {
  const std::vector<std::size_t> inner = as<PermAttributes>(f.named(1)).perm,
                                 outer = as<PermAttributes>(f.rootNode()).perm;
  std::vector<std::size_t> both;
  for (std::size_t axis : outer) both.push_back(inner[axis]);
  return p.wire(Op::transpose, {f[x]}, PermAttributes{both});
}

// Whether all axes except those of size 1 keep their order.
bool movesOnlyUnitAxes(const Found& f) {
  std::size_t next = 0;
  for (std::size_t axis : as<PermAttributes>(f.rootNode()).perm) {
    if (f.dims().asConstant(f.fact(x).shape[axis]) == 1) continue;
    if (axis < next) return false;
    next = axis;
  }
  return true;
}

OutletId asReshape(const Found& f, PatchBuilder& p) { return p.wireReshape(f[x], f.resultFact().shape); }

// ---- slice

bool takesAll(const Found& f) {
  const SliceAttributes slice = as<SliceAttributes>(f.rootNode());
  return givesItsOperand(f) && f.dims().asConstant(slice.start) == 0 && f.dims().asConstant(slice.step) == 1;
}

OutletId mergeSlices(const Found& f, PatchBuilder& p) {
  const SliceAttributes inner = as<SliceAttributes>(f.named(1)), outer = as<SliceAttributes>(f.rootNode());
  if (inner.axis != outer.axis) return {};
  // An empty slice may start at the end of the inner one, which with steps is outside of the tensor.
  const auto length = f.dims().asConstant(f.resultFact().shape[inner.axis]);
  const bool isInside = f.dims().asConstant(inner.step) == 1 || f.dims().asConstant(outer.start) == 0;
  if (!isInside && length.value_or(0) < 1) return {};
  const Dim start = f.dims().add(inner.start, f.dims().mul(outer.start, inner.step));
  const SliceAttributes both{inner.axis, start, f.dims().mul(inner.step, outer.step)};
  return p.wire(Op::slice, {f[x]}, both, &f.resultFact());
}

// Slices the one part of a concatenation that contains the whole slice.
OutletId sliceOfPart(const Found& f, PatchBuilder& p) {
  SliceAttributes slice = as<SliceAttributes>(f.rootNode());
  if (slice.axis != as<AxisAttributes>(f.named(1)).axis) return {};
  const auto start = f.dims().asConstant(slice.start), step = f.dims().asConstant(slice.step),
             length = f.dims().asConstant(f.resultFact().shape[slice.axis]);
  if (!start || !step || !length || *start < 0 || *step < 1 || *length < 1) return {};
  std::int64_t begin = 0, last = 0;
  if (__builtin_mul_overflow(*length - 1, *step, &last) || __builtin_add_overflow(last, *start, &last)) return {};
  for (OutletId part : f.named(1).inputs) {
    const auto size = f.dims().asConstant(p.tap(part).shape[slice.axis]);
    if (!size) return {};
    if (*start >= begin && last < begin + *size) {
      slice.start = f.dims().constant(*start - begin);
      return p.wire(Op::slice, {part}, slice, &f.resultFact());
    }
    begin += *size;
  }
  return {};
}

// ---- concat

// A slice with step 1 along the axis of a concatenation.
struct Piece {
  OutletId of;
  SliceAttributes slice;
  Dim length;
};

std::optional<Piece> pieceOf(const Found& f, OutletId outlet, std::size_t axis) {
  const Node& node = f.inGraph().producer(outlet);
  if (node.op != Op::slice || f.isBoundary(outlet)) return std::nullopt;
  const Piece piece{node.inputs[0], as<SliceAttributes>(node), f.inGraph()[outlet].fact.shape[axis]};
  if (piece.slice.axis != axis || f.dims().asConstant(piece.slice.step) != 1) return std::nullopt;
  return piece;
}

// Inlines operands that are concatenations along the same axis, and joins adjacent slices of one tensor.
OutletId flattenConcat(const Found& f, PatchBuilder& p) {
  const std::size_t axis = as<AxisAttributes>(f.rootNode()).axis;
  std::vector<OutletId> parts;
  for (OutletId part : f.rootNode().inputs) {
    const Node& inner = f.inGraph().producer(part);
    if (inner.op == Op::concat && as<AxisAttributes>(inner).axis == axis && f.isReadOnce(part))
      parts.insert(parts.end(), inner.inputs.begin(), inner.inputs.end());
    else
      parts.push_back(part);
  }
  std::vector<OutletId> joined;
  for (std::size_t i = 0; i < parts.size();) {
    std::optional<Piece> piece = pieceOf(f, parts[i], axis);
    std::size_t end = i + 1;
    for (; piece && end < parts.size(); ++end) {
      const std::optional<Piece> next = pieceOf(f, parts[end], axis);
      if (!next || next->of != piece->of || next->slice.start != f.dims().add(piece->slice.start, piece->length)) break;
      piece->length = f.dims().add(piece->length, next->length);
    }
    if (end == i + 1) {
      joined.push_back(parts[i]);
    } else {
      Fact whole = withoutValue(p.tap(parts[i]));
      whole.shape[axis] = piece->length;
      joined.push_back(p.wire(Op::slice, {piece->of}, piece->slice, &whole));
    }
    i = end;
  }
  if (joined.size() == 1) return joined[0];
  return joined == f.rootNode().inputs ? OutletId() : p.wire(Op::concat, joined, AxisAttributes{axis});
}

// ---- pad, reverse

bool padsNothing(const Found& f) {
  const auto& pads = as<PadAttributes>(f.rootNode());
  for (const Dims* amounts : {&pads.before, &pads.after})
    for (Dim amount : *amounts)
      if (f.dims().asConstant(amount) != 0) return false;
  return true;
}

bool isPositiveZero(const Found& f, const Node& pad) {
  if (pad.inputs.size() == 1) return true;
  const Node& value = f.inGraph().producer(pad.inputs[1]);
  if (value.op != Op::constant) return false;
  const std::optional<double> number = repeatedNumber(f.model[value.constant]);
  return number == 0 && !std::signbit(*number);
}

OutletId mergePads(const Found& f, PatchBuilder& p) {
  const Node &outer = f.rootNode(), &inner = f.inGraph().producer(outer.inputs[0]);
  if (inner.op != Op::pad || !f.isReadOnce(outer.inputs[0])) return {};
  const bool isSame = (inner.inputs.size() == 2 && outer.inputs.size() == 2 && inner.inputs[1] == outer.inputs[1]) ||
                      (isPositiveZero(f, inner) && isPositiveZero(f, outer));
  if (!isSame) return {};
  PadAttributes pads = as<PadAttributes>(inner);
  const auto& more = as<PadAttributes>(outer);
  for (std::size_t i = 0; i < pads.before.size(); ++i) {
    pads.before[i] = f.dims().add(pads.before[i], more.before[i]);
    pads.after[i] = f.dims().add(pads.after[i], more.after[i]);
  }
  return p.wire(Op::pad, inner.inputs, std::move(pads));
}

bool reversesBack(const Found& f) {
  return as<AxisAttributes>(f.rootNode()).axis == as<AxisAttributes>(f.named(1)).axis;
}

// ---- broadcast

// Reads the operand of a broadcast instead of its result, if the operator broadcasts it to the same shape.
OutletId withoutBroadcast(const Found& f, PatchBuilder& p) {
  const Node& node = f.rootNode();
  std::vector<Fact> facts;
  for (OutletId input : node.inputs) facts.push_back(f.inGraph()[input].fact);
  std::vector<OutletId> inputs = node.inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Node& from = f.inGraph().producer(inputs[i]);
    if (from.op != Op::broadcast || f.isBoundary(inputs[i])) continue;
    const Fact old = std::exchange(facts[i], f.inGraph()[from.inputs[0]].fact);
    const Inferred inferred = inferNode(f.dims(), node.op, facts, node.attributes, {f.resultFact()});
    if (inferred && inferred->front().shape == f.resultFact().shape)
      inputs[i] = from.inputs[0];
    else
      facts[i] = old;
  }
  return inputs == node.inputs ? OutletId() : p.wire(node.op, inputs, node.attributes, &f.resultFact());
}

}  // namespace

std::span<const Rule> structureRules() {
  static const std::vector<Rule> all = [] {
    // clang-format off
    std::vector<Rule> rules{
        {"reshape to the same shape",   on(Op::reshape, x),                                      x, givesItsOperand},
        {"double reshape",              on(Op::reshape, on(Op::reshape, x)).as(0),               on(Op::reshape, x).as(0)},
        {"transpose of axes of size 1", on(Op::transpose, x),                                    asReshape, movesOnlyUnitAxes},
        {"double transpose",            on(Op::transpose, on(Op::transpose, x).as(1)),           mergeTransposes},
        {"slice of all",                on(Op::slice, x),                                        x, takesAll},
        {"slice of a slice",            on(Op::slice, on(Op::slice, x).as(1)),                   mergeSlices},
        {"slice of a part",             on(Op::slice, onAny(Op::concat).as(1)),                  sliceOfPart},
        {"nested concatenation",        onAny(Op::concat),                                       flattenConcat},
        {"pad by nothing",              on(Op::pad, x),                                          x, padsNothing},
        {"pad by nothing",              on(Op::pad, x, y),                                       x, padsNothing},
        {"double pad",                  onAny(Op::pad),                                          mergePads},
        {"double reverse",              on(Op::reverse, on(Op::reverse, x).as(1)),               x, reversesBack},
        {"double broadcast",            on(Op::broadcast, on(Op::broadcast, x)).as(0),           on(Op::broadcast, x).as(0)},
        {"broadcast operand",           onAny(Op::select),                                       withoutBroadcast},
    };
    // clang-format on
    for (const OpRow& row : opTable())
      if (isBinaryPointwise(row.op)) rules.emplace_back("broadcast operand", onAny(row.op), withoutBroadcast);
    return rules;
  }();
  return all;
}

}  // namespace axle::ir
