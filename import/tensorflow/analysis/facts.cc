// What comes out: names of sizes, and a line for each outlet.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostPrinted = 16;  // elements of a value

}  // namespace

void Analysis::nameSize(DimVar v, const std::string& wish) {
  if (called_.count(v)) return;
  std::string name = wish.empty() ? "d" : wish;
  auto isTaken = [&] { return !taken_.insert(name).second; };
  for (int i = 2; isTaken(); ++i) name = fmt::format("{}{}", wish.empty() ? "d" : wish, i);
  called_.emplace(v, std::move(name));
}

void Analysis::nameSizes() {
  DimStore& dims = typer_.solution().dims;
  for (const auto& [name, size] : givenSizes_)
    if (auto is = dims.asVariable(typer_.solution().resolve(size))) nameSize(*is, name);
  for (DimVar v : inputSizes_)
    if (auto is = dims.asVariable(typer_.solution().resolve(dims.variable(v)))) nameSize(*is, dims.name(v));
  for (const Input& input : inputs_)
    for (const ShapePart& part : typer_.solution().resolve(input.shape))
      if (!part.isVar)
        for (DimVar v : dims.variables(part.dim)) nameSize(v, dims.name(v));
}

std::string Analysis::print(Dim d) {
  DimStore& dims = typer_.solution().dims;
  Dim is = typer_.solution().resolve(d);
  for (DimVar v : dims.variables(is))
    if (!called_.count(v)) return "?";
  return dims.print(is, [&](DimVar v) { return called_.at(v); });
}

std::string Analysis::printNamed(Dim d) {
  DimStore& dims = typer_.solution().dims;
  for (DimVar v : dims.variables(typer_.solution().resolve(d))) nameSize(v, dims.name(v));
  return print(d);
}

std::string Analysis::printShape(const OutletFact& fact) {
  auto shape = resolvedShape(fact);
  if (!shape) return "..";
  std::vector<std::string> sizes;
  for (const ShapePart& part : *shape) sizes.push_back(print(part.dim));
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

std::string Analysis::printValue(const OutletFact& fact) {
  if (!fact.known || fact.known->isReal || fact.known->shape.size() > 1 || fact.known->elements.size() > mostPrinted) return {};
  std::vector<std::string> items;
  for (Dim d : fact.known->elements) items.push_back(print(d));
  return fact.known->shape.empty() ? items.front() : fmt::format("[{}]", fmt::join(items, ", "));
}

std::string Analysis::describe(const OutletFact& fact) {
  std::string value = printValue(fact);
  return fmt::format("{} {}{}{}", spelling(fact.type), printShape(fact), value.empty() ? "" : " = ", value);
}

std::vector<Analysis::Line> Analysis::facts() {
  std::vector<Line> lines;
  Frame& main = frames_.front();
  for (std::uint32_t i = 0; i < main.facts.size(); ++i) {
    const Node& node = model_.main.nodes[i];
    const bool isUnknown = refused_.count(NodeId{i}) && node.fed.empty();
    for (std::uint32_t port = 0; port < main.facts[i].size(); ++port) {
      const OutletFact& fact = main.facts[i][port];
      lines.push_back({node.name, port, spelling(fact.type), isUnknown ? ".." : printShape(fact),
                       isUnknown ? std::string() : printValue(fact)});
    }
  }
  return lines;
}

}  // namespace axle::tensorflow
