#include "import/builder/sink_into_branches.h"

#include <map>
#include <optional>
#include <utility>

namespace axle {
namespace {

class LetSinker {
 public:
  LetSinker(TypedProgram& program, const std::vector<std::uint32_t>& lets) : p_(program), lets_(lets) {}

  std::vector<std::uint32_t> run(TypedId result, const std::set<std::uint32_t>& kept) {
    for (std::size_t i = 0; i < lets_.size(); ++i) note(p_.lets[lets_[i]].pattern, i);
    neededAt_.resize(lets_.size());
    for (std::uint32_t binding : kept)
      if (auto let = letOf_.find(binding); let != letOf_.end()) neededAt_[let->second] = 0;
    walk(result, 0, true);
    for (std::size_t i = lets_.size(); i-- > 0;) {  // lets that use it come later, so they are placed already
      const std::size_t site = neededAt_[i].value_or(0);
      sites_[site].lets.push_back(lets_[i]);
      walk(p_.lets[lets_[i]].value, site, true);
    }
    for (std::size_t s = 1; s < sites_.size(); ++s) makeBlock(sites_[s]);
    return {sites_[0].lets.rbegin(), sites_[0].lets.rend()};
  }

 private:
  // A place for lets: the function itself, or one branch of an `if`.
  struct Site {
    std::size_t outer = 0, depth = 0;
    TypedId branch;
    bool isThen = false;
    std::vector<std::uint32_t> lets;  // in reverse order
  };

  void note(const TypedPattern& pattern, std::size_t let) {
    if (pattern.binding) letOf_.emplace(pattern.binding.index, let);
    for (const TypedPattern& part : pattern.parts) note(part, let);
  }

  // Returns the innermost site that contains both.
  std::size_t common(std::size_t a, std::size_t b) const {
    while (a != b) {
      std::size_t& deeper = sites_[a].depth >= sites_[b].depth ? a : b;
      deeper = sites_[deeper].outer;
    }
    return a;
  }

  std::size_t addSide(TypedId branch, bool isThen, std::size_t outer) {
    sites_.push_back({outer, sites_[outer].depth + 1, branch, isThen, {}});
    return sites_.size() - 1;
  }

  // Records, for each let, the innermost site that contains all its uses. Does not sink lets into the body of a
  // function, which may run more than once.
  void walk(TypedId root, std::size_t at, bool sinks) {
    struct Step {
      TypedId id;
      std::size_t site;
      bool sinks;
    };
    std::vector<Step> open{{root, at, sinks}};
    while (!open.empty()) {
      const Step step = open.back();
      open.pop_back();
      if (!step.id) continue;
      const TypedExpr& expr = p_[step.id];
      auto also = [&](TypedId id) { open.push_back({id, step.site, step.sinks}); };
      if (const auto* ref = std::get_if<TypedRef>(&expr.node)) {
        if (auto let = letOf_.find(ref->binding.index); let != letOf_.end()) {
          std::optional<std::size_t>& needed = neededAt_[let->second];
          needed = needed ? common(*needed, step.site) : step.site;
        }
      } else if (const auto* apply = std::get_if<TypedApply>(&expr.node)) {
        for (TypedId argument : apply->arguments) also(argument);
      } else if (const auto* tuple = std::get_if<TypedTuple>(&expr.node)) {
        for (TypedId part : tuple->parts) also(part);
      } else if (const auto* lambda = std::get_if<TypedLambda>(&expr.node)) {
        open.push_back({lambda->body, step.site, false});
      } else if (const auto* block = std::get_if<TypedBlock>(&expr.node)) {
        for (std::uint32_t let : block->lets) also(p_.lets[let].value);
        also(block->result);
      } else if (const auto* branch = std::get_if<TypedIf>(&expr.node)) {
        also(branch->condition);
        for (bool isThen : {true, false})
          open.push_back({isThen ? branch->thenValue : branch->elseValue,
                          step.sinks ? addSide(step.id, isThen, step.site) : step.site, step.sinks});
      }
    }
  }

  void makeBlock(const Site& site) {
    if (site.lets.empty()) return;
    const TypedIf branch = std::get<TypedIf>(p_[site.branch].node);
    const TypedId value = site.isThen ? branch.thenValue : branch.elseValue;
    TypedBlock block;
    block.lets.assign(site.lets.rbegin(), site.lets.rend());
    block.result = value;
    const TypedExpr was = p_[value];
    p_.exprs.push_back({was.type, was.span, std::move(block)});
    const TypedId made{static_cast<std::uint32_t>(p_.exprs.size() - 1)};
    auto& now = std::get<TypedIf>(p_.exprs[site.branch.index].node);
    (site.isThen ? now.thenValue : now.elseValue) = made;
  }

  TypedProgram& p_;
  const std::vector<std::uint32_t>& lets_;
  std::map<std::uint32_t, std::size_t> letOf_;  // by binding: its index in `lets_`
  std::vector<std::optional<std::size_t>> neededAt_;
  std::vector<Site> sites_{1};
};

}  // namespace

std::vector<std::uint32_t> sinkIntoBranches(TypedProgram& program, const std::vector<std::uint32_t>& lets,
                                            TypedId result, const std::set<std::uint32_t>& kept) {
  return LetSinker(program, lets).run(result, kept);
}

}  // namespace axle
