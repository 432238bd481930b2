#include "import/emit/emit.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "frontend/format.h"
#include "import/emit/layer_recognition.h"
#include "import/emit/loop_recognition.h"
#include "import/emit/passes.h"
#include "import/emit/print.h"
#include "import/emit/repeated_blocks.h"
#include "import/emit/simplify.h"
#include "import/emit/spelling.h"
#include "import/emit/translate.h"
#include "typecheck/checked.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle::emit {

namespace {

// Returns comment lines that give the names in the graph of the entry's inputs and outputs.
std::vector<std::string> portTable(const Emitted& emitted, const Request& request) {
  std::vector<std::string> lines;
  auto add = [&](const char* what, const std::vector<std::string>& here, const std::vector<std::string>& there) {
    for (std::size_t i = 0; i < here.size() && i < there.size(); ++i)
      lines.push_back(fmt::format("{} `{}`: {}", what, here[i], there[i]));
  };
  add("input", emitted.inputs, emitted.inputNames);
  add("output", emitted.outputs, request.outputNames);
  return lines;
}

tl::expected<Emitted, Refusal> writeText(Program& program, const Request& request) {
  nestSingleUses(program);
  collapseTuples(program);
  nestPatterns(program);
  orderWeights(program);
  nameResultsOfLayers(program);
  chooseNames(program);
  Emitted emitted;
  TopFunction& main = program.top.back();
  for (const Parameter& parameter : program[main.function].parameters) {
    emitted.inputs.push_back(program[parameter.symbol].text);
    emitted.inputNames.push_back(program[parameter.symbol].origin);
  }
  for (std::size_t i = 0; i < request.outputNames.size(); ++i)
    emitted.outputs.push_back(request.outputNames.size() == 1 ? "out" : fmt::format("out.{}", i));
  main.doc = portTable(emitted, request);
  for (const Weight& weight : program.weights) emitted.weights.push_back({program[weight.symbol].text, weight.tensor});
  SourceMap sources;
  auto text = format(sources, sources.add("emitted.ax", print(program)));
  if (!text)
    return tl::unexpected(Refusal{"the emitted text does not parse: " + text.error()[0].message, std::nullopt, {}});
  emitted.text = std::move(*text);
  return emitted;
}

// Returns the first name bound by the statement that contains an offset: `a` of `a, b = split(x, parts=2)`. A statement
// begins a line.
std::string boundNameAt(std::string_view text, std::size_t at) {
  constexpr std::string_view equals = " = ";
  for (;;) {
    const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
    if (const std::size_t to = line.find(equals); to != line.npos) {
      line = line.substr(0, to);
      line.remove_prefix(std::min(line.find_first_not_of(" ("), line.size()));
      return std::string(line.substr(0, line.find(',')));
    }
    if (before == text.npos) return {};
    at = before;
  }
}

// Returns the first error of a text, at the node that the statement comes from; none if the text checks.
std::optional<Refusal> refusalOf(const Program& program, const std::string& text, const Request& request) {
  const Diagnostics diagnostics = request.check(text);
  auto error = std::find_if(diagnostics.begin(), diagnostics.end(),
                            [](const Diagnostic& d) { return d.code->severity == Severity::error; });
  if (error == diagnostics.end()) return std::nullopt;
  Refusal refusal{fmt::format("the emitted text does not type-check: {}", error->message), std::nullopt, {}};
  if (request.outputNames.size() == 1) refusal.node = request.outputNames[0];  // for errors in the result
  if (const Span* span = std::get_if<Span>(&error->primary.place)) {
    const std::string name = boundNameAt(text, span->begin);
    auto symbol = std::find_if(program.symbols.begin(), program.symbols.end(), [&](const Symbol& its) {
      return its.kind != SymbolKind::function && !name.empty() && its.text == name;
    });
    if (symbol != program.symbols.end()) refusal.node = symbol->origin;
  }
  return refusal;
}

// Replaces a size that `main` names by a number throughout `main`. A word before `=` is an argument's name and stays.
std::string withNumber(const std::string& text, const std::string& size, const std::string& number) {
  auto isName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  std::size_t at = text.rfind("\nmain = fn");
  std::string made = text.substr(0, at == text.npos ? at = 0 : at);
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && isName(text[end])) ++end;
    const std::string word = text.substr(at, std::max(end, at + 1) - at);
    const bool isArgument = end < text.size() && text[end] == '=' && text.compare(end, 2, "==") != 0;
    made += word == size && !isArgument ? number : word;
    at += word.size();
  }
  return made;
}

// Replaces sizes that the text names by numbers if the program binds them to numbers. A graph may also accept size 1
// there, but a source file names a size only if any value will do.
std::string withoutNarrowedSizes(std::string text, const Diagnostics& found, const Request& request) {
  std::string made = text;
  for (const Diagnostic& d : found) {
    if (d.code != &codes::promiseNarrowed || d.fixes.empty() || d.fixes[0].edits.size() != 1) continue;
    const Edit& edit = d.fixes[0].edits[0];
    if (edit.text.empty() || edit.text.find_first_not_of("0123456789") != edit.text.npos) continue;
    made = withNumber(made, text.substr(edit.span.begin, edit.span.end - edit.span.begin), edit.text);
  }
  if (made == text) return text;
  SourceMap sources;
  auto formatted = format(sources, sources.add("emitted.ax", made));
  return formatted && !hasErrors(request.check(*formatted)) ? *formatted : text;
}

// Returns the text of the first candidate that checks. Candidates come in order of preference.
std::optional<Emitted> firstThatChecks(std::vector<Program> candidates, const Request& request) {
  for (Program& way : candidates) {
    auto emitted = writeText(way, request);
    if (!emitted) continue;
    const Diagnostics found = request.check(emitted->text);
    if (hasErrors(found)) continue;
    emitted->text = withoutNarrowedSizes(std::move(emitted->text), found, request);
    return std::move(*emitted);
  }
  return std::nullopt;
}

bool sizesFollowFromParameters(Checked& checked, TypeId function) {
  const TypeTerm type = checked.solution.types[checked.solution.resolve(function)];
  if (type.kind != TypeKind::function) return true;
  OpenVariables given, made;
  for (TypeId parameter : type.parts) collectVariables(checked.solver, parameter, given);
  collectVariables(checked.solver, type.result, made);
  return std::all_of(made.dims.begin(), made.dims.end(), [&](DimVar v) {
    const DimVarInfo& its = checked.solution.dimVars[v.index];
    const bool isOfTheRun = its.kind == DimKind::runtime && its.rigid;
    return isOfTheRun || std::find(given.dims.begin(), given.dims.end(), v) != given.dims.end();
  });
}

// Binds sizes by equations that every run must meet: `n + m + k == 10` makes k `10 - n - m`. A text that named k would
// promise to accept any size.
void solveEquations(Checked& checked) {
  DimStore& dims = checked.solution.dims;
  for (const Constraint& c : pendingConstraints(checked.solver)) {
    const auto asked = comparisonOf(c);
    if (!asked || asked->relation != FactRelation::eq) continue;
    const Dim left = checked.solution.resolve(asked->left), right = checked.solution.resolve(asked->right);
    const Dim difference = dims.sub(left, right);
    const std::vector<DimVar> variables(dims.variables(difference).begin(), dims.variables(difference).end());
    const auto isFree = [&](DimVar v) {
      const DimVarInfo& its = checked.solution.dimVars[v.index];
      return !its.rigid && its.kind == DimKind::plain;
    };
    const auto givesIt = [&](DimVar v) {
      for (const Dim rest : {dims.sub(difference, dims.variable(v)), dims.add(difference, dims.variable(v))}) {
        const auto others = dims.variables(rest);
        if (std::find(others.begin(), others.end(), v) == others.end()) return true;
      }
      return false;
    };
    if (std::all_of(variables.begin(), variables.end(), isFree) &&
        std::any_of(variables.begin(), variables.end(), givesIt))
      unifyDim(checked.solver, ShapePart::of(left), ShapePart::of(right), c.reason);
  }
  solve(checked.solver);
}

}  // namespace

std::vector<std::string> equateOpenSizes(Checked& checked, bool inside) {
  std::vector<std::string> equal;
  solveEquations(checked);
  const TypeId type = checked.program[checked.rootNames.back().binding].type;
  if (!inside && sizesFollowFromParameters(checked, type)) return equal;
  OpenVariables given;
  for (TypeId parameter : checked.solution.types[checked.solution.resolve(type)].parts)
    collectVariables(checked.solver, parameter, given);
  DimStore& dims = checked.solution.dims;
  auto isOfTheRun = [&](const ShapePart& side) { return checked.solution.kindOf(side.dim) != DimKind::plain; };
  equateBroadcastSizes(checked.solver, [&](const Constraint& c) {
    if (!inside) return true;
    const auto& sizes = std::get<constraint::BroadcastDim>(c.is);
    auto size = dims.asVariable(checked.solution.resolve(sizes.result.dim));
    const bool follows = !size || std::find(given.dims.begin(), given.dims.end(), *size) != given.dims.end();
    return !follows && !isOfTheRun(sizes.left) && !isOfTheRun(sizes.right);
  });
  for (DimVar size : given.dims)
    if (const Dim is = checked.solution.resolve(dims.variable(size)); is != dims.variable(size))
      equal.push_back(fmt::format("{} is {}", dims.name(size), dims.print(is)));
  return equal;
}

tl::expected<Emitted, Refusal> emit(Checked& checked, const Entry& entry, const Request& request) {
  auto program = translate(checked, entry, request);
  if (!program) return tl::unexpected(program.error());
  tidy(*program);
  Program plain = *program;
  flatten(*program);
  simplify(*program, checked, request);
  recognizeLoops(*program, checked);
  tidy(*program);
  simplify(*program, checked, request);
  std::vector<Program> candidates;
  if (Program named = *program; recognizeLayers(named, checked)) {
    simplify(named, checked, request);
    candidates.push_back(std::move(named));
  }
  candidates.push_back(std::move(*program));
  for (Program& way : candidates) {
    shareEqualExpressions(way);
    nameRoles(way);
    shortenOrigins(way);
    nameConstants(way);
    nameAfterLayers(way);
  }
  for (std::size_t i = candidates.size(); i-- > 0;)
    if (Program shared = candidates[i]; extractRepeats(shared, checked.operators))
      candidates.insert(candidates.begin() + static_cast<std::ptrdiff_t>(i), shared);
  for (Program& way : candidates) dropPlainTypes(way, checked);
  if (auto emitted = firstThatChecks(std::move(candidates), request)) return std::move(*emitted);
  auto emitted = writeText(plain, request);
  if (auto refusal = emitted ? refusalOf(plain, emitted->text, request) : std::nullopt) return tl::unexpected(*refusal);
  return emitted;
}

}  // namespace axle::emit
