#include "ir/stream/state.h"

#include <algorithm>

#include "dims/decide/evaluate.h"

namespace axle::ir {

namespace stream {

namespace {

bool isStreamedSymbol(const StreamQuestion& question, DimVar v) {
  return std::find(question.streamed.begin(), question.streamed.end(), v) != question.streamed.end();
}

bool isOverSymbol(const DimStore& dims, Dim d, DimVar symbol) {
  const auto variables = dims.variables(d);
  return std::all_of(variables.begin(), variables.end(), [&](DimVar v) { return v == symbol; });
}

// Whether a batch run accepts a sequence for this value of the symbol, by the guards that depend on the stream alone.
bool isTaken(State& s, std::int64_t symbol) {
  s.values[s.symbol.index] = symbol;
  return std::all_of(s.question.guards.begin(), s.question.guards.end(), [&](const DimComparison& guard) {
    if (!isOverSymbol(*s.model.dims, guard.left, s.symbol) || !isOverSymbol(*s.model.dims, guard.right, s.symbol))
      return true;
    return decide::holds(*s.model.dims, guard, s.values).value_or(false);
  });
}

}  // namespace

bool mentionsStream(const Model& model, const StreamQuestion& question, Dim d) {
  const auto variables = model.dims->variables(d);
  return std::any_of(variables.begin(), variables.end(), [&](DimVar v) { return isStreamedSymbol(question, v); });
}

std::vector<std::size_t> streamedAxes(const State& s, const Fact& fact) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < fact.shape.size(); ++i)
    if (mentionsStream(s.model, s.question, fact.shape[i])) axes.push_back(i);
  return axes;
}

std::optional<std::int64_t> valueAt(State& s, Dim d, std::int64_t symbol) {
  if (const auto constant = s.model.dims->asConstant(d)) return constant;
  if (!isOverSymbol(*s.model.dims, d, s.symbol)) return std::nullopt;
  s.values[s.symbol.index] = symbol;
  const auto value = decide::evaluate(*s.model.dims, d, s.values);
  if (!value || *value < INT64_MIN / 4 || *value > INT64_MAX / 4) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

bool findSymbols(State& s, Dim first, std::int64_t horizon) {
  s.horizon = horizon;
  const std::int64_t end = horizon + horizon / 4;
  s.symbolAt.assign(static_cast<std::size_t>(end), -1);
  std::int64_t before = -1;
  for (std::int64_t symbol = 0; symbol <= 4 * end + 64; ++symbol) {
    const auto frames = valueAt(s, first, symbol);
    if (!frames) return false;
    if (*frames >= end) return true;
    if (*frames < 0) continue;
    if (*frames <= before && symbol > 64) return false;
    before = *frames;
    if (isTaken(s, symbol)) s.symbolAt[static_cast<std::size_t>(*frames)] = symbol;
  }
  return false;
}

std::optional<Lengths> lengthsAlong(State& s, Dim d) {
  Lengths out;
  out.length.assign(s.symbolAt.size(), -1);
  for (std::size_t n = 0; n < s.symbolAt.size(); ++n) {
    if (s.symbolAt[n] < 0) continue;
    const auto length = valueAt(s, d, s.symbolAt[n]);
    if (!length) return std::nullopt;
    out.length[n] = std::max<std::int64_t>(*length, 0);
  }
  out.sure = out.length;
  std::int64_t least = -1;
  for (std::size_t n = out.sure.size(); n-- > 0;) {
    if (out.length[n] >= 0) least = least < 0 ? out.length[n] : std::min(least, out.length[n]);
    out.sure[n] = std::max<std::int64_t>(least, 0);
  }
  out.length.resize(static_cast<std::size_t>(s.horizon));
  out.sure.resize(static_cast<std::size_t>(s.horizon));
  return out;
}

State begin(const Model& model, const StreamQuestion& question) {
  State s{model, model.main(), question, {}, std::vector<std::int64_t>(model.dims->variableCount()), {}, {}};
  for (OutletId input : s.graph.inputs)
    for (Dim d : s.graph[input].fact.shape)
      for (DimVar v : model.dims->variables(d))
        if (isStreamedSymbol(question, v)) {
          s.symbol = v;
          return s;
        }
  return s;
}

}  // namespace stream

namespace {

// Restores the state of sizes that the analysis was made with.
std::optional<stream::State> stateOf(const Model& model, const StreamQuestion& question,
                                     const StreamAnalysis& analysis) {
  stream::State s = stream::begin(model, question);
  const StreamedInput& first = analysis.inputs.front();
  const Dim length = s.graph[s.graph.inputs[first.input]].fact.shape[first.axis];
  if (!stream::findSymbols(s, length, analysis.horizon)) return std::nullopt;
  return s;
}

}  // namespace

std::optional<Lengths> lengthsOf(const Model& model, const StreamQuestion& question, const StreamAnalysis& analysis,
                                 Dim dim) {
  auto s = stateOf(model, question, analysis);
  return s ? stream::lengthsAlong(*s, dim) : std::nullopt;
}

std::optional<std::int64_t> numberFor(const Model& model, const StreamQuestion& question,
                                      const StreamAnalysis& analysis, Dim dim) {
  auto s = stateOf(model, question, analysis);
  return s ? stream::numberOf(*s, dim, [](std::int64_t) { return true; }) : std::nullopt;
}

}  // namespace axle::ir
