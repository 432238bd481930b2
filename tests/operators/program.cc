#include "tests/operators/program.h"

#include <algorithm>

#include "typecheck/entry/entry_codes.h"

namespace axle::test {

std::string Program::rendered() {
  std::string out;
  for (const Diagnostic& d : compilation_->diagnostics()) out += render(d, compilation_->sources());
  return out;
}

Program::Program(const std::string& text, std::span<const CoreOp> operators) {
  driver::CompileOptions options;
  options.path = "case.ax";
  options.load.texts[fileIdentity(options.path)] = text;
  options.operators = operators;
  options.offersFixes = false;
  options.runsPasses = false;
  compilation_ = std::make_unique<driver::Compilation>(options);
  if (!compilation_->reach(driver::Stage::prepare)) {
    // An entry with text cannot be compiled because of its types; the operator itself accepted them.
    const Diagnostics& diagnostics = compilation_->diagnostics();
    const bool ofText = std::any_of(diagnostics.begin(), diagnostics.end(),
                                    [](const Diagnostic& d) { return d.code == &codes::entryText; });
    (ofText ? problem_ : refusal_) = rendered();
    return;
  }
  for (const EntryPort& port : compilation_->entry()->outputs) addResult(port);
  if (compilation_->reach(driver::Stage::lower)) return;
  problem_ = compilation_->bug();
  if (problem_.empty()) refusal_ = rendered();
}

void Program::addResult(const EntryPort& port) {
  Solution& solution = axle::solution(compilation_->checked());
  const TypeTerm& term = solution.types[port.type];
  std::size_t at = results_.size();
  results_.push_back({term.elem.elem, {}});
  for (const ShapePart& part : term.shape) {
    if (!raggedLength(solution, part.dim)) {
      results_[at].sizes.push_back(solution.dims.asConstant(part.dim));
      continue;
    }
    std::optional<std::int64_t> splits = 1;  // 1 + the number of elements before the length
    for (const auto& size : results_[at].sizes) splits = splits && size ? std::optional(*splits * *size) : std::nullopt;
    if (splits) ++*splits;
    results_.push_back({Elem::i64, {splits}});
    results_[at].sizes.assign(1, std::nullopt);  // the rows of all elements
  }
}

std::optional<runtime::Session> Program::session(std::string& text) {
  auto bundle = compilation_->bundle();
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
