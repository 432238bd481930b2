#include "import/tensorflow/analysis/analysis.h"

#include <fmt/format.h>

#include "import/tensorflow/analysis/apply_hints.h"
#include "import/tensorflow/analysis/conditions.h"
#include "import/tensorflow/analysis/conflict_origins.h"
#include "import/tensorflow/analysis/fact_text.h"
#include "import/tensorflow/analysis/followed_values.h"
#include "import/tensorflow/analysis/guards.h"
#include "import/tensorflow/analysis/loop_iterations.h"
#include "import/tensorflow/analysis/merged_branches.h"
#include "import/tensorflow/analysis/signature_shapes.h"
#include "import/tensorflow/analysis/visit_nodes.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostRounds = 100;
constexpr std::size_t mostRuns = 6;  // the last run assumes of no loop state that it keeps its shape

// Retries nodes that wait for a rank, a size or a value, until nothing new is learnt.
void settle(Analysis& analysis) {
  for (std::size_t round = 1;; ++round) {
    bool learnt = retryWaiting(analysis);
    learnt |= inferMergedCases(analysis);
    learnt |= inferLoopStates(analysis);
    learnt = learnt || followIterations(analysis);
    if (!learnt || round >= mostRounds) return;
    followAllValues(analysis);
  }
}

}  // namespace

Analysis::Analysis(const Model& model, SourceMap& sources, Diagnostics& diagnostics, std::vector<Hint> given,
                   LoopShapeAssumptions assumptions)
    : model(model),
      sources(sources),
      diagnostics(diagnostics),
      typer(sources, graphOperators(), diagnostics),
      sizeNames(typer.solution()),
      firstDiagnostic(diagnostics.size()) {
  typer.checked().solver.nameOf = [this](DimVar size) { return nameInMessage(*this, size); };
  loops.invariants.assumptions = std::move(assumptions);
  hints.all = std::move(given);
  for (const Port& input : model.inputs)
    if (!input.asked.empty())
      if (auto hint = parseHint(fmt::format("--input {}={}", input.name, input.asked), input.name, input.asked))
        hints.all.push_back(std::move(*hint));
}

void report(Analysis& analysis, Diagnostic diagnostic, Frame* frame) {
  analysis.diagnostics.push_back(std::move(diagnostic));
  attributeDiagnostics(analysis, frame);
}

void attributeDiagnostics(Analysis& analysis, Frame* frame) {
  analysis.reportingFrame.resize(analysis.diagnostics.size() - analysis.firstDiagnostic, frame);
}

void run(Analysis& analysis) {
  analysis.mainPlaces = list(analysis.model.main, analysis.model.path, "", analysis.sources);
  placeHints(analysis);
  Frame& main = openFrame(analysis, analysis.model.main, analysis.mainPlaces, "");
  main.runsAlways = !choosesNodes(analysis.model.main);
  visitAll(analysis, main);
  settle(analysis);
  analysis.typer.settleFacts();
  nameInputSizes(analysis);
  checkConditions(analysis);
  checkMergedBranches(analysis);
  addConflictOrigins(analysis);
  findGuards(analysis);
}

namespace {

// `graphShapes` are the inputs whose signature is ignored: their shape is the graph's.
void analyseWith(std::optional<Analysis>& analysis, const Model& model, SourceMap& sources, Diagnostics& diagnostics,
                 const std::vector<Hint>& hints, const std::set<std::string>& graphShapes, const InferredRanks& ranks) {
  const std::size_t before = diagnostics.size();
  LoopShapeAssumptions assumptions{true, {}, {}};
  for (std::size_t i = 0;; ++i) {
    analysis.emplace(model, sources, diagnostics, hints, assumptions);
    analysis->graphShapes = graphShapes;
    analysis->inferredRanks = ranks;
    run(*analysis);
    if (analysis->loops.invariants.assumed.empty()) return;
    const bool isChanging = addChangingStates(*analysis, assumptions), failed = hasErrors(diagnostics);
    if (!isChanging && !failed) return;
    assumptions.areMade = isChanging && i + 2 < mostRuns;
    diagnostics.resize(before);
  }
}

}  // namespace

void analyse(std::optional<Analysis>& analysis, Model& model, SourceMap& sources, Diagnostics& diagnostics,
             const std::vector<Hint>& hints) {
  const std::size_t before = diagnostics.size();
  const auto accepts = [&](const std::set<std::string>& graphShapes, const InferredRanks& ranks) {
    diagnostics.resize(before);
    analyseWith(analysis, model, sources, diagnostics, hints, graphShapes, ranks);
    return !hasErrors(diagnostics);
  };
  std::set<std::string> graphShapes;
  const std::set<std::string> completed = inputsCompletedBySignature(model);
  if (!accepts({}, {}) && !completed.empty()) {
    if (!accepts(completed, {})) {
      accepts({}, {});  // the signature does not cause the errors
    } else {
      graphShapes = completed;
      if (const auto wrong = inputsContradictingSignature(*analysis); !wrong.empty() && wrong != completed) {
        if (accepts(wrong, {}))
          graphShapes = wrong;
        else
          accepts(completed, {});
      }
    }
  }
  const InferredRanks ranks = hasErrors(diagnostics) ? InferredRanks() : inferredRanks(*analysis);
  if (!ranks.empty() && !accepts(graphShapes, ranks)) accepts(graphShapes, {});
  correctSignature(*analysis, model);
}

}  // namespace axle::tensorflow
