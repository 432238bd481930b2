#include "import/emit/repeated_blocks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "import/emit/node_names.h"
#include "import/emit/repeat_search.h"
#include "import/emit/spelling.h"

namespace axle::emit {

namespace {

constexpr std::size_t maxResults = 3, maxFunctions = 24;
constexpr std::size_t maxSeparateParameters = 6;  // with more, the weights of a layer become one parameter
constexpr std::size_t maxParameters = 12, maxLayerWeights = 6, maxStatics = 2;

// The parameters of a function, as indices into the reads of the first occurrence: one value, or the weights of a
// layer.
using Groups = std::vector<std::vector<std::size_t>>;

class RepeatExtractor {
 public:
  RepeatExtractor(Program& program, OperatorTable& operators)
      : p_(program), operators_(operators), layers_(program.symbols.size(), 0) {
    std::map<std::string, std::uint32_t> numbers;
    for (const Weight& weight : program.weights)
      layers_[weight.symbol.index] =
          numbers.emplace(layerOf(program[weight.symbol]), static_cast<std::uint32_t>(numbers.size() + 1))
              .first->second;
  }

  bool run(FunctionId function) {
    bool any = false;
    auto isWorthExtracting = [&](const std::vector<Boundary>& ends) { return this->isWorthExtracting(ends); };
    while (functionCount_ < maxFunctions) {
      const BlockFlow flow(p_, p_[function].body, layers_, operators_);
      const Repeat best = bestRepeat(p_, p_[function].body, flow, {maxParameters, maxStatics, isWorthExtracting});
      if (best.length == 0) return any;
      share(function, flow, best);
      any = true;
    }
    return any;
  }

 private:
  bool isWorthExtracting(const std::vector<Boundary>& ends) const {
    std::set<std::pair<std::size_t, std::size_t>> results;
    for (const Boundary& each : ends) results.insert(each.results.begin(), each.results.end());
    return !results.empty() && results.size() <= maxResults && groupsOf(ends).size() <= maxParameters;
  }

  // Returns values first, then weights. A weight that all occurrences read is not a parameter.
  Groups groupsOf(const std::vector<Boundary>& ends) const {
    const std::vector<SymbolId>& reads = ends.front().reads;
    Groups plain, layers;
    std::map<std::uint32_t, std::size_t> byLayer;
    for (bool areWeights : {false, true})
      for (std::size_t r = 0; r < reads.size(); ++r) {
        auto isOther = [&](const Boundary& e) { return e.reads[r] != reads[r]; };
        if (areWeights != (p_[reads[r]].kind == SymbolKind::weight)) continue;
        if (areWeights && std::none_of(ends.begin(), ends.end(), isOther)) continue;
        plain.push_back({r});
        const std::uint32_t layer = areWeights ? layers_[reads[r].index] : 0;
        auto [known, isNew] = byLayer.emplace(layer, layers.size());
        if (layer == 0 || isNew || layers[known->second].size() == maxLayerWeights) {
          known->second = layers.size();
          layers.emplace_back();
        }
        layers[layer == 0 ? layers.size() - 1 : known->second].push_back(r);
      }
    return plain.size() > maxSeparateParameters ? layers : plain;
  }

  // Returns the prefix that the names in one occurrence share, `block_1_`: those of its layers, or else of its
  // statements.
  std::string scopeOf(const Block& block, const Boundary& ends, std::size_t start, std::size_t length) const {
    std::set<std::string> layers, statements;
    for (SymbolId read : ends.reads)
      if (p_[read].kind == SymbolKind::weight) layers.insert(layerOf(p_[read]));
    for (std::size_t i = start; i < start + length; ++i)
      statements.insert(std::string(originOf(p_, block.statements[i])));
    const std::set<std::string>& names = layers.size() > 1 ? layers : statements;
    std::string shared = *names.begin();
    for (const std::string& name : names) shared.resize(sharedLength(shared, name));
    return shared;
  }

  // Returns `conv_ds` for `MobileNet/conv_ds_1/`; if the occurrences have the same scope, `block`.
  static std::string nameOf(const std::vector<std::string>& scopes) {
    if (std::set<std::string>(scopes.begin(), scopes.end()).size() != scopes.size()) return "block";
    std::string name = scopes.front();
    auto isNoLetter = [](char c) { return c == '_' || c == '/' || (c >= '0' && c <= '9'); };
    while (!name.empty() && isNoLetter(name.back())) name.pop_back();
    name = name.substr(name.rfind('/') + 1);
    // Takes the last word of `stage_0_block` and `conv2_block`: a number within the name distinguishes occurrences.
    if (const std::size_t number = name.find_last_of("0123456789"); number != name.npos) name = name.substr(number + 1);
    name.erase(0, std::min(name.find_first_not_of('_'), name.size()));
    return name.empty() ? "block" : isReserved(name) ? name + "_block" : name;
  }

  // Names the result of each occurrence after its scope, `stage_1_block_0`, if the scopes differ and the result has
  // only the name of an operator outside of them, as `add_3`.
  void nameResults(const Block& block, const Repeat& repeat, std::size_t statement,
                   const std::vector<std::string>& scopes) {
    if (std::set<std::string>(scopes.begin(), scopes.end()).size() != scopes.size()) return;
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      std::string scope = scopes[i];
      while (!scope.empty() && (scope.back() == '_' || scope.back() == '/')) scope.pop_back();
      const SymbolId result = block.statements[repeat.starts[i] + statement].names.front();
      if (scope.empty() || !result || !isOperatorName(p_[result].origin)) continue;
      p_[result].origin = scope;
    }
  }

  // A static parameter of a function. Its default is what most occurrences have.
  struct Static {
    std::string name, otherwise;
    VaryingSetting setting;
  };

  std::vector<Static> staticsOf(const BlockFlow& flow, const Repeat& repeat) const {
    std::vector<Static> statics;
    for (VaryingSetting& setting : varyingSettings(flow, repeat)) {
      const auto [statement, k] = setting.places.front();
      const std::string& attribute = flow.settings[repeat.starts.front() + statement][k].name;
      const auto isTaken = [&](const std::string& name) {
        return std::ranges::count(statics, name, &Static::name) > 0;
      };
      std::string name = attribute;
      for (int i = 2; isTaken(name); ++i) name = attribute + "_" + std::to_string(i);
      const std::vector<std::string>& values = setting.values;
      std::string otherwise = *std::ranges::max_element(
          values, {}, [&](const std::string& value) { return std::ranges::count(values, value); });
      statics.push_back({std::move(name), std::move(otherwise), std::move(setting)});
    }
    return statics;
  }

  // Gives the operators of the first occurrence the static parameters. Returns these with their defaults.
  std::vector<Named> takeStatics(const std::vector<Static>& statics, const BlockFlow& flow, const Repeat& repeat) {
    std::vector<Named> taken;
    for (const Static& each : statics) {
      p_.sizes.push_back(each.name);  // no value may have the name
      for (const auto& [statement, k] : each.setting.places) {
        const Setting& setting = flow.settings[repeat.starts.front() + statement][k];
        const NodeId value = p_.literal(each.name);
        std::vector<Named>& given = p_[setting.call].named;
        const auto found = std::ranges::find(given, setting.name, &Named::name);
        if (found == given.end())
          given.push_back({setting.name, value});
        else
          found->value = value;
      }
      taken.push_back({each.name, p_.literal(each.otherwise)});
    }
    return taken;
  }

  void share(FunctionId id, const BlockFlow& flow, const Repeat& repeat) {
    ++functionCount_;
    Block block = p_[id].body;
    std::vector<Boundary> ends;
    std::vector<std::string> scopes;
    std::set<std::pair<std::size_t, std::size_t>> results;
    for (std::size_t start : repeat.starts) {
      ends.push_back(boundaryOf(p_, block, flow, start, repeat.length));
      results.insert(ends.back().results.begin(), ends.back().results.end());
      scopes.push_back(scopeOf(block, ends.back(), start, repeat.length));
    }
    const std::string name = nameOf(scopes);
    if (results.size() == 1) nameResults(block, repeat, results.begin()->first, scopes);
    const SymbolId symbol = p_.add(Symbol{SymbolKind::function, name, {}, {}, {}});
    const Groups parameters = groupsOf(ends);
    const std::vector<Static> statics = staticsOf(flow, repeat);
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
      std::vector<Named> named;
      for (const Static& each : statics)
        if (const std::string& value = each.setting.values[next]; value != each.otherwise)
          named.push_back({each.name, p_.literal(value)});
      call.value = p_.call(symbol, std::move(arguments), std::move(named));
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
    makeFunction(symbol, std::move(body), reads, results, scopes.front(), takeStatics(statics, flow, repeat));
  }

  // Returns `expand` for `block_1_expand` in the scope `block_1_`. Moves a leading number to the end of its word:
  // `1_conv/Conv2D` becomes `conv_1/Conv2D`.
  static std::string withoutScope(std::string name, const std::string& scope) {
    if (name.size() <= scope.size() || !name.starts_with(scope)) return name;
    name.erase(0, scope.size());
    const std::size_t end = name.find_first_not_of("0123456789");
    if (end == 0 || end == name.npos || name[end] != '_' || end + 1 == name.size()) return name;
    const std::string number = name.substr(0, end);
    name.erase(0, end + 1);
    return name.insert(std::min(name.find('/'), name.size()), "_" + number);
  }

  // Returns `expand` for a weight of `block_1_expand` in the scope `block_1_`, and `lstm` for `block1/lstm_2`.
  std::string layerWithin(const Symbol& weight, const std::string& scope) const {
    std::string layer = lastWord(withoutScope(layerOf(weight), scope));
    while (!layer.empty() && (layer.back() == '_' || (layer.back() >= '0' && layer.back() <= '9'))) layer.pop_back();
    return layer.empty() ? "weights" : isReserved(layer) ? layer + "_layer" : layer;
  }

  // Returns the name of a parameter for a weight: `kernel`, or `expand_kernel` if several layers have one.
  std::string parameterName(const Symbol& weight, const std::set<std::string>& repeatedRoles,
                            const std::string& scope) const {
    const std::string role = roleOf(weight), layer = lastWord(withoutScope(layerOf(weight), scope));
    const bool isNamed = layer.empty() || layer == "weight" || role.starts_with(layer);
    return isNamed || !repeatedRoles.count(role) ? role : layer + "_" + role;
  }

  // A role that is also an operator's name, as `mean`, would need another one: then the weight's own name is better.
  static std::string roleOf(const Symbol& weight) {
    if (!weight.role.empty() && !isReserved(weight.role)) return weight.role;
    const std::string name = lastWord(weight.origin);
    return name == "weight" && !weight.role.empty() ? weight.role
                                                    : name.substr(0, name.size() - callNumber(name).size());
  }

  // Makes the function from the statements of the first occurrence, with new names that leave out the scope.
  void makeFunction(SymbolId symbol, std::vector<Statement> body, const std::vector<std::vector<SymbolId>>& parameters,
                    const std::set<std::pair<std::size_t, std::size_t>>& results, const std::string& scope,
                    std::vector<Named> statics) {
    std::map<std::uint32_t, SymbolId> means;
    auto own = [&](SymbolId was, std::string origin) {
      origin = withoutScope(std::move(origin), scope);
      return means[was.index] = p_.add(Symbol{SymbolKind::value, std::move(origin), {}, {}, {}});
    };
    Function function;
    function.statics = std::move(statics);
    std::set<std::string> roles, repeatedRoles;  // of weights that are separate parameters
    for (const std::vector<SymbolId>& group : parameters)
      if (const Symbol& first = p_[group.front()]; group.size() == 1 && first.kind == SymbolKind::weight)
        if (!roles.insert(roleOf(first)).second) repeatedRoles.insert(roleOf(first));
    for (const std::vector<SymbolId>& group : parameters) {
      std::vector<SymbolId> names;
      for (SymbolId each : group) {
        const bool isWeight = p_[each].kind == SymbolKind::weight;
        std::string name = !isWeight           ? "x"
                           : group.size() == 1 ? parameterName(p_[each], repeatedRoles, scope)
                                               : roleOf(p_[each]);
        names.push_back(p_.add(Symbol{SymbolKind::value, std::move(name), {}, {}, {}}));
        means[each.index] = names.back();
      }
      if (group.size() == 1) {
        function.parameters.push_back({names.front(), {}});
        continue;
      }
      const SymbolId layer =
          p_.add(Symbol{SymbolKind::value, layerWithin(p_[group.front()], scope), {}, std::nullopt, {}});
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
      walk(p_, statement.value, [&](NodeId id) {
        if (p_[id].kind != NodeKind::symbol) return;
        if (auto meant = means.find(p_[id].symbol.index); meant != means.end()) p_[id].symbol = meant->second;
      });
      function.body.statements.push_back(std::move(statement));
    }
    function.body.result = p_.tuple(std::move(given));
    const FunctionId id = p_.add(std::move(function));
    p_.top.insert(p_.top.end() - 1, {symbol, id, {}, {}});
  }

  Program& p_;
  OperatorTable& operators_;
  std::vector<std::uint32_t> layers_;  // by symbol: the number of a weight's layer; 0 for other symbols
  std::size_t functionCount_ = 0;
};

}  // namespace

bool extractRepeats(Program& program, OperatorTable& operators) {
  return RepeatExtractor(program, operators).run(program.top.back().function);
}

}  // namespace axle::emit
