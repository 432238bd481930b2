#include "import/builder/size_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace axle {

void SizeNames::name(DimVar size, const std::string& wish) {
  if (hasName(size)) return;
  std::string name = nameOrFree(size, wish);
  taken_.insert(name);
  names_.emplace(size, std::move(name));
}

std::string SizeNames::nameOrFree(DimVar size, const std::string& wish) const {
  if (const auto found = names_.find(size); found != names_.end()) return found->second;
  const std::string stem = wish.empty() ? "d" : wish;
  std::string name = stem;
  for (int i = 2; taken_.count(name); ++i) name = fmt::format("{}{}", stem, i);
  return name;
}

std::string SizeNames::print(Dim dim) {
  DimStore& dims = solution_.dims;
  const Dim resolved = solution_.resolve(dim);
  for (DimVar v : dims.variables(resolved))
    if (!names_.count(v)) return "?";
  return dims.print(resolved, [&](DimVar v) { return names_.at(v); });
}

std::string SizeNames::printNamed(Dim dim) {
  DimStore& dims = solution_.dims;
  for (DimVar v : dims.variables(solution_.resolve(dim))) name(v, dims.name(v));
  return print(dim);
}

std::string SizeNames::print(const Shape& shape) {
  std::vector<std::string> sizes;
  for (const ShapePart& part : shape) sizes.push_back(print(part.dim));
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

}  // namespace axle
