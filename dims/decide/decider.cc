#include "dims/decide/decider.h"

#include <algorithm>
#include <set>

#include "dims/decide/answers.h"
#include "dims/decide/refute.h"
#include "dims/decide/witness.h"

namespace axle::decide {

const char* spelling(Verdict verdict) {
  constexpr const char* names[] = {"proved", "refuted", "contingent", "unknown"};
  return names[static_cast<int>(verdict)];
}

const char* spelling(Tier tier) {
  constexpr const char* names[] = {"normal-form", "facts", "z3"};
  return names[static_cast<int>(tier)];
}

namespace {

constexpr std::size_t quickSamples = 300;  // before any proof is tried
constexpr std::size_t mostSolved = 1000;   // evaluations to solve equations, where these meet none that holds

// One question, copied into a store of its own: deciding it adds nothing to the asker's store.
class Inquiry {
 public:
  Inquiry(const Question& q, const Limits& limits, Z3& z3, Statistics& statistics)
      : q_(q), limits_(limits), z3_(z3), statistics_(statistics) {
    store_.limitWork(limits.terms);
    store_.interruptWith(q.store.interrupt());
    bool overflows = false;
    auto take = [&](const DimComparison& fact) {
      const DimComparison own{import(fact.left), fact.relation, import(fact.right)};
      overflows |= store_.isUndefined(own.left) || store_.isUndefined(own.right);
      return own;
    };
    std::set<Dim> divisors;
    for (const DimComparison& fact : q.assumptions) {
      assumptions_.push_back(take(fact));
      for (Dim side : {assumptions_.back().left, assumptions_.back().right}) collectDivisors(store_, side, divisors);
    }
    for (Dim d : q.divisorsOfAssumptions) divisors.insert(import(d));
    assumesNothing_ = anyBelowOne(divisors);
    claim_ = take(q.claim);
    for (Dim side : {claim_.left, claim_.right}) collectDivisors(store_, side, divisorsOfClaim_);
    for (Dim d : q.divisorsOfClaim) divisorsOfClaim_.insert(import(d));
    for (const auto& [from, to] : variables_)
      if (q.isSize(DimVar{from})) base_.nonNegative.push_back(store_.variable(to));
    for (Dim d : divisors) base_.nonNegative.push_back(atLeastOne(d));
    for (const DimComparison& fact : assumptions_) add(base_, fact.left, fact.relation, fact.right);
    tooLarge_ = overflows;
  }

  ~Inquiry() { statistics_.work += store_.work(); }
  Inquiry(const Inquiry&) = delete;

  Answer answer() {
    Answer out;
    if (assumesNothing_ || anyBelowOne(divisorsOfClaim_)) {
      out.verdict = assumesNothing_ ? Verdict::proved : Verdict::refuted;
      out.tier = Tier::normalForm;
      out.why = assumesNothing_ ? "the assumptions divide by less than 1" : "it divides by less than 1";
      return out;
    }
    if (tooLarge_) {
      out.why = "arithmetic overflow";
      return out;
    }
    if (byNormalForm(out)) return out;
    Sampler sampler = samplerOfAll();
    sampler.search(std::min(quickSamples, limits_.samples));
    if (!sampler.holds) sampler.solveEquations(mostSolved);
    statistics_.work += sampler.tried() + sampler.evaluated();
    if (!contingent(sampler, out)) decide(sampler, out);
    witness(sampler.holds, out.holdsFor);
    witness(sampler.fails, out.failsFor);
    return out;
  }

  // Returns a value of the claim's left side under the assumptions.
  std::optional<std::int64_t> someValue() {
    if (tooLarge_) return std::nullopt;
    Sampler sampler = samplerOfAll();
    sampler.search(limits_.samples);
    statistics_.work += sampler.tried();
    if (!sampler.holds) return std::nullopt;
    auto value = evaluate(store_, claim_.left, sampler.holds->values);
    if (!value || *value > INT64_MAX || *value < INT64_MIN) return std::nullopt;
    return static_cast<std::int64_t>(*value);
  }

 private:
  Sampler samplerOfAll() {
    Budget budget{limits_.steps};
    std::set<const char*> used;
    System simplified = base_;
    Simplifier(store_, budget, used).simplify(simplified);
    std::vector<DimComparison> meant = assumptions_;
    for (Dim d : base_.nonNegative) meant.push_back({d, FactRelation::ge, store_.constant(0)});
    std::vector<DimVar> own;
    for (const auto& [from, to] : variables_) own.push_back(to);
    return Sampler(store_, simplified, std::move(meant), claim_, {divisorsOfClaim_.begin(), divisorsOfClaim_.end()},
                   std::move(own));
  }

  Dim import(Dim d) {
    if (q_.store.isUndefined(d)) return store_.undefined();
    if (auto it = imported_.find(d); it != imported_.end()) return it->second;
    const Dim own = store_.rebuild(termsOf(q_.store, d), [&](const Factor& f) {
      if (!f.isAtom) return store_.variable(variable(DimVar{f.index}));
      const Atom& atom = q_.store.atom(f.index);
      const Dim left = import(atom.left), right = import(atom.right);
      return store_.apply(atom.op, left, right);
    });
    imported_.emplace(d, own);
    return own;
  }

  DimVar variable(DimVar v) {
    auto it = variables_.find(v.index);
    if (it == variables_.end()) it = variables_.emplace(v.index, store_.newVariable(q_.store.name(v))).first;
    return it->second;
  }

  // Whether some divisor is a constant below 1: a fact with such a divisor never holds.
  bool anyBelowOne(const std::set<Dim>& divisors) const {
    return std::any_of(divisors.begin(), divisors.end(), [&](Dim d) {
      auto value = store_.asConstant(d);
      return value && *value < 1;
    });
  }

  Dim atLeastOne(Dim d) { return store_.sub(d, store_.constant(1)); }

  void add(System& s, Dim left, FactRelation relation, Dim right) {
    Dim difference = store_.sub(left, right), one = store_.constant(1);
    Dim opposite = store_.sub(right, left);
    if (store_.isUndefined(difference) || store_.isUndefined(opposite)) return;  // it overflows: nothing is assumed
    switch (relation) {
      case FactRelation::eq:
        s.zero.push_back(difference);
        break;
      case FactRelation::ne:
        s.nonZero.push_back(difference);
        break;
      case FactRelation::lt:
        s.nonNegative.push_back(store_.sub(opposite, one));
        break;
      case FactRelation::le:
        s.nonNegative.push_back(opposite);
        break;
      case FactRelation::gt:
        s.nonNegative.push_back(store_.sub(difference, one));
        break;
      case FactRelation::ge:
        s.nonNegative.push_back(difference);
        break;
    }
  }

  // Returns the facts under which the claim is defined, together with the claim or its negation.
  System with(bool claim) {
    System s = base_;
    for (Dim d : divisorsOfClaim_) s.nonNegative.push_back(atLeastOne(d));
    add(s, claim_.left, claim ? claim_.relation : negated(claim_.relation), claim_.right);
    return s;
  }

  // Tier 1: both sides have one normal form, or forms that differ by a constant.
  bool byNormalForm(Answer& out) {
    System sizes;
    for (Dim d : base_.nonNegative)
      if (store_.asVariable(d)) sizes.nonNegative.push_back(d);
    for (Dim d : divisorsOfClaim_) sizes.nonNegative.push_back(atLeastOne(d));
    Intervals known(store_, sizes);
    Budget budget{limits_.steps};
    Rewriter rewriter(store_, known, budget);
    Dim difference = store_.sub(rewriter.normal(claim_.left), rewriter.normal(claim_.right));
    auto value = store_.asConstant(difference);
    if (!value) return false;
    bool holds = related(*value, claim_.relation, std::int64_t{0});
    if (holds && !divisorsKnown(known)) return false;
    out.verdict = holds ? Verdict::proved : Verdict::refuted;
    out.tier = Tier::normalForm;
    out.why = listed(rewriter.used);
    if (out.why.empty()) out.why = "polynomials";
    return true;
  }

  bool divisorsKnown(const Intervals&) {
    Intervals known(store_, base_);
    return std::all_of(divisorsOfClaim_.begin(), divisorsOfClaim_.end(),
                       [&](Dim d) { return known.range(d).low >= 1; });
  }

  bool contingent(const Sampler& sampler, Answer& out) {
    if (!sampler.holds || !sampler.fails) return false;
    out.verdict = Verdict::contingent;
    out.why = "witnesses";
    return true;
  }

  static std::string listed(const std::set<const char*>& used) {
    std::set<std::string> names(used.begin(), used.end());
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
  }

  bool contradictory(const System& s, std::string& why) {
    Budget budget{limits_.steps};
    Refuter refuter(store_, budget);
    bool found = refuter.contradictory(s);
    statistics_.work += limits_.steps - budget.left;
    why = listed(refuter.used);
    return found;
  }

  // Each system must be contradictory for the verdict.
  struct Goal {
    Verdict verdict;
    std::vector<System> systems;
  };

  void decide(Sampler& sampler, Answer& out) {
    const std::size_t evaluated = sampler.evaluated();
    std::vector<Goal> goals;
    Goal refuted{Verdict::refuted, {with(true)}}, proved{Verdict::proved, {with(false)}};
    Intervals known(store_, base_);
    for (Dim d : divisorsOfClaim_) {
      if (known.range(d).low >= 1) continue;
      System s = base_;
      s.nonNegative.push_back(store_.negate(d));
      proved.systems.push_back(std::move(s));
    }
    if (!sampler.fails) goals.push_back(std::move(proved));
    if (!sampler.holds) goals.push_back(std::move(refuted));
    for (Goal& goal : goals) {
      bool all = true;
      for (System& s : goal.systems) all = all && contradictory(s, out.why);
      if (!all) continue;
      out.verdict = goal.verdict;
      out.tier = Tier::facts;
      std::string alone;
      bool seen = sampler.holds || sampler.fails;  // sizes for which the assumptions hold
      if (!seen && contradictory(base_, alone)) out.why = "the assumptions contradict each other: " + alone;
      return;
    }
    sampler.search(limits_.samples);
    if (sampler.evaluated() == 0) sampler.solveEquations(mostSolved);
    statistics_.work += sampler.evaluated() - evaluated;
    if (contingent(sampler, out)) return;
    if (limits_.z3Resources > 0 && byZ3(goals, sampler, out)) return;
    if (!contingent(sampler, out)) out.why = "given up";
  }

  bool byZ3(std::vector<Goal>& goals, Sampler& sampler, Answer& out) {
    ++statistics_.askedZ3;
    statistics_.work += limits_.z3Resources / 2;
    out.tier = Tier::z3;
    for (Goal& goal : goals) {
      bool all = true;
      for (System s : goal.systems) {
        Budget budget{limits_.steps};
        std::set<const char*> used;
        Simplifier(store_, budget, used).simplify(s);
        std::vector<std::int64_t> model;
        Satisfiable found = z3_.ask(store_, s, limits_.z3Resources, model);
        all = all && found == Satisfiable::no;
        if (found == Satisfiable::yes) fromModel(sampler, s, std::move(model));
        if (!all) break;
      }
      if (!all) continue;
      out.verdict = goal.verdict;
      out.why = "Z3: unsatisfiable";
      return true;
    }
    return contingent(sampler, out);
  }

  // Computes the values of solved variables from the others.
  void fromModel(Sampler& sampler, const System& s, std::vector<std::int64_t> model) {
    model.resize(store_.variableCount(), 0);
    for (auto it = s.solved.rbegin(); it != s.solved.rend(); ++it) {
      auto value = evaluate(store_, it->second, model);
      if (!value || *value > INT64_MAX || *value < INT64_MIN) return;
      model[it->first.index] = static_cast<std::int64_t>(*value);
    }
    sampler.check(std::move(model));
  }

  void witness(const std::optional<Sample>& sample, std::optional<Assignment>& out) const {
    if (!sample) return;
    out.emplace();
    for (const auto& [from, to] : variables_) out->emplace_back(DimVar{from}, sample->values[to.index]);
  }

  const Question& q_;
  const Limits& limits_;
  Z3& z3_;
  Statistics& statistics_;
  DimStore store_;
  std::map<Dim, Dim> imported_;
  std::map<std::uint32_t, DimVar> variables_;  // by the asker's index
  std::vector<DimComparison> assumptions_;
  DimComparison claim_;
  std::set<Dim> divisorsOfClaim_;
  System base_;
  bool assumesNothing_ = false;  // an assumption divides by a number below 1: they hold for no sizes
  bool tooLarge_ = false;
};

}  // namespace

Decider::Decider(Limits limits) : limits_(limits), known_(std::make_shared<KnownAnswers>()) {}

// Returns the answer that is known already, and counts its work where that counts.
std::optional<KnownAnswer> Decider::lookUp(const QuestionKey& key) {
  const KnownAnswer* known = known_->find(key);
  const bool isNew = !known && answered_;
  if (isNew) known = answered_->find(key);
  if (!known) return std::nullopt;
  if (isNew || !answered_) {
    statistics_.work += known->work;
    statistics_.askedZ3 += known->askedZ3;
  }
  KnownAnswer found = *known;
  if (isNew) known_->add(key, found);
  found.answer = withVariables(std::move(found.answer), key);
  return found;
}

// Returns the answer, or a value of the claim's left side, and counts the work.
KnownAnswer Decider::inquire(const Question& question, bool asksValue) {
  const QuestionKey key(question, asksValue);
  if (const auto known = lookUp(key)) return *known;
  const Statistics before = statistics_;
  KnownAnswer found;
  try {
    Inquiry inquiry(question, limits_, z3_, statistics_);
    if (asksValue)
      found.value = inquiry.someValue();
    else
      found.answer = inquiry.answer();
  } catch (const DimsTooLarge&) {
    found.answer.why = "the sizes grow too large";
  }
  known_->add(key, {withPlaces(found.answer, key), found.value, statistics_.work - before.work,
                    statistics_.askedZ3 - before.askedZ3});
  return found;
}

Answer Decider::ask(const Question& question) {
  if (!isExhausted()) return inquire(question, false).answer;
  Answer answer;
  answer.why = "the work for one program is used up";
  return answer;
}

Answer Decider::decide(const Question& question) {
  Answer answer = ask(question);
  if (answer.verdict == Verdict::unknown)
    ++statistics_.open;
  else
    ++statistics_.decided[static_cast<int>(answer.tier)];
  return answer;
}

std::vector<std::size_t> Decider::core(const Question& question, Verdict verdict) {
  std::vector<std::size_t> kept(question.assumptions.size());
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = i;
  auto with = [&](const std::vector<std::size_t>& some) {
    Question q = question;
    q.assumptions.clear();
    for (std::size_t i : some) q.assumptions.push_back(question.assumptions[i]);
    return q;
  };
  for (std::size_t i = kept.size(); i-- > 0;) {
    std::vector<std::size_t> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (ask(with(fewer)).verdict == verdict) kept = std::move(fewer);
  }
  return kept;
}

std::optional<std::int64_t> Decider::possible(const Question& question) {
  return isExhausted() ? std::nullopt : inquire(question, true).value;
}

}  // namespace axle::decide
