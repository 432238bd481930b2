#include "import/tensorflow/analysis/fact_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"
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

std::vector<FactLine> factLines(Analysis& analysis) {
  std::vector<FactLine> lines;
  const Frame& main = analysis.main();
  for (std::uint32_t i = 0; i < main.facts.size(); ++i) {
    const Node& node = main[NodeId{i}];
    const bool isUnknown = analysis.refused.count(NodeId{i}) && node.fed.empty();
    for (std::uint32_t port = 0; port < main.facts[i].size(); ++port) {
      const OutletFact& fact = main.facts[i][port];
      lines.push_back({node.name, port, spelling(fact.type), isUnknown ? ".." : printShape(analysis, fact),
                       isUnknown ? std::string() : printValue(analysis, fact)});
    }
  }
  return lines;
}

}  // namespace axle::tensorflow
