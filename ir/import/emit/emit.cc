#include "ir/import/emit/emit.h"

#include <fmt/format.h>

#include "frontend/format.h"
#include "frontend/parser.h"
#include "ir/import/emit/names.h"
#include "ir/import/emit/passes.h"
#include "ir/import/emit/print.h"
#include "ir/import/emit/repeats.h"
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
  add("input", emitted.inputs, emitted.inputNames);
  add("output", emitted.outputs, request.outputNames);
  return lines;
}

tl::expected<Emitted, Refusal> written(Program program, const Request& request) {
  nest(program);
  chooseNames(program);
  Emitted emitted;
  TopFunction& main = program.top.back();
  for (const Parameter& parameter : program[main.function].parameters) {
    emitted.inputs.push_back(program[parameter.symbol].text);
    emitted.inputNames.push_back(program[parameter.symbol].wish);
  }
  for (std::size_t i = 0; i < request.outputNames.size(); ++i)
    emitted.outputs.push_back(request.outputNames.size() == 1 ? "out" : fmt::format("out.{}", i));
  main.doc = tableOf(emitted, request);
  for (const Weight& weight : program.weights) emitted.weights.push_back({program[weight.symbol].text, weight.tensor});
  SourceMap sources;
  auto text = format(sources, sources.add("emitted.ax", print(program)));
  if (!text) return tl::unexpected(Refusal{"what was written is no program: " + text.error()[0].message, std::nullopt});
  emitted.text = std::move(*text);
  return emitted;
}

bool isAccepted(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  Modules modules;
  modules.modules.push_back(parseModule(sources, sources.add("emitted.ax", text), "emitted", diagnostics));
  modules.imports.emplace_back();
  if (!hasErrors(diagnostics)) check(modules, sources, {}, diagnostics);
  return !hasErrors(diagnostics);
}

}  // namespace

// Functions say less of the types inside than the graph does: where that is too little, blocks stay as they are.
tl::expected<Emitted, Refusal> emit(Checked& checked, const Entry& entry, const Request& request) {
  auto program = translate(checked, entry, request);
  if (!program) return tl::unexpected(program.error());
  tidy(*program);
  if (Program shared = *program; shareRepeats(shared))
    if (auto emitted = written(std::move(shared), request); emitted && isAccepted(emitted->text)) return emitted;
  return written(std::move(*program), request);
}

}  // namespace axle::emit
