#include "typecheck/entry/open_ranks.h"

#include <algorithm>
#include <set>

#include "frontend/keywords.h"

namespace axle {
namespace {

void addResults(Solution& solution, TypeId type, std::vector<TypeId>& into) {
  const TypeTerm t = solution.types[solution.resolve(type)];
  if (t.kind != TypeKind::tuple) into.push_back(type);
  if (t.kind == TypeKind::tuple)
    for (TypeId part : t.parts) addResults(solution, part, into);
}

void addLeaves(Solution& solution, InputLeaf leaf, std::vector<InputLeaf>& into) {
  leaf.type = solution.resolve(leaf.type);
  const TypeTerm t = solution.types[leaf.type];
  if (t.kind != TypeKind::tuple) into.push_back(leaf);
  if (t.kind == TypeKind::tuple)
    for (std::size_t i = 0; i < t.parts.size(); ++i)
      addLeaves(solution, {leaf.name + "." + std::to_string(i), leaf.parameter, t.parts[i]}, into);
}

}  // namespace

std::vector<InputLeaf> inputLeaves(Solution& solution, TypeId function, const std::vector<std::string>& parameters) {
  const TypeTerm term = solution.types[solution.resolve(function)];
  std::vector<InputLeaf> all;
  if (term.kind == TypeKind::function)
    for (std::size_t i = 0; i < term.parts.size(); ++i)
      addLeaves(solution, {i < parameters.size() ? parameters[i] : "x" + std::to_string(i), i, term.parts[i]}, all);
  return all;
}

std::optional<OpenShape> openShape(Solution& solution, TypeId type) {
  const TypeTerm tensor = solution.types[solution.resolve(type)];
  if (tensor.kind != TypeKind::tensor) return std::nullopt;
  OpenShape open{tensor.shape};
  for (const ShapePart& part : tensor.shape) {
    if (part.isVar ? solution.shapeVars[part.var.index].runtime : raggedLength(solution, part.dim).has_value())
      return std::nullopt;
    ++(part.isVar ? open.variables : open.sizes);
  }
  return open.variables > 0 ? std::optional(std::move(open)) : std::nullopt;
}

std::vector<std::string> shownNames(const std::vector<std::string>& parameters) {
  return std::ranges::all_of(parameters, isName) ? parameters : std::vector<std::string>();
}

std::optional<OpenEntry> openEntry(Checked& checked, TypeId function, const std::vector<std::string>& parameters,
                                   const EntryOptions& options) {
  Solution& solution = checked.solution;
  const TypeTerm term = solution.types[solution.resolve(function)];
  std::set<std::uint32_t> variables;
  std::optional<OpenEntry> entry;
  const std::vector<InputLeaf> inputs = inputLeaves(solution, function, parameters);
  for (const InputLeaf& input : inputs) {
    for (const ShapePart& part : solution.types[input.type].shape)
      if (part.isVar) variables.insert(part.var.index);
    const auto open = openShape(solution, input.type);
    if (!open || entry || options.inputRanks.count(input.name)) continue;
    entry.emplace();
    entry->input = input.name;
    entry->least = open->sizes;
  }
  if (!entry) return std::nullopt;
  entry->variables = variables.size();
  std::vector<TypeId> types{function};
  for (const InputLeaf& input : inputs) types.push_back(input.type);
  addResults(solution, term.result, types);
  std::vector<std::string> texts = printTypes(checked, types, shownNames(parameters));
  entry->type = texts.front();
  auto results = texts.begin() + 1 + static_cast<std::ptrdiff_t>(inputs.size());
  entry->inputs.assign(texts.begin() + 1, results);
  entry->outputs.assign(results, texts.end());
  return entry;
}

}  // namespace axle
