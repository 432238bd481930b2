#include "tools/repl/evaluate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "driver/compile.h"
#include "driver/run/failure.h"
#include "driver/run/report.h"
#include "runtime/session.h"
#include "tools/axc/terminal.h"
#include "tools/repl/handlers.h"
#include "tools/repl/interruptible.h"
#include "tools/repl/output.h"
#include "typecheck/report/query.h"

namespace axle::repl {

namespace {

constexpr const char* valueName = "the expression";

// Removes the name from `out : f32 [3]`, and `out` from the name of a tuple's part.
std::string withoutName(std::string text) {
  constexpr std::string_view alone = "out : ", part = "out";
  return text.substr(text.starts_with(alone) ? alone.size() : part.size());
}

void printOutputs(const runtime::Session& session) {
  for (std::size_t i = 0; i < session.outputs().size(); ++i) {
    const std::string text = withoutName(run::outputText(session.outputs()[i].name, session.output(i)));
    const std::size_t end = text.find('\n');  // of the type
    std::fputs((typeText(text.substr(0, end)) + text.substr(std::min(end, text.size()))).c_str(), stdout);
  }
}

bool failed(const runtime::RunError& error) {
  run::report(run::fail(error).value(), stderr);
  return false;
}

// Compiles a checked value, ready to run. Returns nothing, and prints why, if it does not compile.
std::optional<runtime::Session> compiled(Session& session, bool folds = true) {
  Program& program = session.program();
  driver::CompileOptions options;
  options.path = typedPath;
  options.entry = valueName;
  options.optimise = folds ? 1 : 0;
  driver::Compilation compilation(options, {*program.checked, program.sources, session.weightBytes()});
  std::optional<Bundle> bundle = compilation.bundle();
  axc::report(compilation);
  if (!bundle) return std::nullopt;
  TensorBytes bytes = bundle->inMemory();
  auto loaded = runtime::Session::fromMemory(bytes.bytes, bytes.owner);
  if (!loaded) return failed(loaded.error()), std::nullopt;
  if (auto bound = loaded->bind({}); !bound) return failed(bound.error()), std::nullopt;
  return std::move(*loaded);
}

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Times runs of an expression for one second, at least one and at most 1000.
bool timed(Session& session, const InputText& typed) {
  constexpr double enough = 1000;
  constexpr std::size_t most = 1000;
  const auto start = Clock::now();
  auto value = session.defineValue(valueName, session.placeInSource(typed));
  if (!value) return false;
  if (isFunction(*session.program().checked, *value)) return printError("a function is timed when it is called");
  auto ready = compiled(session);
  if (!ready) return false;
  std::printf("compile: %.4g ms\n", millisecondsSince(start));
  if (ready->info().operators.empty()) {  // a run would compute nothing
    std::printf("its value is known when it is compiled; the run computes it nevertheless\n");
    ready = compiled(session, false);
    if (!ready) return false;
  }
  std::vector<double> times;
  for (const auto first = Clock::now(); times.empty() || (millisecondsSince(first) < enough && times.size() < most);) {
    const auto begin = Clock::now();
    if (auto done = ready->run(); !done) return failed(done.error());
    times.push_back(millisecondsSince(begin));
  }
  std::fputs(run::timesText(std::move(times)).c_str(), stdout);
  return true;
}

}  // namespace

bool evaluate(Session& session, const InputText& typed) {
  std::optional<BindingId> value = session.defineValue(valueName, session.placeInSource(typed));
  if (!value) return false;
  if (isFunction(*session.program().checked, *value)) {
    std::printf("%s\n", typeText(printSignature(*session.program().checked, *value)).c_str());
    return true;
  }
  auto ready = compiled(session);
  if (!ready) return false;
  if (auto done = ready->run(); !done) return failed(done.error());
  printOutputs(*ready);
  return true;
}

bool timeValue(Session& session, const InputText& typed) {
  if (typed.text.empty()) return printError("`:time` takes an expression");
  return runInChild([&] { return timed(session, typed); });
}

}  // namespace axle::repl
