// Infers again the statements that an edit affects: the rounds of IncrementalCheck.
#include <algorithm>

#include "typecheck/incremental/incremental.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/report/query.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

// Indices into `current_`: for a name as a value, and as a variable of parameter annotations.
std::uint32_t asValue(std::uint32_t name) { return 2 * name; }
std::uint32_t inAnnotations(std::uint32_t name) { return 2 * name + 1; }

// Variables of one kind, as ranges of their numbers.
class Ranges {
 public:
  void add(std::size_t from, std::size_t to) {
    if (from < to) ranges_.push_back({from, to});
  }
  void sort() { std::sort(ranges_.begin(), ranges_.end()); }
  bool has(std::size_t index) const {
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), std::pair{index, SIZE_MAX});
    return after != ranges_.begin() && index < std::prev(after)->second;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
};

struct LiveVariables {
  Ranges types, elems, shapes, dims, statics;

  void add(const VariableMark& from, const VariableMark& to) {
    types.add(from.types, to.types);
    elems.add(from.elems, to.elems);
    shapes.add(from.shapes, to.shapes);
    dims.add(from.dims, to.dims);
    statics.add(from.statics, to.statics);
  }
  void sort() {
    for (Ranges* ranges : {&types, &elems, &shapes, &dims, &statics}) ranges->sort();
  }
  bool hasAny(const OpenVariables& v) const {
    auto any = [](const auto& variables, const Ranges& ranges) {
      return std::any_of(variables.begin(), variables.end(), [&](auto x) { return ranges.has(x.index); });
    };
    return any(v.types, types) || any(v.elems, elems) || any(v.shapes, shapes) || any(v.dims, dims) ||
           any(v.statics, statics);
  }
};

}  // namespace

struct IncrementalCheck::Round {
  Round(Checked& checked, const CheckOptions& options) : in(checked, options, found), since(markVariables(checked)) {}

  Diagnostics found;
  Inference in;
  VariableMark since;
  std::vector<const ast::Module*> root;
  std::vector<bool> touched;
  std::map<std::size_t, DeferredChecks> late;
  // By statement: the earlier statements whose names it uses, and the statements with which it shares open variables.
  std::vector<std::vector<std::size_t>> targets, shares;
  bool again = false;  // a statement before the current one was touched
};

// Infers all touched statements. Sets `afresh_` if the result depends on the whole module, so that the next edit must
// infer all of it.
void IncrementalCheck::infer() {
  for (const CurrentStatement& current : statements_) {
    Statement& statement = *current.statement;
    if (statement.isInferred) continue;
    statement.module = modules_.modules.size();
    modules_.modules.push_back(statement.piece->module);
    modules_.imports.push_back(rootImports_);
  }
  Round round(*checked_, options_);
  for (const CurrentStatement& current : statements_) {
    round.root.push_back(&modules_.modules[current.statement->module]);
    round.touched.push_back(!current.statement->isInferred);
  }
  link(round);
  touchExplained(round);
  for (std::size_t i = 0; i < statements_.size(); ++i)
    if (round.touched[i]) touchGroup(round, i);
  settleFound_.clear();
  constexpr int mostPasses = 6;
  int passes = 0;
  bool isDone = withinBudget(round.in, settleFound_, [&] {
    for (bool again = true; again && passes < mostPasses; ++passes) {
      bool isWhole = pass(round);
      again = touchExplained(round) || !isWhole;
      for (std::size_t i = 0; again && i < statements_.size(); ++i)
        if (round.touched[i]) touchGroup(round, i);
    }
    if (passes < mostPasses) finish(round);
  });
  for (const CurrentStatement& current : statements_) {
    if (current.statement->isInferred) continue;  // the budget ran out before it
    current.statement->names.clear();
    for (Diagnostics& found : current.statement->found) found.clear();
  }
  inferredLast_ = static_cast<std::size_t>(std::count(round.touched.begin(), round.touched.end(), true));
  if (!isDone) settleFound_.insert(settleFound_.begin(), round.found.begin(), round.found.end());
  leftOut_ = std::max(round.in.errors, maxErrors) - maxErrors;
  bool dependsOnAll = !settleFound_.empty() || round.in.errors >= maxErrors;
  std::size_t all = 0;
  for (const CurrentStatement& current : statements_) {
    dependsOnAll |= !current.statement->found[Statement::ofScheme].empty();
    for (const Diagnostics& found : current.statement->found) all += found.size();
  }
  afresh_ = !isDone || passes >= mostPasses || dependsOnAll || all >= maxErrors;
}

void IncrementalCheck::link(Round& round) {
  std::unordered_map<NameId, std::size_t> binder, introducer;
  round.targets.resize(statements_.size());
  round.shares.resize(statements_.size());
  auto share = [&](std::size_t a, std::size_t b) {
    round.shares[a].push_back(b);
    round.shares[b].push_back(a);
  };
  for (std::size_t i = 0; i < statements_.size(); ++i) {
    const Statement& statement = *statements_[i].statement;
    for (NameId name : statement.mentions) {
      if (auto it = binder.find(name); it != binder.end()) {
        round.targets[i].push_back(it->second);
        const Statement& target = *statements_[it->second].statement;
        if (target.isInferred && target.isOpen) share(i, it->second);
      }
      if (auto it = introducer.find(name); it != introducer.end()) {
        round.targets[i].push_back(it->second);
        share(i, it->second);
      }
    }
    for (NameId name : statement.binds) binder.try_emplace(name, i);
    if (!statement.isInferred) continue;
    auto introduce = [&](const auto& map) {
      for (const auto& entry : map) introducer.try_emplace(nameId(entry.first), i);
    };
    introduce(statement.introduced.dims);
    introduce(statement.introduced.shapes);
    introduce(statement.introduced.elems);
    introduce(statement.introduced.types);
  }
  // A removed statement may have refined types that are now open again. A broken statement may have kept the names that
  // it mentions from being reported as unknown.
  for (const auto& statement : gone_) {
    if (statement->piece->isBroken()) std::fill(round.touched.begin(), round.touched.end(), true);
    for (NameId name : statement->mentions)
      for (const auto* names : {&binder, &introducer})
        if (auto it = names->find(name); it != names->end())
          if (names == &introducer || statements_[it->second].statement->isOpen) round.touched[it->second] = true;
  }
}

// Touches statements whose diagnostics may depend on touched statements, and all statements between them. True if any
// was added.
bool IncrementalCheck::touchExplained(Round& round) {
  const std::vector<bool> before = round.touched;
  std::size_t count = statements_.size();
  std::vector<bool> depends = round.touched, tells(count, false);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t target : round.targets[i])
      if (depends[target]) depends[i] = true;
  for (std::size_t i = count; i-- > 0;) {
    const Statement& statement = *statements_[i].statement;
    bool isUnknownName = false, found = false;
    for (const Diagnostics& phase : statement.found)
      for (const Diagnostic& d : phase) {
        found = true;
        isUnknownName |= d.code == &codes::unknownName || d.code == &codes::unknownMember;
      }
    if (isUnknownName) round.touched[i] = true;  // its suggestions depend on all names
    if (!depends[i]) continue;
    if (found) tells[i] = true;
    if (!tells[i]) continue;
    round.touched[i] = true;
    for (std::size_t target : round.targets[i])
      if (depends[target]) tells[target] = true;
  }
  return round.touched != before;
}

void IncrementalCheck::touchGroup(Round& round, std::size_t index) {
  std::vector<std::size_t> open{index};
  round.touched[index] = true;
  while (!open.empty()) {
    std::size_t at = open.back();
    open.pop_back();
    for (std::size_t other : round.shares[at]) {
      if (round.touched[other]) continue;
      round.touched[other] = true;
      round.again |= other < index;
      open.push_back(other);
    }
  }
}

// Visits the statements in order; false if a statement was touched after it was passed.
bool IncrementalCheck::pass(Round& round) {
  round.again = false;
  round.late.clear();
  scope_ = {};
  current_.assign(2 * names_.size(), 0);
  for (std::size_t i = 0; i < statements_.size(); ++i)
    if (round.touched[i]) statements_[i].statement->isInferred = false;
  discard();
  for (std::size_t i = 0; i < statements_.size(); ++i) {
    Statement& statement = *statements_[i].statement;
    if (!round.touched[i] && usesOf(statement) != statement.uses) touchGroup(round, i);
    if (round.touched[i])
      inferStatement(round, i);
    else
      bringIn(statement);
  }
  return !round.again;
}

std::vector<Statement::Use> IncrementalCheck::usesOf(const Statement& statement) const {
  std::vector<Statement::Use> uses;
  for (NameId name : statement.mentions)
    for (std::uint32_t of : {asValue(name), inAnnotations(name)})
      if (current_[of]) uses.push_back({of, current_[of]});
  return uses;
}

void IncrementalCheck::bringIn(const Statement& statement) {
  for (std::size_t i = 0; i < statement.names.size(); ++i) {
    scope_.values[statement.names[i].name] = statement.names[i].binding;
    current_[asValue(nameId(statement.names[i].name))] = statement.signatures[i];
  }
  auto introduce = [&](const auto& from, auto& into) {
    for (const auto& [name, variable] : from) {
      into[name] = variable;
      current_[inAnnotations(nameId(name))] = statement.introducedAs;
    }
  };
  introduce(statement.introduced.dims, scope_.names.dims);
  introduce(statement.introduced.shapes, scope_.names.shapes);
  introduce(statement.introduced.elems, scope_.names.elems);
  introduce(statement.introduced.types, scope_.names.types);
}

void IncrementalCheck::inferStatement(Round& round, std::size_t index) {
  Statement& statement = *statements_[index].statement;
  Checked& c = *checked_;
  statement.uses = usesOf(statement);
  VariableMark from = markVariables(c);
  statement.exprs.first = c.program.exprs.size();
  statement.bindings.first = c.program.bindings.size();
  statement.lets.first = c.program.lets.size();
  round.found.clear();
  enterStatement(round.in, statement.module, scope_, round.root);
  for (const ast::Item& item : modules_.modules[statement.module].items) inferItem(round.in, item);
  for (Diagnostics& found : statement.found) found.clear();
  statement.found[Statement::inItself] = std::move(round.found);
  round.late[index] = std::exchange(round.in.deferred, {});
  statement.exprs.second = c.program.exprs.size();
  statement.bindings.second = c.program.bindings.size();
  statement.lets.second = c.program.lets.size();
  statement.variables = {{from, markVariables(c)}};
  statement.names.clear();
  for (const std::string& name : statement.bound)
    if (auto it = scope_.values.find(name); it != scope_.values.end() && it->second.index >= statement.bindings.first)
      statement.names.push_back({name, it->second});
  statement.introduced = {};
  statement.introducedAs = ++lastSignature_;
  auto introduced = [&](const std::string& name, const auto& now, auto& into) {
    if (auto it = now.find(name); it != now.end()) into.insert(*it);
  };
  for (std::size_t i = 0; i < statement.mentions.size(); ++i) {
    if (current_[inAnnotations(statement.mentions[i])]) continue;
    const std::string& name = statement.piece->mentions[i];
    introduced(name, scope_.names.dims, statement.introduced.dims);
    introduced(name, scope_.names.shapes, statement.introduced.shapes);
    introduced(name, scope_.names.elems, statement.introduced.elems);
    introduced(name, scope_.names.types, statement.introduced.types);
  }
  statement.isInferred = true;
  statement.isOpen = isOpen(statement);
  statement.signatures.clear();
  for (const TopLevelName& name : statement.names) statement.signatures.push_back(signatureOf(statement, name));
  bringIn(statement);
}

void IncrementalCheck::finish(Round& round) {
  discard();
  VariableMark from = markVariables(*checked_);
  Inference& in = round.in;
  clearFailure(in);
  auto taking = [&](Diagnostics& into, const auto& work) {
    round.found.clear();
    work();
    into = std::move(round.found);
  };
  auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < statements_.size(); ++i)
      if (round.touched[i]) use(*statements_[i].statement, round.late[i]);
  };
  each([&](Statement& statement, const DeferredChecks&) {
    taking(statement.found[Statement::ofScheme],
           [&] { refreshSchemes(in, statement.bindings.first, statement.bindings.second); });
  });
  bool isSettled = false;
  taking(settleFound_, [&] { isSettled = settleModule(in, round.since); });
  each([&](Statement& statement, const DeferredChecks&) {
    if (!isSettled) return;
    Diagnostics found;
    taking(found, [&] { refreshSchemes(in, statement.bindings.first, statement.bindings.second); });
    std::ranges::move(found, std::back_inserter(statement.found[Statement::ofScheme]));
  });
  each([&](Statement& statement, const DeferredChecks& late) {
    taking(statement.found[Statement::ofNumbers], [&] { checkLiterals(in, late.literals); });
  });
  each([&](Statement& statement, const DeferredChecks& late) {
    taking(statement.found[Statement::ofNames], [&] { noteRefinedNames(in, late.written); });
  });
  VariableMark to = markVariables(*checked_);
  each([&](Statement& statement, const DeferredChecks&) { statement.variables.push_back({from, to}); });
}

// Drops constraints that no remaining statement requires, and parameters that no statement binds, because each edit
// would look at all of them.
void IncrementalCheck::discard() {
  LiveVariables live;
  Ranges bindings;
  bindings.add(0, importedBindings_);
  for (const CurrentStatement& current : statements_) {
    if (!current.statement->isInferred) continue;
    for (const auto& [from, to] : current.statement->variables) live.add(from, to);
    bindings.add(current.statement->bindings.first, current.statement->bindings.second);
  }
  live.sort();
  bindings.sort();
  TypedProgram& program = checked_->program;
  std::erase_if(program.weights, [&](const TypedWeight& weight) { return !bindings.has(weight.binding.index); });
  for (std::size_t i = 0; i < program.weights.size(); ++i)
    program.bindings[program.weights[i].binding.index].weight = static_cast<std::uint32_t>(i);
  auto isDead = [&](const Constraint& constraint) {
    OpenVariables variables;
    collectVariables(checked_->solver, constraint, variables);
    return !live.hasAny(variables);
  };
  takeConstraints(checked_->solver, isDead);
  std::erase_if(checked_->solver.delays, isDead);
}

bool IncrementalCheck::isOpen(const Statement& statement) {
  return std::any_of(statement.names.begin(), statement.names.end(),
                     [&](const TopLevelName& name) { return axle::isOpen(*checked_, name.binding); });
}

// Returns a number; types that users of the name cannot distinguish have equal numbers. They see the names of
// parameters.
std::uint32_t IncrementalCheck::signatureOf(const Statement& statement, const TopLevelName& name) {
  if (statement.isOpen) return ++lastSignature_;
  Checked& c = *checked_;
  auto scheme = c.schemes.find(name.binding.index);
  const Scheme* of = scheme == c.schemes.end() ? nullptr : &scheme->second;
  const TypedBinding& binding = c.program[name.binding];
  std::string text(1, static_cast<char>('0' + static_cast<int>(binding.kind)));
  text += binding.polymorphic ? "for all " : "";
  if (c.failed.count(name.binding.index)) {
    text += "failed";
  } else {
    try {
      text += printScheme(c, binding.type, of, parameterNames(c, name.binding));
      std::vector<DimFact> delays;
      if (of)
        for (const Constraint& delay : of->delays) delays.push_back(factOf(c, delay));
      for (const std::string& delay : printFacts(c, binding.type, of, delays)) text += "\n" + delay;
    } catch (const TypesTooLarge&) {
      return ++lastSignature_;
    }
  }
  auto [it, isNew] = signatures_.try_emplace(std::move(text), lastSignature_ + 1);
  if (isNew) ++lastSignature_;
  return it->second;
}

}  // namespace axle
