#include "typecheck/entry/composite_interfaces.h"

#include <map>

#include <fmt/format.h>

#include "typecheck/infer/expressions.h"
#include "typecheck/infer/inference.h"
#include "typecheck/infer/operators.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

struct Interface {
  std::string_view name;
  std::size_t inputs, outputs;
  std::string_view signature;
};

// A cell takes the input, the output and the cell state of the previous step, the kernel [input and output; gates], the
// gates' bias, and the additional operands of its kind. A Keras layer takes the sequence, the state, the kernels and
// the bias, and returns the last output, all outputs, the state and the device.
constexpr Interface interfaces[] = {
    {"LSTMCellSimple", 5, 2, "(t [n, i], t [n, u], t [n, u], t [i + u, 4*u], t [4*u]) -> (t [n, u], t [n, u])"},
    {"LSTM_peephole", 8, 2,
     "(t [n, i], t [n, u], t [n, u], t [i + u, 4*u], t [4*u], t [u], t [u], t [u]) -> (t [n, u], t [n, u])"},
    {"LSTM_projection", 6, 2,
     "(t [n, i], t [n, p], t [n, u], t [i + p, 4*u], t [4*u], t [u, p]) -> (t [n, p], t [n, u])"},
    {"LayerNormalizedLstmCellSimple", 6, 2,
     "(t [n, i], t [n, u], t [n, u], t [i + u, 4*u], t [4*u], t [4*u]) -> (t [n, u], t [n, u])"},
    {"addons:MaxUnpooling2D", 2, 1, "(t [n, h, w, c], i [n, h, w, c]) -> t [n, p, q, c]"},
    {"embedding_lookup", 2, 1, "(t [v, d], i q) -> t q @ [d]"},
    {"embedding_matmul", 2, 1, "(t [v, d], i q) -> t q @ [d]"},
    {"gelu", 1, 1, "(t s) -> t s"},
    {"gru", 5, 4, "(t [a, b, i], t [n, u], t [i, 3*u], t [u, 3*u], t c) -> (t [n, u], t [p, q, u], t [n, u], t [])"},
    {"hard_swish", 1, 1, "(t s) -> t s"},
    {"lstm", 6, 5,
     "(t [a, b, i], t [n, u], t [n, u], t [i, 4*u], t [u, 4*u], t [4*u])"
     " -> (t [n, u], t [p, q, u], t [n, u], t [n, u], t [])"},
};

const Interface* interfaceNamed(std::string_view name) {
  for (const Interface& row : interfaces)
    if (row.name == name) return &row;
  return nullptr;
}

std::string counted(std::size_t count) { return fmt::format("{} tensor{}", count, count == 1 ? "" : "s"); }

// Checks the interface's signature as an operator, in a solution of its own. Types of the function are copied into it:
// sizes that are equal there are equal here.
class InterfaceCheck {
 public:
  InterfaceCheck(const Interface& wanted, Solution& solution)
      : from_(solution),
        text_(fmt::format("op composite : {};", wanted.signature)),
        row_{"composite", text_, "", 0},
        at_{sources_.add(std::string(wanted.name), " "), 0, 1},
        subject_(fmt::format("`{}`", wanted.name)),
        checked_(modules_, sources_, {&row_, 1}),
        inference_(checked_, options_, diagnostics_) {
    checked_.isGraph = true;  // so messages name no parameters
  }

  // Returns the first error of applying the signature to the inputs, or of taking its results as the outputs; empty if
  // there is none.
  std::string mismatch(const Types& inputs, const Types& outputs) {
    std::vector<TypedId> arguments;
    for (std::optional<TypeId> type : inputs) arguments.push_back(opaque(copy(type)));
    TypeTerm results;
    results.kind = TypeKind::tuple;
    for (std::optional<TypeId> type : outputs) results.parts.push_back(copy(type));
    const auto signature = checked_.operators.find("composite", inputs.size());
    const TypedId applied = applyOperator(inference_, {*signature, at_, {}, std::move(arguments), {}, {}, subject_});
    if (settle(inference_)) {
      Reason why;
      why.span = at_;
      why.subject = subject_;
      const TypeId wanted =
          results.parts.size() == 1 ? results.parts.front() : checked_.solution.types.add(std::move(results));
      unify(checked_.solver, checked_.solution.resolve(checked_.program[applied].type), wanted,
            checked_.provenance.add(std::move(why)));
      if (settle(inference_)) settleAllFacts();
    }
    return diagnostics_.empty() ? std::string() : diagnostics_.front().message;
  }

 private:
  void settleAllFacts() {
    while (settleFacts(checked_.solver, [](const Constraint&) { return true; })) solve(checked_.solver);
    settle(inference_);
  }

  // Makes an argument of this type.
  TypedId opaque(TypeId type) {
    return inferReference(inference_, declare(checked_.program, "input", at_, BindingKind::value, type), at_);
  }

  TypeId copy(std::optional<TypeId> type) {
    const TypeTerm term = type ? from_.types[from_.resolve(*type)] : TypeTerm{};
    if (term.kind != TypeKind::tensor) return tensor(unknownElem(), {unknownShape()});
    Shape shape;
    for (const ShapePart& part : from_.resolve(term.shape))
      shape.push_back(part.isVar ? unknownShape() : ShapePart::of(copy(part.dim)));
    return tensor(term.elem.isVar ? unknownElem() : term.elem, std::move(shape));
  }

  Dim copy(Dim dim) {
    if (auto value = from_.dims.asConstant(dim)) return checked_.solution.dims.constant(*value);
    auto [known, isNew] = sizes_.try_emplace(dim);
    if (isNew) known->second = freshDimTerm(checked_.solver, "n");
    return known->second;
  }

  ElemTerm unknownElem() { return ElemTerm::of(freshElem(checked_.solver, "")); }
  ShapePart unknownShape() { return ShapePart::of(freshShape(checked_.solver, "s")); }

  TypeId tensor(ElemTerm elem, Shape shape) {
    Origin origin;
    origin.span = at_;
    TypeTerm term;
    term.kind = TypeKind::tensor;
    term.elem = elem;
    term.shape = std::move(shape);
    term.origin = checked_.provenance.add(std::move(origin));
    for (ShapePart& part : term.shape) part.origin = term.origin;
    return checked_.solution.types.add(std::move(term));
  }

  Solution& from_;
  const std::string text_;
  const CoreOp row_;
  SourceMap sources_;
  const Span at_;
  const std::string subject_;
  const Modules modules_;
  const CheckOptions options_;
  Diagnostics diagnostics_;
  Checked checked_;
  Inference inference_;
  std::map<Dim, Dim> sizes_;  // copies
};

}  // namespace

std::string compositeMismatch(std::string_view implements, Solution& solution, const Types& inputs,
                              const Types& outputs) {
  const Interface* wanted = interfaceNamed(implements);
  if (!wanted) return {};
  if (inputs.size() != wanted->inputs)
    return fmt::format("it takes {}, not {}", counted(inputs.size()), wanted->inputs);
  if (outputs.size() != wanted->outputs)
    return fmt::format("it gives {}, not {}", counted(outputs.size()), wanted->outputs);
  return InterfaceCheck(*wanted, solution).mismatch(inputs, outputs);
}

}  // namespace axle
