// Removes from the names of values and weights the parts that the names of all layers share.
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "import/emit/node_names.h"
#include "import/emit/spelling.h"

namespace axle::emit {

namespace {

bool isAlphabetic(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// The scopes before the layers in the names of values, and the call number at the end of each layer's name: Keras calls
// the layer `conv_bn` of a model as `resnet50_1/conv_bn_1`.
struct CallScopes {
  Words scopes;
  std::string number;
  friend bool operator==(const CallScopes&, const CallScopes&) = default;
};

std::string withoutCallNumber(const std::string& part) { return part.substr(0, part.size() - callNumber(part).size()); }

// Returns those that all values of the `layers` share; none if they differ.
std::optional<CallScopes> callScopes(const Program& program, const std::set<std::string>& layers) {
  std::optional<CallScopes> found;
  for (const Symbol& symbol : program.symbols) {
    if (symbol.kind != SymbolKind::value) continue;
    const Words parts = informativeParts(symbol.origin);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const bool isLayer = layers.count(parts[i]) != 0;
      if (!isLayer && !layers.count(withoutCallNumber(parts[i]))) continue;
      const CallScopes its{Words(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i)),
                           isLayer ? std::string() : std::string(callNumber(parts[i]))};
      if (found && *found != its) return std::nullopt;
      found = its;
      break;
    }
  }
  return found;
}

// Returns how many scopes at the beginning a name can lose: all but its layer and itself, without uninformative parts
// at the end. 1 for `model/dense/Cast/ReadVariableOp`.
std::size_t removableScopes(const Words& parts) {
  const auto last = std::find_if_not(parts.rbegin(), parts.rend(), isUninformative);
  const auto telling = static_cast<std::size_t>(parts.rend() - last);
  const std::size_t kept = isAnonymous(parts) ? 1 : 2;
  return telling - std::min(telling, kept);
}

}  // namespace

void shortenOrigins(Program& program) {
  std::vector<Words> weights;  // constants have no scope
  for (const Weight& weight : program.weights)
    if (Words parts = partsOf(program[weight.symbol].origin); parts.size() > 1) weights.push_back(std::move(parts));
  if (weights.size() < 2) return;
  auto areAll = [&](const auto& is) { return std::all_of(weights.begin(), weights.end(), is); };
  std::size_t scopes = 0;  // that all share
  while (areAll([&](const Words& its) { return removableScopes(its) > scopes && its[scopes] == weights[0][scopes]; }))
    ++scopes;
  auto layer = [&](const Words& its) -> const std::string& { return its[scopes]; };
  const Words shared(weights[0].begin(), weights[0].begin() + static_cast<std::ptrdiff_t>(scopes));
  if (!areAll([&](const Words& its) { return its.size() > scopes + 1; })) return;
  std::string number(callNumber(layer(weights[0])));
  if (!areAll([&](const Words& its) { return callNumber(layer(its)) == number; })) number.clear();
  // Finds the words that all layers begin with, followed by letters.
  std::string words = layer(weights[0]);
  for (const Words& its : weights) {
    std::size_t same = 0;
    while (same < words.size() && same < layer(its).size() && words[same] == layer(its)[same]) ++same;
    words.resize(same);
  }
  auto hasMore = [&](const std::string& part) {
    return part.size() > words.size() && part.starts_with(words) && isAlphabetic(part[words.size()]);
  };
  words.resize(words.find_last_of('_') + 1);
  if (!areAll([&](const Words& its) { return hasMore(layer(its)); })) words.clear();
  std::set<std::string> layers;
  for (const Words& its : weights) layers.insert(layer(its));
  const CallScopes called = callScopes(program, layers).value_or(CallScopes{shared, ""});
  for (Symbol& symbol : program.symbols) {
    const bool isWeight = symbol.kind == SymbolKind::weight;
    if (symbol.kind != SymbolKind::value && !isWeight) continue;
    Words parts = isWeight ? partsOf(symbol.origin) : informativeParts(symbol.origin);
    const Words& before = isWeight ? shared : called.scopes;
    if (parts.size() <= before.size() || !std::equal(before.begin(), before.end(), parts.begin())) continue;
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(before.size()));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string& suffix = isWeight || called.number.empty() ? number : called.number;
      const bool mayHaveSuffix = (i == 0 || !isWeight) && i + 1 < parts.size() && !suffix.empty();
      if (mayHaveSuffix && callNumber(parts[i]) == suffix) parts[i].resize(parts[i].size() - suffix.size());
      if (!words.empty() && (i == 0 || i + 1 < parts.size()) && hasMore(parts[i])) parts[i].erase(0, words.size());
    }
    symbol.origin = pathOf(parts);
  }
}

}  // namespace axle::emit
