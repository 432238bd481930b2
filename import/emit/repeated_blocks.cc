#include "import/emit/repeated_blocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "import/emit/spelling.h"

namespace axle::emit {

namespace {

constexpr std::size_t minStatements = 3;  // of a function
constexpr std::size_t maxStatements = 1500, maxResults = 3, maxFunctions = 24;
constexpr std::size_t maxSeparateParameters = 6;  // with more, the weights of a layer become one parameter
constexpr std::size_t maxParameters = 12, maxLayerWeights = 6;

using Places = std::map<std::uint32_t, std::pair<std::size_t, std::size_t>>;  // by symbol: statement, name

// The positions where the same statements occur.
struct Repeat {
  std::vector<std::size_t> starts;
  std::size_t length = 0;
  std::size_t gain = 0;
};

// The values that enter and leave one occurrence of a repeat.
struct Boundary {
  std::vector<SymbolId> reads;                            // each once, in order
  std::set<std::pair<std::size_t, std::size_t>> results;  // statement within the repeat, name
};

// The parameters of a function, as indices into the reads of the first occurrence: one value, or the weights of a
// layer.
using Groups = std::vector<std::vector<std::size_t>>;

class RepeatExtractor {
 public:
  explicit RepeatExtractor(Program& program) : p_(program) {}

  bool run(FunctionId function) {
    bool any = false;
    while (functionCount_ < maxFunctions) {
      Repeat best = bestRepeat(p_[function].body);
      if (best.length == 0) return any;
      share(function, best);
      any = true;
    }
    return any;
  }

 private:
  // What a statement computes, without its operands, as text to compare. Empty where it cannot move into a function: it
  // contains one, or names of sizes.
  std::string structureOf(const Statement& statement) const {
    std::string form = std::to_string(statement.names.size());
    return append(statement.value, form) ? form : std::string();
  }

  bool append(NodeId id, std::string& form) const {
    const Node& node = p_[id];
    if (node.function) return false;
    if (node.kind == NodeKind::size && node.text.find_first_not_of("0123456789-") != node.text.npos) return false;
    form += "(" + std::to_string(static_cast<int>(node.kind)) + " " + node.text;
    if (node.kind == NodeKind::symbol) form += p_[node.symbol].kind == SymbolKind::weight ? "w" : "v";
    if (node.kind == NodeKind::call && node.symbol) form += "#" + std::to_string(node.symbol.index);
    for (const IndexItem& item : node.items)
      form += "[" + std::to_string(static_cast<int>(item.kind)) + item.start + ":" + item.stop + ":" + item.step;
    for (NodeId part : node.parts)
      if (!append(part, form)) return false;
    for (const Named& named : node.named) {
      form += "," + named.name + "=";
      if (!append(named.value, form)) return false;
    }
    form += ")";
    return true;
  }

  // The nodes that read symbols, in the order of the text, without called functions.
  std::vector<NodeId> readsOf(NodeId root) {
    std::vector<NodeId> reads;
    walk(p_, root, [&](NodeId id) {
      if (p_[id].kind == NodeKind::symbol) reads.push_back(id);
    });
    return reads;
  }

  Places placesOf(const Block& block) const {
    Places places;
    for (std::size_t i = 0; i < block.statements.size(); ++i)
      for (std::size_t k = 0; k < block.statements[i].names.size(); ++k)
        if (SymbolId name = block.statements[i].names[k]) places[name.index] = {i, k};
    return places;
  }

  // The values that enter and leave the statements at `start`.
  Boundary boundaryOf(Block& block, const Places& places, std::size_t start, std::size_t length) {
    Boundary ends;
    auto isInside = [&](const std::pair<std::size_t, std::size_t>& place) {
      return place.first >= start && place.first < start + length;
    };
    for (std::size_t i = start; i < start + length; ++i)
      for (NodeId read : readsOf(block.statements[i].value)) {
        const SymbolId symbol = p_[read].symbol;
        auto place = places.find(symbol.index);
        if (place != places.end() && isInside(place->second)) continue;
        if (std::find(ends.reads.begin(), ends.reads.end(), symbol) == ends.reads.end()) ends.reads.push_back(symbol);
      }
    auto note = [&](NodeId root) {
      for (NodeId read : readsOf(root))
        if (auto place = places.find(p_[read].symbol.index); place != places.end() && isInside(place->second))
          ends.results.insert({place->second.first - start, place->second.second});
    };
    for (std::size_t i = start + length; i < block.statements.size(); ++i) note(block.statements[i].value);
    note(block.result);
    return ends;
  }

  // Whether the statements at `a` read the same values as those at `b`: within the repeat the corresponding ones, from
  // outside values that correspond one to one.
  bool haveSameDataFlow(Block& block, const Places& places, std::size_t a, std::size_t b, std::size_t length) {
    std::map<std::uint32_t, std::uint32_t> means, meantBy;  // one for one
    for (std::size_t i = 0; i < length; ++i) {
      const std::vector<NodeId> x = readsOf(block.statements[a + i].value), y = readsOf(block.statements[b + i].value);
      if (x.size() != y.size()) return false;
      for (std::size_t k = 0; k < x.size(); ++k) {
        const SymbolId of = p_[x[k]].symbol, other = p_[y[k]].symbol;
        auto inA = places.find(of.index), inB = places.find(other.index);
        const bool isInA = inA != places.end() && inA->second.first >= a && inA->second.first < a + length;
        const bool isInB = inB != places.end() && inB->second.first >= b && inB->second.first < b + length;
        if (isInA != isInB) return false;
        if (isInA) {
          if (inA->second.first - a != inB->second.first - b || inA->second.second != inB->second.second) return false;
        } else if (means.emplace(of.index, other.index).first->second != other.index ||
                   meantBy.emplace(other.index, of.index).first->second != of.index) {
          return false;
        }
      }
    }
    return true;
  }

  std::string_view originOf(const Statement& statement) const {
    for (SymbolId name : statement.names)
      if (name) return p_[name].origin;
    return {};
  }

  std::string_view scopeOf(const Block& block, std::size_t start, std::size_t length) const {
    std::string_view scope = emit::scopeOf(originOf(block.statements[start]));
    for (std::size_t i = start + 1; i < start + length; ++i)
      scope = commonScope(scope, emit::scopeOf(originOf(block.statements[i])));
    return scope;
  }

  // Whether each occurrence is a scope of the graph, which makes a good function.
  bool areScopes(const Block& block, const Repeat& repeat) const {
    std::set<std::string_view> scopes;
    for (std::size_t start : repeat.starts) scopes.insert(scopeOf(block, start, repeat.length));
    return scopes.size() == repeat.starts.size() && !scopes.count({});
  }

  Repeat bestRepeat(Block& block) {
    const std::size_t n = block.statements.size();
    if (n > maxStatements) return {};
    std::vector<std::uint32_t> equivalentForms(n);
    std::map<std::string, std::uint32_t> known;
    for (std::size_t i = 0; i < n; ++i) {
      std::string form = structureOf(block.statements[i]);
      equivalentForms[i] = form.empty()
                               ? static_cast<std::uint32_t>(known.size() + n + i)
                               : known.emplace(std::move(form), static_cast<std::uint32_t>(known.size())).first->second;
    }
    // The number of statements from i and from j on that compute the same.
    std::vector<std::vector<std::uint16_t>> alike(n + 1, std::vector<std::uint16_t>(n + 1, 0));
    for (std::size_t i = n; i-- > 0;)
      for (std::size_t j = n; j-- > i + 1;)
        if (equivalentForms[i] == equivalentForms[j]) alike[i][j] = static_cast<std::uint16_t>(alike[i + 1][j + 1] + 1);
    const Places places = placesOf(block);
    Repeat best;
    for (std::size_t i = 0; i < n; ++i) {
      std::set<std::size_t> lengths;
      for (std::size_t j = i + minStatements; j < n; ++j)
        if (std::size_t length = std::min<std::size_t>(alike[i][j], j - i); length >= minStatements)
          lengths.insert(length);
      for (std::size_t length : lengths) {
        Repeat repeat{{i}, length, 0};
        for (std::size_t j = i + length; j + length <= n; ++j)
          if (alike[i][j] >= length && j >= repeat.starts.back() + length) repeat.starts.push_back(j);
        const std::size_t mostGain = (repeat.starts.size() - 1) * (length - 1) * 5 / 4;
        if (repeat.starts.size() < 2 || mostGain <= best.gain) continue;
        std::erase_if(repeat.starts,
                      [&](std::size_t j) { return j != i && !haveSameDataFlow(block, places, i, j, length); });
        if (repeat.starts.size() < 2 || !isWorthExtracting(block, places, repeat)) continue;
        repeat.gain = (repeat.starts.size() - 1) * (length - 1);
        if (areScopes(block, repeat)) repeat.gain = repeat.gain * 5 / 4;
        if (repeat.gain > best.gain) best = std::move(repeat);
      }
    }
    return best;
  }

  bool isWorthExtracting(Block& block, const Places& places, const Repeat& repeat) {
    std::set<std::pair<std::size_t, std::size_t>> results;
    std::vector<Boundary> ends;
    for (std::size_t start : repeat.starts) {
      ends.push_back(boundaryOf(block, places, start, repeat.length));
      results.insert(ends.back().results.begin(), ends.back().results.end());
    }
    return !results.empty() && results.size() <= maxResults && groupsOf(ends).size() <= maxParameters;
  }

  // Values first, then weights. A weight that all occurrences read is no parameter.
  Groups groupsOf(const std::vector<Boundary>& ends) const {
    const std::vector<SymbolId>& reads = ends.front().reads;
    Groups plain, layers;
    std::map<std::string_view, std::size_t> byLayer;
    for (bool areWeights : {false, true})
      for (std::size_t r = 0; r < reads.size(); ++r) {
        auto isOther = [&](const Boundary& e) { return e.reads[r] != reads[r]; };
        if (areWeights != (p_[reads[r]].kind == SymbolKind::weight)) continue;
        if (areWeights && std::none_of(ends.begin(), ends.end(), isOther)) continue;
        plain.push_back({r});
        const std::string_view layer = areWeights ? emit::scopeOf(p_[reads[r]].origin) : std::string_view();
        auto [known, isNew] = byLayer.emplace(layer, layers.size());
        if (layer.empty() || isNew || layers[known->second].size() == maxLayerWeights) {
          known->second = layers.size();
          layers.emplace_back();
        }
        layers[layer.empty() ? layers.size() - 1 : known->second].push_back(r);
      }
    return plain.size() > maxSeparateParameters ? layers : plain;
  }

  // `MobileNet/conv_ds_1` gives `conv_ds`.
  std::string nameOf(const Block& block, const Repeat& repeat) const {
    std::string_view scope = scopeOf(block, repeat.starts.front(), repeat.length);
    std::string name(scope.substr(scope.rfind('/') + 1));
    while (!name.empty() && (name.back() == '_' || (name.back() >= '0' && name.back() <= '9'))) name.pop_back();
    return name.empty() || !areScopes(block, repeat) ? "block" : name;
  }

  void share(FunctionId id, const Repeat& repeat) {
    ++functionCount_;
    Block block = p_[id].body;
    const Places places = placesOf(block);
    const std::string name = nameOf(block, repeat);
    std::vector<Boundary> ends;
    std::set<std::pair<std::size_t, std::size_t>> results;
    for (std::size_t start : repeat.starts) {
      ends.push_back(boundaryOf(block, places, start, repeat.length));
      results.insert(ends.back().results.begin(), ends.back().results.end());
    }
    const SymbolId symbol = p_.add(Symbol{SymbolKind::function, name, {}, {}, {}});
    const Groups parameters = groupsOf(ends);
    std::vector<Statement> kept;
    std::size_t next = 0;
    std::vector<Statement> body(
        block.statements.begin() + static_cast<std::ptrdiff_t>(repeat.starts.front()),
        block.statements.begin() + static_cast<std::ptrdiff_t>(repeat.starts.front() + repeat.length));
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
      if (next == repeat.starts.size() || i != repeat.starts[next]) {
        kept.push_back(std::move(block.statements[i]));
        continue;
      }
      std::vector<NodeId> arguments;
      for (const std::vector<std::size_t>& group : parameters) {
        std::vector<NodeId> parts;
        for (std::size_t r : group) parts.push_back(p_.name(ends[next].reads[r]));
        arguments.push_back(p_.tuple(std::move(parts)));
      }
      Statement call;
      for (const auto& [statement, k] : results) {
        const SymbolId was = block.statements[i + statement].names[k];
        call.names.push_back(ends[next].results.count({statement, k}) ? was : SymbolId());
      }
      call.value = p_.call(symbol, std::move(arguments));
      kept.push_back(std::move(call));
      i += repeat.length - 1;
      ++next;
    }
    block.statements = std::move(kept);
    p_[id].body = std::move(block);
    std::vector<std::vector<SymbolId>> reads;
    for (const std::vector<std::size_t>& group : parameters) {
      reads.emplace_back();
      for (std::size_t r : group) reads.back().push_back(ends.front().reads[r]);
    }
    makeFunction(symbol, std::move(body), reads, results);
  }

  // `block1/lstm_2/kernel` gives `lstm`.
  static std::string layerOf(std::string_view weight) {
    std::string layer = lastWord(emit::scopeOf(weight));
    while (!layer.empty() && (layer.back() == '_' || (layer.back() >= '0' && layer.back() <= '9'))) layer.pop_back();
    return layer.empty() ? "weights" : layer;
  }

  static std::string roleOf(const Symbol& weight) {
    return weight.role.empty() ? lastWord(weight.origin) : weight.role;
  }

  // Makes the function from the statements of the first occurrence, with names of its own.
  void makeFunction(SymbolId symbol, std::vector<Statement> body, const std::vector<std::vector<SymbolId>>& parameters,
                    const std::set<std::pair<std::size_t, std::size_t>>& results) {
    std::map<std::uint32_t, SymbolId> means;
    auto own = [&](SymbolId was, std::string origin) {
      return means[was.index] = p_.add(Symbol{SymbolKind::value, std::move(origin), {}, {}, {}});
    };
    Function function;
    for (const std::vector<SymbolId>& group : parameters) {
      std::vector<SymbolId> names;
      for (SymbolId each : group)
        names.push_back(own(each, p_[each].kind == SymbolKind::weight ? roleOf(p_[each]) : "x"));
      if (group.size() == 1) {
        function.parameters.push_back({names.front(), {}});
        continue;
      }
      const SymbolId layer = p_.add(Symbol{SymbolKind::value, layerOf(p_[group.front()].origin), {}, std::nullopt, {}});
      function.parameters.push_back({layer, {}});
      function.body.statements.push_back({std::move(names), p_.name(layer)});
    }
    std::vector<NodeId> given;
    for (Statement& statement : body)
      for (SymbolId& name : statement.names)
        if (name) name = own(name, p_[name].origin);
    for (const auto& [statement, k] : results) {
      SymbolId& name = body[statement].names[k];
      if (!name) name = p_.add(Symbol{SymbolKind::value, "out", {}, {}, {}});  // read only after other occurrences
      given.push_back(p_.name(name));
    }
    for (Statement& statement : body) {
      for (NodeId read : readsOf(statement.value))
        if (auto meant = means.find(p_[read].symbol.index); meant != means.end()) p_[read].symbol = meant->second;
      function.body.statements.push_back(std::move(statement));
    }
    function.body.result = p_.tuple(std::move(given));
    const FunctionId id = p_.add(std::move(function));
    p_.top.insert(p_.top.end() - 1, {symbol, id, {}, {}});
  }

  Program& p_;
  std::size_t functionCount_ = 0;
};

}  // namespace

bool extractRepeats(Program& program) { return RepeatExtractor(program).run(program.top.back().function); }

}  // namespace axle::emit
