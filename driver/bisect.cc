#include "driver/bisect.h"

#include <vector>

#include "driver/run/compare.h"
#include "driver/run/exit_codes.h"
#include "driver/run/inputs.h"
#include "runtime/session.h"

namespace axle::driver {

namespace {

using runtime::Session;

// A session that has run, and what the compilation reported about its last patch.
struct Ran {
  TensorBytes bundle;
  std::vector<run::PortValue> inputs;  // an output may be one of them
  std::optional<Session> session;
  std::size_t patches = 0;
  std::string lastPatch;
};

run::Outcome<Ran> runWith(CompileOptions compile, run::RunOptions options, std::optional<std::size_t> mostPatches) {
  compile.mostPatches = mostPatches;
  Compilation compilation(std::move(compile));
  if (compilation.reach(Stage::check)) options.sets = compilation.takeInputSizes();
  std::optional<Bundle> bundle = compilation.bundle();
  if (!bundle) return run::fail(exitErrors, "the model is not compiled: `axc build` tells why");
  Ran ran{bundle->inMemory(), {}, std::nullopt, compilation.patches(), compilation.lastPatch()};
  auto session = Session::fromMemory(ran.bundle.bytes, ran.bundle.owner);
  if (!session) return run::fail(session.error());
  auto inputs = run::takeInputs(*session, options);
  if (!inputs) return tl::unexpected(inputs.error());
  ran.inputs = std::move(*inputs);
  std::vector<runtime::NamedTensor> tensors;
  for (const run::PortValue& input : ran.inputs) tensors.push_back({session->inputs()[input.port].name, input.view});
  if (const auto bound = session->bind(tensors); !bound) return run::fail(bound.error());
  if (const auto done = session->run(); !done) return run::fail(done.error());
  ran.session.emplace(std::move(*session));
  return ran;
}

// Returns how the first output that differs does so; empty if all agree.
std::string difference(const Ran& ran, const Ran& reference, const run::Tolerance& tolerance) {
  for (std::size_t i = 0; i < reference.session->outputs().size(); ++i) {
    const runtime::TensorView actual = ran.session->output(i), expected = reference.session->output(i);
    if (actual.elem == Elem::string) continue;
    const run::Comparison comparison = run::compare(actual, expected, tolerance);
    if (!comparison.met()) return run::comparisonText(ran.session->outputs()[i].name, comparison, actual, expected);
  }
  return "";
}

}  // namespace

run::Outcome<Bisection> bisect(const CompileOptions& compile, const run::RunOptions& options) {
  const auto reference = runWith(compile, options, 0);
  if (!reference) return tl::unexpected(reference.error());
  auto all = runWith(compile, options, std::nullopt);
  if (!all) return tl::unexpected(all.error());
  Bisection result;
  result.patches = all->patches;
  result.difference = difference(*all, *reference, options.tolerance);
  if (result.difference.empty()) return result;
  result.patch = all->lastPatch;
  std::size_t good = 0, bad = all->patches;  // with `good` patches the results agree, with `bad` they do not
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    const auto ran = runWith(compile, options, middle);
    if (!ran) return tl::unexpected(ran.error());
    const std::string differs = difference(*ran, *reference, options.tolerance);
    if (differs.empty()) {
      good = middle;
      continue;
    }
    bad = middle;
    result.patch = ran->lastPatch;
    result.difference = differs;
  }
  result.first = bad;
  return result;
}

}  // namespace axle::driver
