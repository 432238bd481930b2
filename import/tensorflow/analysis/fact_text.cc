#include "import/tensorflow/analysis/fact_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/node_list.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostPrinted = 16;  // elements of a value

}  // namespace

void nameInputSizes(Analysis& analysis) {
  Solution& solution = analysis.typer.solution();
  DimStore& dims = solution.dims;
  for (const auto& [name, size] : analysis.hints.sizes)
    if (auto variable = dims.asVariable(solution.resolve(size))) analysis.sizeNames.name(*variable, name);
  for (DimVar v : analysis.inputSizes)
    if (auto variable = dims.asVariable(solution.resolve(dims.variable(v))))
      analysis.sizeNames.name(*variable, dims.name(v));
  for (const Input& input : analysis.inputs)
    for (const ShapePart& part : solution.resolve(input.shape))
      if (!part.isVar)
        for (DimVar v : dims.variables(part.dim)) analysis.sizeNames.name(v, dims.name(v));
}

namespace {

bool isOfOutlet(Analysis& analysis, DimVar size) {
  Solution& solution = analysis.typer.solution();
  const auto mentions = [&](Dim dim) {
    const auto variables = solution.dims.variables(solution.resolve(dim));
    return std::find(variables.begin(), variables.end(), size) != variables.end();
  };
  const auto isIn = [&](const OutletFact& fact) {
    const auto shape = resolvedShape(analysis.typer, fact);
    if (shape && std::any_of(shape->begin(), shape->end(), [&](const ShapePart& part) { return mentions(part.dim); }))
      return true;
    return fact.known && std::any_of(fact.known->elements.begin(), fact.known->elements.end(), mentions);
  };
  for (const Frame& frame : analysis.frames)
    for (const OutletFacts& facts : frame.facts)
      if (std::any_of(facts.begin(), facts.end(), isIn)) return true;
  return false;
}

}  // namespace

std::string nameInMessage(Analysis& analysis, DimVar size) {
  const std::string& own = analysis.typer.solution().dims.name(size);
  nameInputSizes(analysis);
  if (!analysis.sizeNames.hasName(size) && isOfOutlet(analysis, size)) analysis.sizeNames.name(size, own);
  return analysis.sizeNames.nameOrFree(size, own);
}

std::string printShape(Analysis& analysis, const OutletFact& fact) {
  const auto shape = resolvedShape(analysis.typer, fact);
  return shape ? analysis.sizeNames.print(*shape) : "..";
}

std::string printValue(Analysis& analysis, const OutletFact& fact) {
  const std::optional<Known>& known = fact.known;
  if (!known || known->isReal || known->shape.size() > 1 || known->elements.size() > mostPrinted) return {};
  std::vector<std::string> items;
  for (Dim d : known->elements) items.push_back(analysis.sizeNames.print(d));
  return known->shape.empty() ? items.front() : fmt::format("[{}]", fmt::join(items, ", "));
}

std::string printFact(Analysis& analysis, const OutletFact& fact) {
  const std::string value = printValue(analysis, fact);
  return fmt::format("{} {}{}{}", spelling(fact.type), printShape(analysis, fact), value.empty() ? "" : " = ", value);
}

std::vector<FactLine> factLines(Analysis& analysis, bool withFunctions) {
  std::vector<FactLine> lines;
  for (const ListedNode& listed : listNodes(analysis, withFunctions)) {
    const bool isMain = listed.frame == &analysis.main();
    const bool isUnknown = isMain && analysis.refused.count(listed.id) && listed.node().fed.empty();
    const OutletFacts& facts = listed.frame->facts[listed.id.index];
    for (std::uint32_t port = 0; port < facts.size(); ++port)
      lines.push_back({listed.path, port, spelling(facts[port].type),
                       isUnknown ? ".." : printShape(analysis, facts[port]),
                       isUnknown ? std::string() : printValue(analysis, facts[port])});
  }
  return lines;
}

}  // namespace axle::tensorflow
