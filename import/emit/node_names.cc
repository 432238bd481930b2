#include "import/emit/node_names.h"

#include <algorithm>
#include <cctype>

#include "frontend/lower_case.h"

namespace axle::emit {

namespace {

bool isDecimal(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

Words partsOf(std::string_view path) {
  Words parts;
  std::string part;
  for (char c : path) {
    if (c != '/') {
      part += c;
      continue;
    }
    if (!part.empty()) parts.push_back(std::move(part));
    part.clear();
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

Words informativeParts(std::string_view path) {
  Words parts = partsOf(path);
  const auto first = std::find_if_not(parts.begin(), parts.end(), isUninformative);
  parts.erase(parts.begin(), first);
  return parts;
}

std::string pathOf(const Words& parts) {
  std::string path;
  for (const std::string& part : parts) path += (path.empty() ? "" : "/") + part;
  return path;
}

bool isUninformative(const std::string& part) {
  static constexpr std::string_view all[] = {"ReadVariableOp",
                                             "read",
                                             "Read",
                                             "resource",
                                             "ExpandDims",
                                             "Identity",
                                             "while",
                                             "merge",
                                             "enter",
                                             "exit",
                                             "body",
                                             "cond",
                                             "StatefulPartitionedCall",
                                             "PartitionedCall"};
  const std::size_t digits = part.find_first_not_of('_');
  if (digits != part.npos && part.find_first_not_of("0123456789", digits) == part.npos) return true;
  return std::any_of(std::begin(all), std::end(all), [&](std::string_view word) {
    return part == word ||
           (part.starts_with(word) && part.size() > word.size() && part[word.size()] == '_' &&
            std::all_of(part.begin() + static_cast<std::ptrdiff_t>(word.size()) + 1, part.end(), isDecimal));
  });
}

bool isOperatorName(std::string_view path) {
  static constexpr std::string_view all[] = {"add",     "concat", "div",  "maximum", "minimum", "mul", "neg",    "pow",
                                             "realdiv", "rsqrt",  "sqrt", "square",  "stack",   "sub", "truediv"};
  std::string name(path.substr(0, path.size() - callNumber(path).size()));
  if (!name.empty()) name[0] = lowerCase(name[0]);  // `Add_3` of Keras
  return std::find(std::begin(all), std::end(all), name) != std::end(all);
}

bool isConstantName(std::string_view path) { return path.substr(0, path.size() - callNumber(path).size()) == "Const"; }

bool isAnonymous(const Words& parts) {
  return !parts.empty() && std::all_of(parts.back().begin(), parts.back().end(), isDecimal);
}

std::string_view callNumber(std::string_view part) {
  const std::size_t end = part.find_last_not_of("0123456789");
  const bool isNumbered = end != part.npos && end > 0 && end + 1 < part.size() && part[end] == '_';
  return isNumbered ? part.substr(end) : std::string_view();
}

std::string_view scopeOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string_view commonScope(std::string_view a, std::string_view b) {
  while (a != b) {
    std::string_view& longer = a.size() >= b.size() ? a : b;
    if (longer.empty()) break;
    longer = scopeOf(longer);
  }
  return a;
}

}  // namespace axle::emit
