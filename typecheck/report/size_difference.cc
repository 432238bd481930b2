#include "typecheck/report/size_difference.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "typecheck/report/guesser.h"

namespace axle {

namespace {

constexpr std::int64_t greatestFactor = 16;  // of sizes with names

// A size without the number that is added to it last, if it has names: `8*w` of `8*w - 2`; empty for others.
std::string withoutConstant(const std::string& size) {
  const std::size_t last = size.rfind(' ');
  const bool hasTerms = last != std::string::npos && last >= 2 && numberOf(size.substr(last + 1));
  const bool isSum = hasTerms && (size[last - 1] == '+' || size[last - 1] == '-') && size[last - 2] == ' ';
  const std::string rest = isSum ? size.substr(0, last - 2) : size;
  const bool hasName = std::ranges::any_of(rest, [](unsigned char c) { return std::isalpha(c) != 0; });
  return hasName && rest.find_first_of("`[(,") == std::string::npos ? rest : std::string();
}

// What a name is multiplied by: 4 of `4*w`, 1 of `w`.
std::int64_t timesOf(const std::string& size) {
  const std::size_t star = size.find('*');
  return star == std::string::npos ? 1 : numberOf(size.substr(0, star)).value_or(1);
}

std::int64_t wholeFactor(std::int64_t one, std::int64_t other) {
  const auto [least, most] = std::minmax(one, other);
  return least > 0 && most % least == 0 ? most / least : 1;
}

// The shapes of what the operator that fails computes with, or joins, of those that are known.
std::vector<std::vector<Dim>> givenShapes(Guesser& g) {
  const Span place = std::get<Span>(g.diagnostic.primary.place);
  std::vector<Span> given;
  if (const auto* binary = g.nodeAt<ast::ExprBinary>(place))
    given = {g.module[binary->left].span, g.module[binary->right].span};
  else if (const auto call = std::ranges::find(g.calls(), place, &Application::span);
           call != g.calls().end() && calleeOf(g, *call) == "concat")
    given = call->arguments;
  std::vector<std::vector<Dim>> shapes;
  for (const Span argument : given)
    if (std::vector<Dim> sizes = g.sizesOf(argument); !sizes.empty()) shapes.push_back(std::move(sizes));
  return shapes;
}

// How many times the smaller size the larger one is; 1 where it is no multiple, or the smaller one is stretched.
std::int64_t timesAsLarge(DimStore& dims, Dim large, Dim small) {
  const auto most = dims.asConstant(large), least = dims.asConstant(small);
  if (least == 1) return 1;
  if (most && least) return *most > *least ? wholeFactor(*most, *least) : 1;
  std::int64_t factor = 2;
  while (factor <= greatestFactor && dims.mul(small, dims.constant(factor)) != large) ++factor;
  return factor <= greatestFactor ? factor : 1;
}

bool isLarger(DimStore& dims, const std::vector<Dim>& large, const std::vector<Dim>& small) {
  const std::int64_t factor = timesAsLarge(dims, large[1], small[1]);
  return factor > 1 && factor == timesAsLarge(dims, large[2], small[2]);
}

}  // namespace

SizeDifference sizeDifference(const Guesser& g) {
  const std::vector<std::string>& told = g.diagnostic.arguments;
  if (told.size() < 2) return {};
  const std::string &one = told[told.size() - 2], &other = told.back();
  if (const auto first = numberOf(one), second = numberOf(other); first && second)
    return {wholeFactor(*first, *second)};
  if (g.multiplesOf()) return {wholeFactor(timesOf(one), timesOf(other)), true};
  const std::string names = withoutConstant(one);
  return {1, true, !names.empty() && names == withoutConstant(other)};
}

bool differAsImages(Guesser& g) {
  constexpr std::size_t ofImages = 4;  // axes
  const std::vector<std::vector<Dim>> shapes = givenShapes(g);
  DimStore& dims = g.checked.solution.dims;
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    const std::vector<Dim>&one = shapes[i - 1], &other = shapes[i];
    if (one.size() != ofImages || other.size() != ofImages) continue;
    if (isLarger(dims, one, other) || isLarger(dims, other, one)) return true;
  }
  return false;
}

}  // namespace axle
