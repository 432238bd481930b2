#include "typecheck/report/call_path.h"

#include <algorithm>

#include "typecheck/report/guesses.h"

namespace axle {
namespace {

// How far the text of an item is evaluated before a place of it fails: behind the calls that apply the local functions
// which the place is part of, as a `loop` applies its cell.
std::uint32_t evaluatedUpTo(const ast::Module& module, Span place, Span item) {
  std::uint32_t end = place.end;
  for (const ast::Binding& binding : module.bindings) {
    const auto* name = std::get_if<ast::PatternName>(&module[binding.pattern].node);
    const bool isLocal = isWithin(binding.span, item) && !(binding.span == item);
    if (!name || !isLocal || !std::holds_alternative<ast::ExprFn>(module[binding.value].node)) continue;
    if (!isWithin(place, module[binding.value].span)) continue;
    for (const ast::Expr& e : module.exprs) {
      const auto* call = isWithin(e.span, item) ? std::get_if<ast::ExprCall>(&e.node) : nullptr;
      auto isIt = [&](ast::ExprId id) {
        const auto* used = std::get_if<ast::ExprName>(&module[id].node);
        return used && used->name == name->name;
      };
      if (call && (isIt(call->callee) || std::ranges::any_of(call->arguments, isIt))) end = std::max(end, e.span.end);
    }
  }
  return end;
}

}  // namespace

CallPath::CallPath(const ast::Module& module, Span failing, const std::vector<Span>& calls, Span reached,
                   const std::vector<Span>& marks) {
  for (const ast::Item& item : module.items) {
    if (const auto* index = std::get_if<std::uint32_t>(&item)) {
      const ast::Binding& binding = module.bindings[*index];
      const auto* name = std::get_if<ast::PatternName>(&module[binding.pattern].node);
      items_.push_back({binding.span, name ? name->name : std::string(), {}});
    } else if (const auto* param = std::get_if<ast::Param>(&item)) {
      items_.push_back({param->span, param->name.text, {}});
    }
  }
  for (const ast::Expr& e : module.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node))
      for (Item& item : items_)
        if (isWithin(e.span, item.span)) item.mentioned.insert(name->name);
  // What is no application fails behind all of its function: a result's type, a fact.
  const bool isApplied = std::ranges::any_of(module.exprs, [&](const ast::Expr& e) {
    return e.span == failing &&
           (std::holds_alternative<ast::ExprCall>(e.node) || std::holds_alternative<ast::ExprBinary>(e.node) ||
            std::holds_alternative<ast::ExprUnary>(e.node));
  });
  const Item* ofFailure = itemAround(failing);
  std::vector<Span> places{isApplied || !ofFailure ? failing : ofFailure->span};
  places.insert(places.end(), calls.begin(), calls.end());
  for (const Span place : places) {
    const Item* item = itemAround(place);
    const bool isInnermost = levels_.empty();  // the signature of a function that it calls may be what fails
    const bool isReached = item && isWithin(reached, item->span);
    const std::uint32_t evaluated = item ? evaluatedUpTo(module, place, item->span) : place.end;
    const std::uint32_t end = isReached ? std::max(evaluated, reached.end) : evaluated;
    Names before, within, marked;
    std::set<std::uint32_t> later;  // what is called with the result of the place
    for (const ast::Expr& e : module.exprs)
      if (const auto* call = std::get_if<ast::ExprCall>(&e.node);
          call && isWithin(place, e.span) && !(isInnermost && e.span == place))
        later.insert(module[call->callee].span.begin);
    for (const ast::Expr& e : module.exprs)
      if (const auto* name = std::get_if<ast::ExprName>(&e.node))
        if (item && isWithin(e.span, item->span) && e.span.begin < end && !later.count(e.span.begin)) {
          (isWithin(e.span, place) ? within : before).insert(name->name);
          if (std::ranges::any_of(marks, [&](Span mark) { return isWithin(e.span, mark) && !isWithin(place, mark); }))
            marked.insert(name->name);
        }
    levels_.push_back(
        {item, place, end, reachedFrom(std::move(before)), reachedFrom(std::move(within)), std::move(marked)});
  }
}

const CallPath::Item* CallPath::itemAround(Span place) const {
  const auto found = std::ranges::find_if(items_, [&](const Item& item) { return isWithin(place, item.span); });
  return found == items_.end() ? nullptr : &*found;
}

// The names, and those that their values are computed of.
CallPath::Names CallPath::reachedFrom(Names names) const {
  for (auto item = items_.rbegin(); item != items_.rend(); ++item)  // what is used is defined before
    if (names.count(item->name)) names.insert(item->mentioned.begin(), item->mentioned.end());
  return names;
}

std::optional<CallPath::Site> CallPath::siteOf(const Fix& change) const {
  const std::size_t outermost = levels_.size() - 1;
  for (std::size_t i = 1; i <= outermost; ++i) {
    const Span call = levels_[i].place;
    auto isInside = [&](const Edit& edit) { return isWithin(edit.span, call) && edit.span.begin > call.begin; };
    if (std::ranges::all_of(change.edits, isInside)) return Site{i - 1, true};
  }
  std::size_t ofPath = 0;
  bool isOnPath = true;
  for (const Edit& edit : change.edits) {
    const Item* item = itemAround(edit.span);
    if (!item || item->name.empty()) return Site{outermost};
    const auto level = std::ranges::find(levels_, item, &Level::item);
    isOnPath = isOnPath && level != levels_.end() && edit.span.begin < level->end;
    if (isOnPath) ofPath = std::max(ofPath, static_cast<std::size_t>(level - levels_.begin()));
  }
  if (isOnPath) return Site{outsideOf(ofPath), false, calledBefore(ofPath)};
  // A function may be called at several levels: where the failure marks a call, or else at the innermost one, which
  // costs least.
  std::optional<Site> site;
  for (const Edit& edit : change.edits) {
    const auto level = levelOf(edit);
    if (level) site = Site{std::max(site.value_or(Site{0}).level, outsideOf(*level))};
  }
  return site;
}

// The level whose call leads into the item of a level: calls of functions inside of it still follow the unchanged one.
std::size_t CallPath::outsideOf(std::size_t level) const {
  while (level + 1 < levels_.size() && levels_[level].item && levels_[level + 1].item == levels_[level].item) ++level;
  return level;
}

// The outermost call of the path before which the function of a level is called, too.
std::optional<std::size_t> CallPath::calledBefore(std::size_t level) const {
  for (std::size_t i = levels_.size() - 1; i-- > outsideOf(level) + 1;)
    if (levels_[i].before.count(levels_[level].item->name)) return i;
  return std::nullopt;
}

std::optional<std::size_t> CallPath::levelOf(const Edit& edit) const {
  const Item* item = itemAround(edit.span);
  const bool isOfPath = std::ranges::find(levels_, item, &Level::item) != levels_.end();
  for (std::size_t i = levels_.size(); i-- > 0 && !isOfPath;)
    if (levels_[i].marked.count(item->name)) return i;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const Level& level = levels_[i];
    if (!level.item) return levels_.size() - 1;
    if (item == level.item ? edit.span.begin < level.end : level.before.count(item->name) > 0) return i;
    if (item != level.item && level.within.count(item->name)) return i > 0 ? i - 1 : 0;
  }
  return std::nullopt;
}

}  // namespace axle
