// A conflict as a diagnostic: the message, where both values come from, the types given, and what may help
// (docs/language.md, Errors).
#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "frontend/spans.h"
#include "typecheck/checked.h"
#include "typecheck/report/conflict_hints.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/given_arguments.h"
#include "typecheck/report/given_types.h"
#include "typecheck/report/made_size.h"
#include "typecheck/report/operator_notes.h"

namespace axle {
namespace {

bool isNumber(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// The label of the place where a value comes from. `written` is the text there: a size that follows from it is told as
// such.
Phrase originLabel(const Conflict& f, std::size_t index, const Origin& origin, const Phrase& place, bool isHere,
                   bool isSource, std::string_view written = {}) {
  if (origin.makes) return "each call makes a size of its own here";
  const bool isLeft = index < f.leftOrigins;
  if (!isSource) return "by way of this";
  if (!f.unlike.first.empty()) return Phrase("{} comes from {}", arg::Size{f.unlike.first}, place);
  const std::string& value = isLeft ? f.left : f.right;
  const Phrase comesFrom("{} comes from {}", arg::Size{value}, place);
  switch (f.kind) {
    case ConflictKind::stream:
      return value.empty() || value[0] == '~' ? Phrase("this dimension arrives over time") : comesFrom;
    case ConflictKind::escape:
    case ConflictKind::undetermined:
    case ConflictKind::ragged:
    case ConflictKind::unragged:
    case ConflictKind::dim:
    case ConflictKind::elem:
      if (isNumber(written) && isNumber(value) && written != value)
        return Phrase("{} follows from {} {}", arg::Size{value}, isHere ? Phrase("this") : Phrase("{}'s", place),
                      arg::Size{written});
      return value.empty() ? Phrase("from {}", place) : comesFrom;
    case ConflictKind::rank:
    case ConflictKind::split:
      return "one of the shapes is from here";
    case ConflictKind::elemClass:
      return isLeft ? Phrase("class {} is needed here", arg::Name{f.left}) : comesFrom;
    case ConflictKind::tupleArity:
      return Phrase("a tuple of {} parts", arg::Size{value});
    default:
      return "from here";
  }
}

// The order in which origins are shown: the first written place of each side, what else was written, what was inferred.
std::vector<std::size_t> inOrder(const Conflict& conflict, const Provenance& why) {
  std::vector<std::size_t> order;
  auto push = [&](std::size_t i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  };
  const std::size_t count = conflict.origins.size(), left = std::min(conflict.leftOrigins, count);
  auto first = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (why[conflict.origins[i]].written) return push(i);
  };
  first(0, left);
  first(left, count);
  for (bool written : {true, false})
    for (std::size_t i = 0; i < count; ++i)
      if (why[conflict.origins[i]].written == written) push(i);
  return order;
}

// Words for the names of sizes in the facts of signatures.
struct SizeWords {
  std::string_view signature, name, words;
};
constexpr SizeWords sizeWords[] = {
    {"op conv", "h", "h, the height,"},
    {"op conv", "w", "w, the width,"},
    {"op conv", "r", "r, the filter's height,"},
    {"op conv", "s", "s, the filter's width,"},
    {"op conv", "k", "k, the filter's output channels,"},
    {"op conv", "groups", "groups, the image's channels over the filter's,"},
    {"op depthwise_conv", "h", "h, the height,"},
    {"op depthwise_conv", "w", "w, the width,"},
    {"op depthwise_conv", "r", "r, the filter's height,"},
    {"op depthwise_conv", "s", "s, the filter's width,"},
    {"op split ", "n", "n, the size of the axis,"},
    {"op split ", "parts", "parts, their number,"},
    {"op slice ", "n", "n, the size of the axis,"},
    {"op slice ", "start", "start, where it begins,"},
    {"op slice ", "stop", "stop, where it ends,"},
    {"op depth_to_space ", "c", "c, the number of channels,"},
    {"op depth_to_space ", "block", "block, the block's size,"},
    {"op space_to_depth ", "h", "h, the height,"},
    {"op space_to_depth ", "w", "w, the width,"},
    {"op space_to_depth ", "block", "block, the block's size,"},
};

// Users of graphs have not seen the core operators' signatures: leaves out the names that these have for sizes, or, in
// facts, puts words in their place.
void useWordsOfGraphs(Conflict& conflict, Reason& reason) {
  reason.given.clear();
  if (conflict.kind == ConflictKind::dim) conflict.sizeName.clear();
  if (conflict.isReshape) std::replace(conflict.sizeName.begin(), conflict.sizeName.end(), '_', '?');
  if (conflict.kind != ConflictKind::fact || conflict.isReshape || conflict.values.empty()) reason.signature.clear();
  bool told = true;
  for (auto& [name, value] : conflict.values) {
    auto row = std::find_if(std::begin(sizeWords), std::end(sizeWords), [&](const SizeWords& words) {
      return words.name == name && reason.signature.starts_with(words.signature);
    });
    told &= row != std::end(sizeWords);
    if (row == std::end(sizeWords)) continue;
    if (name == conflict.neededOf.first) conflict.neededOf.first = row->words;
    name = row->words;
  }
  if (told) reason.signature.clear();
}

}  // namespace

std::string ownerOf(const Checked& checked, const Origin& origin) {
  const Provenance& why = checked.provenance;
  if (!origin.file.empty()) return {};
  auto isHere = [&](OriginId id) { return id.index && why[id].file.empty() && why[id].span == origin.span; };
  std::string owner;  // of a function that is called several times, each result has sizes from the same place
  for (const TypedBinding& binding : checked.program.bindings) {
    const TypeTerm& type = checked.solution.types[binding.type];
    bool isIts = type.kind == TypeKind::tensor && isHere(type.origin);
    if (type.kind == TypeKind::tensor)
      for (const ShapePart& part : type.shape) isIts |= isHere(part.origin);
    if (!isIts || binding.name == owner) continue;
    if (!owner.empty()) return {};
    owner = binding.name;
  }
  return owner;
}

namespace {

bool isNamed(const Modules& modules, SourceId source, const std::string& size) {
  for (const ast::Module& module : modules.modules)
    if (module.source == source)
      for (const ast::Dim& dim : module.dims)
        if (auto* name = std::get_if<ast::DimName>(&dim.node); name && name->name == size) return true;
  return false;
}

// The call whose function a place names; other places are their own.
Span callOf(const Modules& modules, Span place) {
  for (const ast::Module& module : modules.modules)
    if (module.source == place.source)
      for (const ast::Expr& e : module.exprs)
        if (const auto* call = std::get_if<ast::ExprCall>(&e.node); call && module[call->callee].span == place)
          return e.span;
  return place;
}

}  // namespace

std::optional<Source> sourceOf(Checked& checked, const ShapePart& size) {
  for (OriginId id : originsOf(checked.solver, size))
    if (const Origin& origin = checked.provenance[id]; origin.file.empty())
      return Source{callOf(checked.modules, origin.span), ownerOf(checked, origin)};
  return std::nullopt;
}

namespace {

// Adds the places of a diagnostic: the uses that brought the constraint, and where the values come from.
class Places {
 public:
  Places(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& diagnostic)
      : checked_(checked), conflict_(conflict), reason_(reason), diagnostic_(diagnostic), shown_{reason.span} {}

  // Innermost first; the outermost use is what the user should look at, so it becomes the primary place. Followed calls
  // lead to it.
  void addUses() {
    const Provenance& why = checked_.provenance;
    for (ReasonId use = reason_.within; use.index != 0; use = why[use].within) {
      if (!isNew(why[use].span)) continue;
      if (why[use].isFollowed) {
        calls_.push_back(use);
        continue;
      }
      diagnostic_.addLabel(diagnostic_.primary.place, "asked for here");
      diagnostic_.primary.place = why[use].span;
      diagnostic_.setLabel("in this use of {}", arg::Subject{why[use].subject});
    }
  }

  // Marks an argument of the outermost use in place of its function.
  void markArgument(Span argument) {
    diagnostic_.primary.place = argument;
    diagnostic_.setLabel("this argument");
  }

  void addOrigins() {
    constexpr std::size_t most = 3;
    const Provenance& why = checked_.provenance;
    const bool isOfShapes = !checked_.isGraph && (conflict_.kind == ConflictKind::dim || conflict_.isReshape);
    std::optional<MadeSize> left, right;
    if (conflict_.kind == ConflictKind::dim && !checked_.isGraph)
      std::tie(left, right) = whatMade(checked_, conflict_, reason_);
    if (left && isComputed(*left, 0, conflict_.leftOrigins, conflict_.left)) left.reset();
    if (right && isComputed(*right, conflict_.leftOrigins, conflict_.origins.size(), conflict_.right)) right.reset();
    const bool areNames = std::ranges::none_of(reason_.given, &std::string::empty, &Given::name);
    const bool areMarked = conflict_.kind == ConflictKind::rank && reason_.kind == ReasonKind::application &&
                           !areNames && !checked_.isGraph && addOperands();
    const std::size_t marked = diagnostic_.secondary.size();
    for (std::size_t i : inOrder(conflict_, why)) {
      const Origin& origin = why[conflict_.origins[i]];
      if (conflict_.origins[i].index == 0 || diagnostic_.secondary.size() - marked + diagnostic_.passed.size() >= most)
        continue;
      // What goes through another function tells nothing, but for the numbers of a fact.
      const bool isOfFact = conflict_.kind == ConflictKind::fact && !conflict_.isReshape && isNumber(writtenAt(origin));
      const ast::Expr* declaring = functionDeclaring(origin);
      if (!isSource(i) && !isOfFact && declaring && !isWithin(reason_.span, declaring->span)) continue;
      if (!origin.file.empty()) {
        diagnostic_.addLabel(ArtifactPlace{origin.file, origin.node},
                             originLabel(conflict_, i, origin, "here", true, isSource(i)));
      } else if (isNew(origin.span)) {
        const Span span = placeOf(origin);
        if (!(span == origin.span) && !isNew(span)) continue;
        const std::string owner = otherOwner(origin);
        const Phrase place = owner.empty() ? Phrase("here") : Phrase("{}", arg::Name{owner});
        diagnostic_.addLabel(
            span, originLabel(conflict_, i, origin, place, owner.empty(), isSource(i), checked_.sources.text(span)));
        const bool isMade = areMarked || (i < conflict_.leftOrigins ? left : right).has_value();
        if (isMade && isOfShapes && tellMultiple(origin, i)) continue;
        const bool isAsked = isAskedFor(i);
        if (isAsked) diagnostic_.secondary.back().text = "asked for here";
        if (isAsked || (!isMade && (isSource(i) || !isOfShapes))) continue;
        diagnostic_.passed.push_back(std::move(diagnostic_.secondary.back()));
        diagnostic_.secondary.pop_back();
        std::erase(shown_, span);
      }
    }
    if (left && right && left->ofBoth && areInARow(checked_.modules.root(), left->place, right->place))
      left->ofBoth = right->ofBoth = std::nullopt;
    if (left) addMade(*left, conflict_.left);
    if (right) addMade(*right, conflict_.right);
  }

  // Of shapes of different ranks: marks the operands in place of where the shapes come from.
  bool addOperands() {
    constexpr std::size_t most = 3;
    const std::vector<Span> operands = operandsAt(checked_.modules, reason_.span);
    std::vector<std::size_t> ranks;
    for (const Given& given : reason_.given) {
      const TypeTerm& type = checked_.solution.types[checked_.solution.resolve(given.type)];
      if (type.kind != TypeKind::tensor || std::ranges::any_of(type.shape, &ShapePart::isVar)) return false;
      ranks.push_back(type.shape.size());
    }
    const bool areSame = std::ranges::adjacent_find(ranks, std::not_equal_to()) == ranks.end();
    if (areSame || operands.size() < ranks.size() || ranks.size() > most) return false;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (isNew(operands[i])) diagnostic_.addLabel(operands[i], "this has rank {}", arg::Number{ranks[i]});
    return true;
  }

  void addCalls() {
    constexpr std::size_t most = 4;  // the innermost ones
    for (std::size_t i = 0; i < calls_.size() && i < most; ++i)
      diagnostic_.addLabel(checked_.provenance[calls_[i]].span, "in this call of {}",
                           arg::Subject{checked_.provenance[calls_[i]].subject});
  }

  void add(const std::vector<std::pair<Span, Phrase>>& labels) {
    for (const auto& [span, label] : labels)
      if (!isShown(span)) diagnostic_.addLabel(span, label);
  }

 private:
  // Marks what made a size, and, within functions that are called several times, the calls that lead there.
  void addMade(const MadeSize& made, const std::string& size) {
    const Span place = argumentWithin(made.place, size).value_or(made.place);
    auto isHere = [&](const Label& known) {
      const Span* at = std::get_if<Span>(&known.place);
      return at && *at == place;
    };
    std::erase_if(diagnostic_.passed, isHere);
    const bool isGiven = std::ranges::find(reason_.given, made.owner, &Given::name) != reason_.given.end();
    const Phrase owner = made.owner.empty() || isGiven ? Phrase("here") : Phrase("{}", arg::Name{made.owner});
    if (std::ranges::none_of(diagnostic_.secondary, isHere))
      diagnostic_.addLabel(place, "{} comes from {}", arg::Size{size}, owner);
    shown_.push_back(place);
    if (made.ofBoth && isNew(*made.ofBoth)) diagnostic_.addLabel(*made.ofBoth, "both sizes are made here");
    if (made.alias && isNew(*made.alias)) diagnostic_.addLabel(*made.alias, "gives a value another name");
    if (std::ranges::none_of(made.calls, [&](Span call) { return isCalledAgain(nameOfCall(call)); })) return;
    for (const Span call : {made.calls.front(), made.calls.back()})
      if (isNew(call)) diagnostic_.addLabel(call, "in this call of {}", arg::Name{nameOfCall(call)});
  }

  // Whether the operator computes a size, as the channels of a group, of one declared as another number: then one that
  // is declared like it only happens to be equal.
  bool isComputed(const MadeSize& made, std::size_t begin, std::size_t end, const std::string& size) const {
    if (made.owner.empty() || begin == end) return false;
    const std::string_view declared = writtenAt(checked_.provenance[conflict_.origins[begin]]);
    return isNumber(declared) && isNumber(size) && declared != size;
  }

  // Says in the last label that the size is a part or a multiple of the number there; false where it is not.
  bool tellMultiple(const Origin& origin, std::size_t index) {
    const std::string_view declared = writtenAt(origin);
    const std::string& value = index < conflict_.leftOrigins ? conflict_.left : conflict_.right;
    constexpr std::size_t mostDigits = 9;
    const bool areNumbers =
        isNumber(declared) && isNumber(value) && std::max(declared.size(), value.size()) <= mostDigits;
    const int from = areNumbers ? std::stoi(std::string(declared)) : 0, to = areNumbers ? std::stoi(value) : 0;
    if (from < 2 || to < 2 || from == to || (from % to != 0 && to % from != 0)) return false;
    diagnostic_.secondary.back().text = Phrase("{} follows from this {}", arg::Size{value}, arg::Size{declared}).text;
    return true;
  }

  // Whether an origin of a size that a call asks for is the application, within the functions called, that asks for it.
  bool isAskedFor(std::size_t index) const {
    const Origin& origin = checked_.provenance[conflict_.origins[index]];
    if (reason_.kind != ReasonKind::call || !calls_.empty() || origin.written || isSource(index)) return false;
    const ast::Module& root = checked_.modules.root();
    return std::ranges::none_of(root.exprs, [&](const ast::Expr& e) {
      return std::holds_alternative<ast::ExprFn>(e.node) && isWithin(origin.span, e.span) &&
             isWithin(reason_.span, e.span);
    });
  }

  // The static argument of a call that gives the call's result a size: an origin of that size is there.
  std::optional<Span> argumentWithin(Span call, const std::string& size) const {
    const std::string told = Phrase("{} comes from here", arg::Size{size}).text;
    for (const Label& label : diagnostic_.passed)
      if (const Span* at = std::get_if<Span>(&label.place); at && label.text == told && !(*at == call))
        if (isWithin(*at, call) && isNamedArgument(*at)) return *at;
    return std::nullopt;
  }

  bool isNamedArgument(Span place) const {
    return std::ranges::any_of(checked_.modules.root().exprs, [&](const ast::Expr& e) {
      const auto* call = std::get_if<ast::ExprCall>(&e.node);
      return call && std::ranges::find(call->named, place, &ast::NamedArgument::span) != call->named.end();
    });
  }

  std::string nameOfCall(Span call) const {
    const std::string_view text = checked_.sources.text(call);
    return std::string(text.substr(0, text.find('(')));
  }

  // Whether the text has several calls of a function.
  bool isCalledAgain(const std::string& name) const {
    std::size_t calls = 0;
    const ast::Module& root = checked_.modules.root();
    for (const ast::Expr& e : root.exprs)
      if (const auto* call = std::get_if<ast::ExprCall>(&e.node)) {
        const auto* callee = std::get_if<ast::ExprName>(&root[call->callee].node);
        calls += callee && callee->name == name;
      }
    return calls > 1;
  }

  std::string_view writtenAt(const Origin& origin) const {
    return origin.written && origin.file.empty() ? checked_.sources.text(origin.span) : std::string_view();
  }

  // The function in whose signature a place is; nullptr for others.
  const ast::Expr* functionDeclaring(const Origin& origin) const {
    if (!origin.file.empty()) return nullptr;
    for (const ast::Module& module : checked_.modules.modules)
      if (module.source == origin.span.source)
        for (const ast::Expr& e : module.exprs)
          if (const auto* function = std::get_if<ast::ExprFn>(&e.node))
            if (isWithin(origin.span, function->signature)) return &e;
    return nullptr;
  }

  // Whether a value comes from an origin: the first of its side, unless that only declares another expression, as
  // `4*u`, and another one has the number, or is no declaration of a function.
  bool isSource(std::size_t index) const {
    const Provenance& why = checked_.provenance;
    const bool isLeft = index < conflict_.leftOrigins;
    const std::string& value = isLeft ? conflict_.left : conflict_.right;
    const std::size_t first = isLeft ? 0 : conflict_.leftOrigins;
    const std::size_t end = isLeft ? conflict_.leftOrigins : conflict_.origins.size();
    const std::string_view declared = writtenAt(why[conflict_.origins[first]]);
    if (conflict_.kind == ConflictKind::dim && isNumber(value) && !declared.empty() && !isNumber(declared))
      for (std::size_t i = first + 1; i < end; ++i)
        if (writtenAt(why[conflict_.origins[i]]) == value) return index == i;
    if (conflict_.kind == ConflictKind::dim && !declared.empty() && declared != value &&
        functionDeclaring(why[conflict_.origins[first]]))
      for (std::size_t i = first + 1; i < end; ++i)
        if (conflict_.origins[i].index != 0 && !functionDeclaring(why[conflict_.origins[i]])) return index == i;
    return index == first;
  }

  std::vector<ReasonId> followedFrom(ReasonId use) const {
    std::vector<ReasonId> calls;  // innermost first
    for (; use.index != 0; use = checked_.provenance[use].within)
      if (checked_.provenance[use].isFollowed) calls.push_back(use);
    return calls;
  }

  // What to show of an origin in functions that were called several times: the innermost of the calls that lead to it,
  // but not to the failure, that was made once.
  Span placeOf(const Origin& origin) const {
    const Provenance& why = checked_.provenance;
    std::vector<ReasonId> calls = followedFrom(origin.within);
    const std::vector<ReasonId> failing = followedFrom(reason_.within);
    std::erase_if(calls, [&](ReasonId call) {
      return std::ranges::find(failing, call.index, &ReasonId::index) != failing.end();
    });
    if (origin.written) return origin.span;
    if (calls.empty()) return callOf(checked_.modules, origin.span);
    std::map<std::string, std::size_t> ofFunction;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> ofPlace;
    for (std::uint32_t i = 1; i < why.reasons(); ++i) {
      const Reason& call = why[ReasonId{i}];
      if (!call.isFollowed) continue;
      ++ofFunction[call.subject];
      ++ofPlace[{call.span.begin, call.span.end}];
    }
    if (ofFunction[why[calls.front()].subject] == 1) return callOf(checked_.modules, origin.span);
    for (const ReasonId call : calls)
      if (ofPlace[{why[call].span.begin, why[call].span.end}] == 1) return why[call].span;
    return why[calls.back()].span;
  }

  bool isShown(Span span) const { return std::find(shown_.begin(), shown_.end(), span) != shown_.end(); }
  bool isNew(Span span) {
    if (isShown(span)) return false;
    shown_.push_back(span);
    return true;
  }
  // The binding whose type an origin is part of; empty for an argument's own name, which is told with its type.
  std::string otherOwner(const Origin& origin) const {
    if (!calls_.empty() && !origin.written) return {};  // each call has its own
    const std::string owner = checked_.isGraph ? std::string() : ownerOf(checked_, origin);
    const bool isGiven =
        std::any_of(reason_.given.begin(), reason_.given.end(), [&](const Given& g) { return g.name == owner; });
    return isGiven ? std::string() : owner;
  }

  Checked& checked_;
  const Conflict& conflict_;
  const Reason& reason_;
  Diagnostic& diagnostic_;
  std::vector<Span> shown_;
  std::vector<ReasonId> calls_;  // followed ones, innermost first
};

}  // namespace

Diagnostic explain(Checked& checked, const Conflict& found) {
  Conflict conflict = found;
  Reason reason = checked.provenance[conflict.reason];
  if (checked.isGraph) useWordsOfGraphs(conflict, reason);
  if (conflict.kind == ConflictKind::dim && reason.kind == ReasonKind::application &&
      !isSizeOf(reason.signature, conflict.sizeName))
    conflict.sizeName.clear();
  // An operator's name for a size says nothing where the text has one that is spelled alike.
  if (!checked.isGraph && reason.kind == ReasonKind::result &&
      isNamed(checked.modules, reason.span.source, conflict.sizeName))
    conflict.sizeName.clear();
  if (conflict.kind == ConflictKind::rank && !checked.isGraph) nameOperands(checked, reason, conflict);
  Diagnostic d = conflictMessage(conflict, reason, checked.isGraph);
  Places places(checked, conflict, reason, d);
  places.addUses();
  if (conflict.kind == ConflictKind::attribute)
    if (const auto argument = givenArgument(checked, conflict, reason)) places.markArgument(*argument);
  if (checked.isGraph || !labelTuple(checked, conflict, reason, d)) places.addOrigins();
  if (!checked.isGraph && conflict.kind == ConflictKind::elem && reason.kind == ReasonKind::application)
    labelDefinitions(checked, conflict, reason, d);
  places.addCalls();
  places.add(reason.also);
  addGivenTypes(checked, conflict, reason, d);
  places.add(conflict.because);
  if (!conflict.unlike.first.empty())
    d.addNote("the shapes differ in one size: {} is not {}", arg::Size{conflict.unlike.first},
              arg::Size{conflict.unlike.second});
  // Beside two numbers, nothing is to be said of the sizes that are multiplied with them.
  if (!isNumber(conflict.unlike.first) || !isNumber(conflict.unlike.second))
    for (const Phrase& note : conflict.notes) d.addNote(note);
  addContradiction(checked.sources, conflict, reason, d);
  if (!checked.isGraph) addOperatorNotes(checked, conflict, reason, d);
  const bool isOfArguments =
      conflict.kind == ConflictKind::dim || conflict.kind == ConflictKind::rank || conflict.kind == ConflictKind::elem;
  if (!reason.signature.empty())
    d.addNote("{}", arg::Subject{isOfArguments ? onOneLine(reason.signature) : reason.signature});
  addHints(conflict, reason, checked.isGraph, d);
  return d;
}

}  // namespace axle
