#include "ir/lower/facts.h"

#include "ir/lower/ragged.h"
#include "ir/lower/run_sizes.h"

namespace axle::codes {

const DiagnosticCode functionAsValue{"E0511", Severity::error, "a function where only tensors can flow"};
const DiagnosticCode openSize{"E0515", Severity::error, "a size that is known only in the middle of a run"};

}  // namespace axle::codes

namespace axle::ir::lowering {

namespace {

constexpr Message<> undefinedSize{codes::openSize, "a size here is too large to compute, or divides by 0"};
constexpr Message<> sizeOfOpenRank{
    codes::openSize, "`match` on a tensor whose rank only the run knows is checked, but cannot be compiled yet",
    "has a size that such a `match` names"};
constexpr Message<arg::Size> unknownSize{
    codes::openSize, "the size `{}` follows neither from the inputs nor from what comes before", "has this size"};
constexpr Message<> unknownRank{codes::openSize, "the rank of a tensor here is known only in the middle of a run",
                                "has this rank"};
constexpr Message<arg::Size> unknownLengths{
    codes::openSize, "the lengths `{}` follow neither from the inputs nor from what comes before", "has these lengths"};
constexpr Message<arg::Subject> functionInTensors{codes::functionAsValue, "a function may not be {}"};

}  // namespace

void failFunctionAsValue(Context& c, const char* where, Span span) {
  fail(c, Diagnostic(functionInTensors, span, arg::Subject{where}));
}

bool checkSizeKnown(Context& c, Dim dim, Span span) {
  if (c.knownDims.count(dim.index)) return true;
  if (c.dims().isUndefined(dim)) {
    fail(c, Diagnostic(undefinedSize, span));
    return false;
  }
  bool usesRunSizes = false;
  for (DimVar v : c.dims().variables(dim)) {
    if (isRunSizeKnown(c, v)) {
      usesRunSizes = true;
    } else if (!c.symbols.count(v.index)) {
      if (c.solution.dimVars[v.index].maker == "`match`")
        fail(c, Diagnostic(sizeOfOpenRank, span)
                    .addHelp("give the tensor its rank where it comes from: `x : f32 [n, d]` instead of `x : f32 ?s`"));
      else
        fail(c, Diagnostic(unknownSize, span, arg::Size{c.solution.printSize(dim)})
                    .addHelp("only sizes that are known when they are needed can be compiled: a bare number takes any "
                             "length, `arange(10)` has its own"));
      return false;
    }
  }
  if (!usesRunSizes) c.knownDims.insert(dim.index);
  return true;
}

std::optional<std::vector<Dim>> flatShape(Context& c, const Shape& shape, Span span) {
  std::vector<Dim> flat;
  for (const ShapePart& part : shape) {
    // An open shape of a literal becomes []. A rank known only at run time stays open.
    if (part.isVar && c.solution.shapeVars[part.var.index].runtime)
      return fail(c, Diagnostic(unknownRank, span)
                         .addHelp("a bundle is compiled for one rank: annotate the tensor with its dimensions"));
    if (part.isVar) continue;
    if (auto length = raggedLength(c.solution, part.dim)) {
      const RaggedLengths* lengths = findRaggedLengths(c, *length);
      if (!lengths) return fail(c, Diagnostic(unknownLengths, span, arg::Size{c.solution.printSize(part.dim)}));
      flat = {lengths->rows};
    } else {
      flat.push_back(part.dim);
    }
    if (!checkSizeKnown(c, flat.back(), span)) return std::nullopt;
  }
  return flat;
}

namespace {

std::optional<Fact> tensorFact(Context& c, const TypeTerm& tensor, Span span) {
  Fact out;
  if (tensor.elem.isVar)  // only operators that take any element type read it; entries use the same defaults
    out.elem = c.solution.elemVars[tensor.elem.var.index].elemClass == ElemClass::floating ? Elem::f32 : Elem::i64;
  else
    out.elem = tensor.elem.elem;
  std::optional<std::vector<Dim>> shape = flatShape(c, tensor.shape, span);
  if (!shape) return std::nullopt;
  out.shape = std::move(*shape);
  return out;
}

}  // namespace

std::optional<Fact> factOfType(Context& c, TypeId type, Span span) {
  TypeTerm term = c.type(c.matchBoundSizes ? c.solution.resolve(type) : type);
  if (term.kind == TypeKind::tensor) return tensorFact(c, term, span);
  return reportBug(c, "its type is not a tensor", span);
}

bool factsOf(Context& c, TypeId type, std::vector<Fact>& into, Span span, const char* where) {
  TypeTerm term = c.type(type);
  if (term.kind == TypeKind::function) {
    failFunctionAsValue(c, where, span);
    return false;
  }
  if (term.kind != TypeKind::tuple) {
    std::optional<Fact> one = factOfType(c, type, span);
    if (one) into.push_back(std::move(*one));
    return one.has_value();
  }
  for (TypeId part : term.parts)
    if (!factsOf(c, part, into, span, where)) return false;
  return true;
}

}  // namespace axle::ir::lowering
