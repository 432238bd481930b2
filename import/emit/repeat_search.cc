#include "import/emit/repeat_search.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "import/emit/operator_syntax.h"

namespace axle::emit {

namespace {

constexpr std::size_t minStatements = 3, maxStatements = 4000;  // of a function; of a block that is searched
constexpr std::size_t bestQuality = 8;
constexpr std::size_t mostLengths = 12;  // of lengths after which an occurrence differs

bool isWordEnd(char c) { return c == '/' || c == '_'; }

bool isNumber(const std::string& text) { return text.find_first_not_of("0123456789-") == text.npos; }

// Returns `[2, 2]` for a list of numbers.
std::optional<std::string> numbersOf(const Program& program, NodeId id) {
  if (program[id].kind != NodeKind::list) return std::nullopt;
  std::string out;
  for (NodeId part : program[id].parts) {
    if (program[part].text.empty() || !isNumber(program[part].text)) return std::nullopt;
    out += (out.empty() ? "" : ", ") + program[part].text;
  }
  return "[" + out + "]";
}

// Reads the computation of a statement.
struct FormReader {
  const Program& program;
  OperatorTable& operators;
  std::string form;  // without operands and settings, as text for comparison
  std::vector<Setting> settings;

  // Returns false if the computation cannot move into a function: it contains one, or names of sizes.
  bool read(NodeId id) {
    const Node& node = program[id];
    if (node.function || (node.kind == NodeKind::size && !isNumber(node.text))) return false;
    form += "(" + std::to_string(static_cast<int>(node.kind)) + " " + node.text;
    if (node.kind == NodeKind::symbol) form += program[node.symbol].kind == SymbolKind::weight ? "w" : "v";
    if (node.kind == NodeKind::call && node.symbol) form += "#" + std::to_string(node.symbol.index);
    for (const IndexItem& item : node.items)
      form += "[" + std::to_string(static_cast<int>(item.kind)) + item.start + ":" + item.stop + ":" + item.step;
    for (NodeId part : node.parts)
      if (!read(part)) return false;
    const std::set<std::string> settingNames = readSettings(id);
    for (const Named& named : node.named) {
      if (settingNames.count(named.name)) continue;
      form += "," + named.name + "=";
      if (!read(named.value)) return false;
    }
    form += ")";
    return true;
  }

  // Returns the names of the call's settings.
  std::set<std::string> readSettings(NodeId id) {
    const Node& node = program[id];
    std::set<std::string> names;
    const auto op = node.kind == NodeKind::call && !node.symbol ? operators.find(node.text, node.parts.size())
                                                                : std::optional<std::uint32_t>();
    if (!op) return names;
    for (ListAttribute& list : listAttributes(operators[*op])) {
      const auto given = std::ranges::find(node.named, list.name, &Named::name);
      const auto value = given == node.named.end() ? std::move(list.otherwise) : numbersOf(program, given->value);
      if (!value) continue;
      names.insert(list.name);
      settings.push_back({id, std::move(list.name), *value});
    }
    return names;
  }
};

bool isValue(const Program& program, NodeId id) {
  return program[id].kind == NodeKind::symbol && program[program[id].symbol].kind != SymbolKind::weight;
}

// Whether the statement adds two values that come from statements or the block's parameters.
bool isSum(const Program& program, const Statement& statement) {
  const Node& node = program[statement.value];
  return program.isCall(statement.value, "+") && node.parts.size() == 2 && isValue(program, node.parts[0]) &&
         isValue(program, node.parts[1]) && program[node.parts[0]].symbol != program[node.parts[1]].symbol;
}

// Whether the statement applies a function of one value to the name that `before` defines.
bool isActivationOf(const Program& program, const Statement& statement, const Statement& before) {
  const Node& node = program[statement.value];
  return node.kind == NodeKind::call && !node.symbol && node.parts.size() == 1 && node.named.empty() &&
         program[node.parts[0]].kind == NodeKind::symbol && before.names.size() == 1 &&
         program[node.parts[0]].symbol == before.names[0];
}

// Whether the statement normalizes or activates a value that only it reads from `before`: the two belong to one layer.
bool completes(const Program& program, const Statement& statement, const Statement& before) {
  const Node& node = program[statement.value];
  if (isActivationOf(program, statement, before)) return true;
  return node.kind == NodeKind::call && node.text.find("norm") != std::string::npos && !node.parts.empty() &&
         program[node.parts[0]].kind == NodeKind::symbol && before.names.size() == 1 &&
         program[node.parts[0]].symbol == before.names[0];
}

// Searches for other occurrences of the statements that begin at `first`.
struct Search {
  const Program& program;
  const Block& block;
  const BlockFlow& flow;
  std::size_t first;

  // Whether the statements at `other` read the same values as those at `first`: corresponding values within the repeat,
  // and outside values that correspond one to one.
  bool haveSameDataFlow(std::size_t other, std::size_t length) const {
    std::map<std::uint32_t, std::uint32_t> means, meantBy;
    for (std::size_t i = 0; i < length; ++i) {
      const std::vector<NodeId>&x = flow.reads[first + i], &y = flow.reads[other + i];
      if (x.size() != y.size()) return false;
      for (std::size_t k = 0; k < x.size(); ++k) {
        const SymbolId a = program[x[k]].symbol, b = program[y[k]].symbol;
        const bool isInside = flow.isInside(a, first, length);
        if (isInside != flow.isInside(b, other, length)) return false;
        if (isInside) {
          const BlockFlow::Place inA = flow.places[a.index], inB = flow.places[b.index];
          if (inA.statement - first != inB.statement - other || inA.name != inB.name) return false;
        } else if (means.emplace(a.index, b.index).first->second != b.index ||
                   meantBy.emplace(b.index, a.index).first->second != a.index) {
          return false;
        }
      }
    }
    return true;
  }

  bool haveSameSettings(std::size_t other, std::size_t length) const {
    for (std::size_t i = 0; i < length; ++i)
      if (!std::ranges::equal(flow.settings[first + i], flow.settings[other + i], {}, &Setting::value, &Setting::value))
        return false;
    return true;
  }

  bool isScope(std::size_t start, std::size_t length) const {
    const auto inside = flow.sharedWords.begin() + static_cast<std::ptrdiff_t>(start);
    const std::size_t least = *std::min_element(inside + 1, inside + static_cast<std::ptrdiff_t>(length));
    return flow.sharedWords[start] < least && flow.sharedWords[start + length] < least;
  }

  bool isResidual(std::size_t start, std::size_t length) const {
    if (!flow.endsSum[start + length] || flow.live[start] != 1) return false;
    const auto inside = flow.endsSum.begin() + static_cast<std::ptrdiff_t>(start);
    return std::find(inside + 1, inside + static_cast<std::ptrdiff_t>(length), true) ==
           inside + static_cast<std::ptrdiff_t>(length);
  }

  // Returns the number of statements from the first on that together read weights of at most `count` layers. Only
  // weights that are read once count: the same function may read the others.
  std::size_t lengthWithLayers(std::size_t count) const {
    std::set<std::uint32_t> layers;
    for (std::size_t i = first; i < flow.forms.size(); ++i) {
      for (NodeId read : flow.reads[i]) {
        const SymbolId symbol = program[read].symbol;
        if (program[symbol].kind == SymbolKind::weight && flow.timesRead[symbol.index] == 1)
          layers.insert(flow.layers[symbol.index]);
      }
      if (layers.size() > count) return i - first;
    }
    return flow.forms.size() - first;
  }

  // Returns the lengths worth trying: those after which an occurrence differs from the first, and those that end a
  // scope or a sum.
  std::set<std::size_t> lengths(const std::vector<std::size_t>& others, const std::vector<std::uint32_t>& alike,
                                std::size_t limit) const {
    std::set<std::size_t> lengths;
    std::size_t most = 0;
    for (std::size_t j : others) {
      const std::size_t length = std::min({std::size_t{alike[j]}, j - first, limit});
      most = std::max(most, length);
      if (length >= minStatements) lengths.insert(length);
    }
    // If single statements repeat, as in a regular chain, each occurrence has a different length.
    while (lengths.size() > mostLengths) lengths.erase(lengths.begin());
    bool hasSum = flow.live[first] != 1;  // no residual block begins here
    std::size_t least = BlockFlow::none;
    for (std::size_t length = 2; length <= most; ++length) {
      least = std::min(least, flow.sharedWords[first + length - 1]);
      const bool endsScope = flow.sharedWords[first] < least && flow.sharedWords[first + length] < least;
      const bool endsSum = !hasSum && flow.endsSum[first + length];
      hasSum = hasSum || endsSum;
      if (length >= minStatements && (endsScope || endsSum)) lengths.insert(length);
    }
    return lengths;
  }

  // Whether a boundary separates two calls of one function: the blocks of a stage, which only differ in their weights.
  bool cutsRun(std::size_t boundary) const {
    if (boundary == 0 || boundary >= flow.forms.size()) return false;
    const Node& call = program[block.statements[boundary].value];
    return call.kind == NodeKind::call && call.symbol && flow.forms[boundary - 1] == flow.forms[boundary];
  }

  bool cutsNoLayer(std::size_t start, std::size_t length) const {
    return !flow.isInLayer[start] && !flow.isInLayer[start + length];
  }

  // Rates how well occurrences other than the first are cut. One that cuts a layer counts 1. Others count 2, and 2 more
  // each if they are a scope, have a residual sum, or (if `ends` are given) have one value in and one out.
  std::size_t qualityOf(const Repeat& repeat, const std::vector<Boundary>* ends) const {
    std::size_t quality = 0;
    std::set<std::pair<std::size_t, std::size_t>> results;
    if (ends)
      for (const Boundary& each : *ends) results.insert(each.results.begin(), each.results.end());
    for (std::size_t k = 1; k < repeat.starts.size(); ++k) {
      auto isValue = [&](SymbolId symbol) { return program[symbol].kind != SymbolKind::weight; };
      auto hasOneValue = [&](const Boundary& its) {
        return results.size() == 1 && std::count_if(its.reads.begin(), its.reads.end(), isValue) == 1;
      };
      const std::size_t start = repeat.starts[k];
      if (!cutsNoLayer(start, repeat.length)) {
        ++quality;
        continue;
      }
      quality += 2;
      if (!ends || hasOneValue((*ends)[k])) quality += 2;
      if (isScope(start, repeat.length)) quality += 2;
      if (isResidual(start, repeat.length)) quality += 2;
    }
    return quality;
  }

  // Occurrences with other settings than the first are only taken if they are blocks by their names or sums: the first
  // layers of a network are often like a block of another stride.
  void dropOtherSettings(Repeat& repeat, const RepeatLimits& limits) const {
    auto isBlock = [&](std::size_t start) { return isScope(start, repeat.length) || isResidual(start, repeat.length); };
    const bool mayVary = varyingSettings(flow, repeat).size() <= limits.maxStatics && isBlock(first);
    std::erase_if(repeat.starts,
                  [&](std::size_t j) { return !haveSameSettings(j, repeat.length) && !(mayVary && isBlock(j)); });
  }

  // Returns the best repeat that gains at least `least`.
  std::optional<Repeat> best(const std::vector<std::uint32_t>& alike, std::size_t least,
                             const RepeatLimits& limits) const {
    std::vector<std::size_t> others;
    for (std::size_t j = first + minStatements; j < flow.forms.size(); ++j)
      if (alike[j] >= minStatements) others.push_back(j);
    std::optional<Repeat> best;
    if (others.empty()) return best;
    const std::size_t limit = lengthWithLayers(limits.maxParameters);
    if (limit * others.size() * bestQuality < least) return best;
    for (std::size_t length : lengths(others, alike, limit)) {
      Repeat repeat{{first}, length, 0};
      for (std::size_t j : others)
        if (alike[j] >= length && j >= repeat.starts.back() + length) repeat.starts.push_back(j);
      least = std::max<std::size_t>(least, 1);
      if ((repeat.starts.size() - 1) * (length - 1) * bestQuality < least) continue;
      if ((length - 1) * qualityOf(repeat, nullptr) < least) continue;
      const auto isCut = [&](std::size_t start) { return cutsRun(start) || cutsRun(start + length); };
      if (std::ranges::any_of(repeat.starts, isCut)) continue;
      std::erase_if(repeat.starts, [&](std::size_t j) { return j != first && !haveSameDataFlow(j, length); });
      dropOtherSettings(repeat, limits);
      if ((length - 1) * qualityOf(repeat, nullptr) < least) continue;
      std::vector<Boundary> ends;
      for (std::size_t start : repeat.starts) {
        ends.push_back(boundaryOf(program, block, flow, start, length));
        if (ends.size() == 2 && !limits.accepts(ends)) break;
      }
      if (ends.size() < repeat.starts.size() || !limits.accepts(ends)) continue;
      const std::size_t quality = qualityOf(repeat, &ends);
      if (quality <= 2) continue;  // occurs twice, without a sign that it is a block
      repeat.gain = (length - 1) * quality;
      if (repeat.gain < least) continue;
      least = repeat.gain;
      best = std::move(repeat);
    }
    return best;
  }
};

}  // namespace

BlockFlow::BlockFlow(Program& program, const Block& block, const std::vector<std::uint32_t>& layers,
                     OperatorTable& operators)
    : layers(layers),
      places(program.symbols.size()),
      lastRead(program.symbols.size(), none),
      timesRead(program.symbols.size(), 0) {
  const std::size_t n = block.statements.size();
  std::map<std::string, std::uint32_t> known;
  std::vector<std::ptrdiff_t> change(n + 2, 0);
  auto read = [&](NodeId root, std::size_t at) {
    std::vector<NodeId> nodes;
    walk(program, root, [&](NodeId id) {
      if (program[id].kind != NodeKind::symbol) return;
      nodes.push_back(id);
      lastRead[program[id].symbol.index] = at;
      ++timesRead[program[id].symbol.index];
    });
    return nodes;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const Statement& statement = block.statements[i];
    FormReader reader{program, operators, std::to_string(statement.names.size()), {}};
    const auto fresh = static_cast<std::uint32_t>(n + i);  // equal to no other
    forms.push_back(reader.read(statement.value)
                        ? known.emplace(std::move(reader.form), static_cast<std::uint32_t>(known.size())).first->second
                        : fresh);
    settings.push_back(std::move(reader.settings));
    reads.push_back(read(statement.value, i));
    for (std::size_t k = 0; k < statement.names.size(); ++k)
      if (SymbolId name = statement.names[k]) places[name.index] = {i, k};
  }
  read(block.result, n);
  for (std::uint32_t s = 0; s < lastRead.size(); ++s) {
    const SymbolKind kind = program.symbols[s].kind;
    if (lastRead[s] == none || kind == SymbolKind::weight || kind == SymbolKind::function) continue;
    const std::size_t from = places[s].statement == none ? 0 : places[s].statement + 1;
    if (from > lastRead[s]) continue;
    ++change[from];
    --change[lastRead[s] + 1];
  }
  std::ptrdiff_t now = 0;
  for (std::size_t i = 0; i <= n; ++i) live.push_back(static_cast<std::size_t>(now += change[i]));
  sharedWords.assign(n + 1, 0);
  endsSum.assign(n + 1, false);
  for (std::size_t i = 1; i < n; ++i) {
    const std::string_view before = originOf(program, block.statements[i - 1]);
    const std::string_view shared = before.substr(0, sharedLength(before, originOf(program, block.statements[i])));
    const bool isCut = !shared.empty() && isWordEnd(shared.back());
    sharedWords[i] = 1 + static_cast<std::size_t>(std::count_if(shared.begin(), shared.end(), isWordEnd)) +
                     (shared.empty() || isCut ? 0 : 1);
  }
  isInLayer.assign(n + 1, false);
  auto layersOf = [&](std::size_t at) {
    std::set<std::uint32_t> read;
    for (NodeId id : reads[at])
      if (program[program[id].symbol].kind == SymbolKind::weight) read.insert(layers[program[id].symbol.index]);
    return read;
  };
  for (std::size_t i = 1; i < n; ++i) {
    const std::set<std::uint32_t> before = layersOf(i - 1), after = layersOf(i);
    isInLayer[i] = std::any_of(before.begin(), before.end(), [&](std::uint32_t its) { return after.count(its) != 0; });
    const Statement& last = block.statements[i - 1];
    const bool isReadOnce = last.names.size() == 1 && last.names[0] && timesRead[last.names[0].index] == 1;
    if (!before.empty() && isReadOnce && completes(program, block.statements[i], last)) isInLayer[i] = true;
  }
  for (std::size_t i = 1; i <= n; ++i) {
    const Statement& last = block.statements[i - 1];
    auto goesOn = [&] { return i < n && live[i] == 1 && isActivationOf(program, block.statements[i], last); };
    const bool isActivated = i > 1 && isSum(program, block.statements[i - 2]) && live[i - 1] == 1 &&
                             isActivationOf(program, last, block.statements[i - 2]);
    endsSum[i] = live[i] == 1 && ((isSum(program, last) && !goesOn()) || isActivated);
  }
}

Boundary boundaryOf(const Program& program, const Block& block, const BlockFlow& flow, std::size_t start,
                    std::size_t length) {
  Boundary ends;
  std::set<std::uint32_t> known;
  for (std::size_t i = start; i < start + length; ++i) {
    for (NodeId read : flow.reads[i]) {
      const SymbolId symbol = program[read].symbol;
      if (!flow.isInside(symbol, start, length) && known.insert(symbol.index).second) ends.reads.push_back(symbol);
    }
    const std::vector<SymbolId>& names = block.statements[i].names;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] && flow.lastRead[names[k].index] != BlockFlow::none &&
          flow.lastRead[names[k].index] >= start + length)
        ends.results.insert({i - start, k});
  }
  return ends;
}

std::vector<VaryingSetting> varyingSettings(const BlockFlow& flow, const Repeat& repeat) {
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> known;
  std::vector<VaryingSetting> varying;
  for (std::size_t i = 0; i < repeat.length; ++i)
    for (std::size_t k = 0; k < flow.settings[repeat.starts.front() + i].size(); ++k) {
      std::vector<std::string> values;
      for (std::size_t start : repeat.starts) values.push_back(flow.settings[start + i][k].value);
      if (std::ranges::count(values, values.front()) == std::ssize(values)) continue;
      const std::string& name = flow.settings[repeat.starts.front() + i][k].name;
      const auto [its, isNew] = known.emplace(std::pair(name, values), varying.size());
      if (isNew) varying.push_back({std::move(values), {}});
      varying[its->second].places.emplace_back(i, k);
    }
  return varying;
}

Repeat bestRepeat(const Program& program, const Block& block, const BlockFlow& flow, const RepeatLimits& limits) {
  const std::size_t n = block.statements.size();
  Repeat best;
  if (n > maxStatements) return best;
  // By statement j: the number of statements from i and from j on that compute the same.
  std::vector<std::uint32_t> alike(n + 1, 0);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) alike[j] = flow.forms[i] == flow.forms[j] ? alike[j + 1] + 1 : 0;
    if (auto found = Search{program, block, flow, i}.best(alike, best.gain, limits)) best = std::move(*found);
  }
  return best;
}

std::size_t sharedLength(std::string_view a, std::string_view b) {
  std::size_t shared = 0;
  for (std::size_t i = 0; i <= a.size() && i <= b.size(); ++i) {
    const bool endsA = i == a.size() || isWordEnd(a[i]), endsB = i == b.size() || isWordEnd(b[i]);
    if (endsA && endsB) shared = std::min(i + 1, std::min(a.size(), b.size()));
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return shared;
}

std::string_view originOf(const Program& program, const Statement& statement) {
  for (SymbolId name : statement.names)
    if (name) return program[name].origin;
  return {};
}

}  // namespace axle::emit
