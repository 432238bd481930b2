#include "tests/operators/program.h"

#include <algorithm>

#include "backend/bundle.h"
#include "backend/evaluate.h"
#include "frontend/parser.h"
#include "ir/lower/lower.h"
#include "ir/passes/pass.h"
#include "typecheck/codes.h"

namespace axle::test {

std::string Program::rendered() {
  std::string out;
  for (const Diagnostic& d : diagnostics_) out += render(d, sources_);
  return out;
}

Program::Program(const std::string& text, std::span<const CoreOp> operators) {
  SourceId source = sources_.add("case.ax", text);
  modules_.modules.push_back(parseModule(sources_, source, "case", diagnostics_));
  modules_.imports.emplace_back();
  CheckOptions options;
  options.operators = operators;
  if (!hasErrors(diagnostics_)) checked_ = check(modules_, sources_, options, diagnostics_);
  if (!hasErrors(diagnostics_)) entry_ = prepareEntry(*checked_, {}, diagnostics_);
  if (!entry_ || hasErrors(diagnostics_)) {
    // That an entry holds no text is said of its types alone: the operator took them.
    bool ofText = std::any_of(diagnostics_.begin(), diagnostics_.end(),
                              [](const Diagnostic& d) { return d.code == &codes::entryText; });
    (ofText ? problem_ : refusal_) = rendered();
    return;
  }
  const Solution& solution = axle::solution(*checked_);
  for (const EntryPort& port : entry_->outputs) {
    const TypeTerm& term = solution.types[port.type];
    PortType& type = results_.emplace_back();
    type.elem = term.elem.elem;
    for (const ShapePart& part : term.shape) type.sizes.push_back(solution.dims.asConstant(part.dim));
  }
  ir::Lowered lowered = ir::lower(*checked_, *entry_, diagnostics_);
  model_ = std::move(lowered.model);
  problem_ = lowered.bug;
  if (!model_ && problem_.empty()) refusal_ = rendered();
  if (!model_) return;
  if (auto wrong = ir::verify(*model_)) problem_ = "the graph does not hold: " + *wrong;
}

std::optional<runtime::Session> Program::session(std::string& text) {
  Interface interface;
  interface.entryType = entry_->type;
  std::vector<std::vector<Dim>> shapes;
  for (const EntryPort& port : entry_->inputs) {
    interface.inputTypes.push_back(port.text);
    shapes.emplace_back();
    for (const ShapePart& part : axle::solution(*checked_).types[port.type].shape) shapes.back().push_back(part.dim);
    for (const auto& [axis, symbol] : port.named) shapes.back()[axis] = symbol;
  }
  for (const EntryPort& port : entry_->outputs) interface.outputTypes.push_back(port.text);
  for (const DimFact& guard : entry_->guards) interface.guards.push_back({guard, printFact(*checked_, guard)});
  interface.symbols = bindSymbols(*model_->dims, entry_->symbols, shapes).bound;
  auto bundle = makeBundle(*model_, interface, sources_, {}, diagnostics_);
  text = bundle ? "" : rendered();
  if (!bundle) return std::nullopt;
  auto bytes = std::make_shared<TensorBytes>(bundle->inMemory());
  auto session = runtime::Session::fromMemory(bytes->bytes, bytes);
  if (!session) text = session.error().text();
  return session ? std::optional(std::move(*session)) : std::nullopt;
}

Ran run(runtime::Session& session, const std::vector<runtime::Tensor>& inputs) {
  std::vector<runtime::NamedTensor> named;
  if (inputs.size() != session.inputs().size()) return {"the number of inputs differs", false};
  for (std::size_t i = 0; i < inputs.size(); ++i) named.push_back({session.inputs()[i].name, inputs[i].view()});
  if (auto bound = session.bind(named); !bound) return {bound.error().text(), false};
  if (auto ran = session.run(); !ran) return {ran.error().text(), true};
  return {};
}

std::string textOf(const PortType& type) {
  std::string out(info(type.elem).name);
  out += " [";
  for (std::size_t i = 0; i < type.sizes.size(); ++i)
    out += (i ? ", " : "") + (type.sizes[i] ? std::to_string(*type.sizes[i]) : std::string("_"));
  return out + "]";
}

}  // namespace axle::test
