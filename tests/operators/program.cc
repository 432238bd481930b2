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
  for (const EntryPort& port : entry_->outputs) addResult(port);
  ir::Lowered lowered = ir::lower(*checked_, *entry_, diagnostics_);
  model_ = std::move(lowered.model);
  problem_ = lowered.bug;
  if (!model_ && problem_.empty()) refusal_ = rendered();
  if (!model_) return;
  if (auto wrong = ir::verify(*model_)) problem_ = "the graph does not hold: " + *wrong;
}

void Program::addResult(const EntryPort& port) {
  Solution& solution = axle::solution(*checked_);
  const TypeTerm& term = solution.types[port.type];
  std::size_t at = results_.size();
  results_.push_back({term.elem.elem, {}});
  for (const ShapePart& part : term.shape) {
    if (!raggedLength(solution, part.dim)) {
      results_[at].sizes.push_back(solution.dims.asConstant(part.dim));
      continue;
    }
    std::optional<std::int64_t> splits = 1;  // one more than there are elements before the length
    for (const auto& size : results_[at].sizes) splits = splits && size ? std::optional(*splits * *size) : std::nullopt;
    if (splits) ++*splits;
    results_.push_back({Elem::i64, {splits}});
    results_[at].sizes.assign(1, std::nullopt);  // rows of all elements
  }
}

std::optional<runtime::Session> Program::session(std::string& text) {
  Interface interface;
  interface.entryType = entry_->type;
  interface.inputTypes.assign(model_->inputNames.size(), "");
  interface.outputTypes.assign(model_->outputNames.size(), "");
  std::vector<std::vector<Dim>> shapes;
  for (InputTensor& input : inputTensors(axle::solution(*checked_), *entry_, true))
    shapes.push_back(std::move(input.shape));
  for (const auto* facts : {&entry_->guards, &model_->checks})
    for (const DimFact& fact : *facts) interface.guards.push_back({fact, printFact(*checked_, fact)});
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

PortType typeOf(const runtime::TensorView& view) {
  PortType type{view.elem, {}};
  for (std::int64_t size : view.shape) type.sizes.emplace_back(size);
  return type;
}

std::string textOf(const PortType& type) {
  std::string out(info(type.elem).name);
  out += " [";
  for (std::size_t i = 0; i < type.sizes.size(); ++i)
    out += (i ? ", " : "") + (type.sizes[i] ? std::to_string(*type.sizes[i]) : std::string("_"));
  return out + "]";
}

}  // namespace axle::test
