#include "ir/import/emit/emit.h"

#include <fmt/format.h>

#include "frontend/format.h"
#include "ir/import/emit/names.h"
#include "ir/import/emit/passes.h"
#include "ir/import/emit/print.h"
#include "ir/import/emit/translate.h"

namespace axle::emit {

namespace {

// Which of the entry's names stand for which of the graph's.
std::vector<std::string> tableOf(const Emitted& emitted, const Request& request) {
  std::vector<std::string> lines;
  auto add = [&](const char* what, const std::vector<std::string>& here, const std::vector<std::string>& there) {
    for (std::size_t i = 0; i < here.size() && i < there.size(); ++i)
      lines.push_back(fmt::format("{} `{}`: {}", what, here[i], there[i]));
  };
  add("input", emitted.inputs, request.inputNames);
  add("output", emitted.outputs, request.outputNames);
  return lines;
}

}  // namespace

tl::expected<Emitted, Refusal> emit(Checked& checked, const Entry& entry, const Request& request) {
  auto program = translate(checked, entry, request);
  if (!program) return tl::unexpected(program.error());
  runPasses(*program);
  chooseNames(*program);
  Emitted emitted;
  TopFunction& main = program->top.back();
  for (const Parameter& parameter : (*program)[main.function].parameters)
    emitted.inputs.push_back((*program)[parameter.symbol].text);
  for (std::size_t i = 0; i < request.outputNames.size(); ++i)
    emitted.outputs.push_back(request.outputNames.size() == 1 ? "out" : fmt::format("out.{}", i));
  main.doc = tableOf(emitted, request);
  for (const Weight& weight : program->weights)
    emitted.weights.push_back({(*program)[weight.symbol].text, weight.tensor});
  SourceMap sources;
  auto text = format(sources, sources.add("emitted.ax", print(*program)));
  if (!text) return tl::unexpected(Refusal{"what was written is no program: " + text.error()[0].message, std::nullopt});
  emitted.text = std::move(*text);
  return emitted;
}

}  // namespace axle::emit
