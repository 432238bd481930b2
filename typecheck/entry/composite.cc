#include "typecheck/entry/composite.h"

#include <map>

#include <fmt/format.h>

#include "import/builder/graph_typer.h"

namespace axle {
namespace {

struct Interface {
  std::string_view name;
  std::size_t inputs, outputs;
  std::string_view signature;
};

// Of cells: the input, the output and the cell before, [input and output; gates], the gates' bias, and what the kind
// adds. Of Keras's layers: the sequence, the state, kernels, bias; the last output, all of them, the state, the device.
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

// Types of one solution in another: sizes that were one are one again.
class Copy {
 public:
  Copy(Solution& from, GraphTyper& to, Span at) : from_(from), to_(to), at_(at) {}

  TypeId of(std::optional<TypeId> type) {
    if (!type) return unknown();
    const TypeTerm term = from_.types[from_.resolve(*type)];
    if (term.kind != TypeKind::tensor) return unknown();
    Shape shape;
    for (const ShapePart& part : from_.resolve(term.shape))
      shape.push_back(part.isVar ? to_.unknownShape("s").front() : ShapePart::of(of(part.dim)));
    return to_.tensor(term.elem.isVar ? to_.unknownElem() : term.elem, std::move(shape), at_);
  }

 private:
  TypeId unknown() { return to_.tensor(to_.unknownElem(), to_.unknownShape("s"), at_); }

  Dim of(Dim dim) {
    if (auto value = from_.dims.asConstant(dim)) return to_.constant(*value);
    auto [known, isNew] = sizes_.try_emplace(dim);
    if (isNew) known->second = to_.unknownSize("n");
    return known->second;
  }

  Solution& from_;
  GraphTyper& to_;
  Span at_;
  std::map<Dim, Dim> sizes_;
};

}  // namespace

std::string whyNotComposite(std::string_view implements, Solution& solution, const Types& inputs,
                            const Types& outputs) {
  const Interface* wanted = interfaceNamed(implements);
  if (!wanted) return {};
  if (inputs.size() != wanted->inputs)
    return fmt::format("it takes {}, not {}", counted(inputs.size()), wanted->inputs);
  if (outputs.size() != wanted->outputs)
    return fmt::format("it gives {}, not {}", counted(outputs.size()), wanted->outputs);
  const std::string text = fmt::format("op composite : {};", wanted->signature);
  const CoreOp row{"composite", text, "", 0};
  SourceMap sources;
  Span at{sources.add(std::string(implements), " "), 0, 1};
  Diagnostics told;
  GraphTyper typer(sources, {&row, 1}, told);
  Copy copy(solution, typer, at);
  std::vector<TypedId> arguments;
  for (std::optional<TypeId> type : inputs) arguments.push_back(typer.opaque("input", copy.of(type), at));
  std::vector<TypeId> results;
  for (std::optional<TypeId> type : outputs) results.push_back(copy.of(type));
  const std::string subject = fmt::format("`{}`", implements);
  auto made = typer.apply("composite", at, std::move(arguments), {}, subject);
  if (made) typer.unify(typer.typeOf(*made), results.size() == 1 ? results.front() : typer.tuple(results), at, subject);
  if (told.empty()) typer.settleFacts();
  return told.empty() ? std::string() : told.front().message;
}

}  // namespace axle
