#include "typecheck/infer/weight_names.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace axle {
namespace {

constexpr std::string_view separators = "/.:";

bool isSeparator(char c) { return separators.find(c) != separators.npos; }

// Where `name` ends like `tensor`, whatever stands between the parts; npos if it does not.
std::size_t endingLike(std::string_view name, std::string_view tensor) {
  if (tensor.size() > name.size()) return name.npos;
  const std::size_t begin = name.size() - tensor.size();
  for (std::size_t i = 0; i < tensor.size(); ++i)
    if (name[begin + i] != tensor[i] && (tensor[i] != '.' || !isSeparator(name[begin + i]))) return name.npos;
  return begin == 0 || isSeparator(name[begin - 1]) ? begin : name.npos;
}

// The name without the number of an output, as in `kernel:0`.
std::string_view withoutPort(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  const bool hasPort = colon != name.npos && name.find_first_not_of("0123456789", colon + 1) == name.npos;
  return name.substr(0, hasPort ? colon : name.npos);
}

// The other name that `name` is for `tensor`: it ends like it, or, if `hasOtherLast`, its parts but the last do.
std::optional<OtherName> asOtherName(const std::string& name, std::string_view tensor, bool hasOtherLast) {
  const std::string_view whole = withoutPort(name);
  const std::size_t last = whole.find_last_of(separators), ours = tensor.rfind('.');
  if (hasOtherLast && (last == whole.npos || ours == tensor.npos)) return std::nullopt;
  const std::string_view parts = hasOtherLast ? whole.substr(0, last) : whole;
  const std::string_view ourParts = hasOtherLast ? tensor.substr(0, ours) : tensor;
  const std::size_t begin = endingLike(parts, ourParts);
  if (begin == parts.npos) return std::nullopt;
  OtherName other{name, {}, {}, {}};
  auto add = [&](const std::string& words) { other.scheme += (other.scheme.empty() ? "" : ", ") + words; };
  if (begin > 0) add(fmt::format("begin with `{}`", whole.substr(0, begin)));
  std::optional<char> between;
  for (std::size_t i = 0; i < ourParts.size(); ++i)
    if (whole[begin + i] != ourParts[i]) between = whole[begin + i];
  if (hasOtherLast && whole[last] != '.') between = whole[last];
  if (between) add(fmt::format("have `{}` between their parts", *between));
  if (whole.size() < name.size()) add(fmt::format("end with `{}`", name.substr(whole.size())));
  if (hasOtherLast) {
    other.last = whole.substr(last + 1);
    other.ours = tensor.substr(ours + 1);
  }
  return other;
}

// Whether the tensor may have the wanted sizes, in any order: layouts differ, too.
bool maySatisfy(const WeightSource& file, const MissingTensor& wanted, const std::string& tensor) {
  const auto found = wanted.sizes ? file.find(tensor) : std::nullopt;
  return !found || std::ranges::is_permutation(found->shape, *wanted.sizes);
}

// Copies of a tensor have longer names: `ema/fc/kernel`.
const OtherName* shortest(const std::vector<OtherName>& names) {
  const auto least = std::ranges::min_element(names, {}, [](const OtherName& each) { return each.tensor.size(); });
  return least == names.end() ? nullptr : &*least;
}

// The name of which only the last part differs; none if several such names may be meant.
std::optional<OtherName> withOtherLast(const WeightSource& file, const MissingTensor& wanted,
                                       const std::set<std::string_view>& taken) {
  std::vector<OtherName> others;
  for (const std::string& name : file.names)
    if (!taken.contains(name))
      if (auto other = asOtherName(name, wanted.name, true)) others.push_back(std::move(*other));
  if (others.size() > 1)
    std::erase_if(others, [&](const OtherName& other) { return !maySatisfy(file, wanted, other.tensor); });
  const bool isSure = std::ranges::all_of(others, [&](const OtherName& other) { return other.last == others[0].last; });
  return others.empty() || !isSure ? std::nullopt : std::optional(*shortest(others));
}

}  // namespace

OtherNames otherNames(const WeightSource& file, const std::vector<std::string>& named,
                      const std::vector<MissingTensor>& missing) {
  OtherNames found;
  std::set<std::string_view> taken(named.begin(), named.end());  // by tensors that the program names
  for (const std::string& tensor : named) {
    std::vector<OtherName> alike;
    for (const std::string& name : file.names)
      if (auto other = asOtherName(name, tensor, false)) {
        taken.insert(name);
        alike.push_back(std::move(*other));
      }
    const bool isMissing = std::ranges::find(missing, tensor, &MissingTensor::name) != missing.end();
    if (const OtherName* likeliest = shortest(alike); likeliest && isMissing) found.emplace(tensor, *likeliest);
  }
  std::map<std::string, std::size_t> uses;  // by tensor of the file
  for (const MissingTensor& wanted : missing)
    if (!found.contains(wanted.name))
      if (auto other = withOtherLast(file, wanted, taken)) {
        ++uses[other->tensor];
        found.emplace(wanted.name, std::move(*other));
      }
  std::erase_if(found, [&](const auto& each) { return uses[each.second.tensor] > 1; });
  return found;
}

std::string wordsOf(const std::vector<OtherName>& names) {
  std::string last, ours;
  std::set<std::pair<std::string_view, std::string_view>> told;
  for (const OtherName& name : names) {
    if (name.last.empty() || !told.emplace(name.last, name.ours).second) continue;
    last += (last.empty() ? "`" : ", `") + name.last + "`";
    ours += (ours.empty() ? "`" : ", `") + name.ours + "`";
  }
  const std::string& scheme = names.front().scheme;
  if (last.empty()) return scheme;
  return fmt::format("{}{}have {} where the source has {}", scheme, scheme.empty() ? "" : ", ", last, ours);
}

}  // namespace axle
