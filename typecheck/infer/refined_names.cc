// Reports names in signatures that inference made less general than written. A size that a parameter of an entry or a
// `param` names is a promise to whoever feeds it: narrowing it is a warning, or an error if the program is to be built
// or run.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "frontend/spans.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/report/called_functions.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<arg::Name, arg::Size> refinedName{codes::nameRefined, "{} is inferred to be {}",
                                                    "{1} in every use of this function"};
constexpr Message<arg::Name, arg::Size> promisedSizeNarrowed{
    codes::promiseNarrowed, "{} is not free: the program makes it {}", "reads as any size"};
constexpr Message<arg::Name, arg::Size> narrowedSizeRefused{
    codes::narrowingRefused, "{} is not free: the program makes it {}", "reads as any size"};
constexpr Message<Phrase, arg::Size> promisedSizesNarrowed{
    codes::promiseNarrowed, "{} are not free: the program makes them {}", "reads as any size"};
constexpr Message<Phrase, arg::Size> narrowedSizesRefused{
    codes::narrowingRefused, "{} are not free: the program makes them {}", "reads as any size"};

constexpr Message<Phrase, arg::Code> promisedSizesTied{codes::promiseNarrowed, "{} are not free: the program needs {}",
                                                       "reads as any size"};
constexpr Message<Phrase, arg::Code> tiedSizesRefused{codes::narrowingRefused, "{} are not free: the program needs {}",
                                                      "reads as any size"};

constexpr Format<> alsoNamed = "and this";

ReasonId reasonOfRefinement(const Checked& c, const ShapePart& written) {
  if (written.isVar) return c.solution.shapeVars[written.var.index].boundWhy;
  const auto v = c.solution.dims.asVariable(written.dim);
  return v ? c.solution.dimVars[v->index].boundWhy : ReasonId();
}

// Returns the application that gave a written size its value; if that is inside a function, the use of the function.
std::optional<Label> placeOfRefinement(const Checked& c, const ShapePart& written, const std::string& value) {
  const ReasonId why = reasonOfRefinement(c, written);
  if (!why.index || c.provenance[why].kind == ReasonKind::where) return std::nullopt;
  const Reason* reason = &c.provenance[why];
  while (reason->within.index) reason = &c.provenance[reason->within];
  if (reason->subject.empty()) return std::nullopt;
  return Label{reason->span, Phrase("{} makes it {}", arg::Subject{reason->subject}, arg::Size{value}).text};
}

// Prints the value of a written name. Another variable that is spelled like it gets a number, so that no name is
// explained by itself.
std::string printValue(Inference& in, const Shape& now, std::string_view written) {
  if (now.size() != 1 || now[0].isVar) return printShape(in.checked, now);
  Solution& solution = in.solution;
  std::set<std::string> used{std::string(written)};
  for (DimVar v : solution.dims.variables(now[0].dim)) used.insert(solution.dims.name(v));
  std::string other;
  for (int i = 1; other.empty() || used.contains(other); ++i) other = fmt::format("{}{}", written, i);
  const bool isAlone = solution.dims.asVariable(now[0].dim).has_value();
  return solution.printSize(now[0].dim, [&](DimVar v) {
    const std::string& name = solution.dims.name(v);
    return solution.markedName(v, name == written && !isAlone ? other : name);
  });
}

bool isRefined(const ShapePart& written, const Shape& now) {
  if (now.size() != 1 || now[0].isVar != written.isVar) return true;
  return written.isVar ? now[0].var != written.var : now[0].dim != written.dim;
}

// Whether only the weights decide a size: its value comes from their file, or is a size of theirs that nothing names.
bool isDecidedByWeights(Inference& in, const ShapePart& written, Dim now) {
  const Solution& solution = in.solution;
  if (solution.dims.asConstant(now)) {
    const std::vector<OriginId> origins = originsOf(in.solver, written);
    return std::ranges::any_of(origins, [&](OriginId id) { return !in.provenance[id].file.empty(); });
  }
  OpenVariables ofWeights;
  for (const TypedWeight& weight : in.program.weights)
    collectVariables(in.solver, in.program.bindings[weight.binding.index].type, ofWeights);
  return std::ranges::all_of(solution.dims.variables(now), [&](DimVar v) {
    return !solution.dimVars[v.index].named && std::ranges::find(ofWeights.dims, v) != ofWeights.dims.end();
  });
}

// The name, among those written, for a size whose variable inference took from a function that is called: `groups` of
// `mix` in `fn (x; heads = 4) { mix(x, groups=heads) }` is `heads`. Nothing where the variable has a name of its own
// there, or none.
std::optional<std::string_view> nameOfCaller(Inference& in, const Shape& now, const std::vector<WrittenName>& written) {
  const auto v = now.size() == 1 && !now[0].isVar ? in.solution.dims.asVariable(now[0].dim) : std::nullopt;
  if (!v) return std::nullopt;
  const Dim size = now[0].dim;
  const WrittenName* first = nullptr;
  for (const WrittenName& name : written) {
    if (name.is.isVar) continue;
    if (name.is.dim == size) return std::nullopt;
    if (!first && in.solution.resolve(name.is.dim) == size) first = &name;
  }
  return first ? std::optional(in.checked.sources.text(first->span)) : std::nullopt;
}

bool isNarrowed(Inference& in, const WrittenName& name, const Shape& now) {
  if (name.by == NamedBy::signature || name.is.isVar || now.size() != 1 || now[0].isVar) return false;
  const auto variable = in.solution.dims.asVariable(name.is.dim);
  if (!variable) return false;
  const ReasonId why = in.solution.dimVars[variable->index].boundWhy;
  if (why.index && in.provenance[why].kind == ReasonKind::where) return false;  // the signature itself says so
  return !isDecidedByWeights(in, name.is, now[0].dim);
}

// Names that one application makes the same size.
struct RefinedNames {
  std::vector<WrittenName> names;
  std::string value;
  bool isNarrowed = false;
};

// Reports the names; the caller adds the places.
Diagnostic& reportNames(Inference& in, const RefinedNames& refined, const Phrase& all) {
  const WrittenName& first = refined.names.front();
  const arg::Name name{in.checked.sources.text(first.span)};
  const arg::Size size{refined.value};
  if (!refined.isNarrowed || in.options.narrowing == Narrowing::allowed)
    return report(in.diagnostics, refinedName, first.span, name, size);
  const bool isRefused = in.options.narrowing == Narrowing::refused;
  if (refined.names.size() == 1)
    return report(in.diagnostics, isRefused ? narrowedSizeRefused : promisedSizeNarrowed, first.span, name, size);
  return report(in.diagnostics, isRefused ? narrowedSizesRefused : promisedSizesNarrowed, first.span, all, size);
}

// Marks the place where a called function gives two sizes of a parameter the same name.
void labelEqualSizes(const Inference& in, const Label& place, Diagnostic& d) {
  const auto called = calledFunctionAt(in.checked.modules, std::get<Span>(place.place));
  if (!called) return;
  for (const ast::Parameter& parameter : called->function->parameters) {
    std::set<std::string_view> names;
    for (const ast::Dim* size : declaredSizesOf(*called->module, parameter))
      if (const auto* name = std::get_if<ast::DimName>(&size->node); name && !names.insert(name->name).second)
        return void(d.addLabel((*called->module)[parameter.type].span, "{} takes two equal sizes here",
                               arg::Name{called->name}));
  }
}

// Marks the equation inside a function whose solution is this number.
void labelEquation(const Inference& in, const Label& place, Dim number, Diagnostic& d) {
  const Checked& c = in.checked;
  for (std::uint32_t i = 0; i < c.solution.dimVars.size(); ++i) {
    const DimVarInfo& info = c.solution.dimVars[i];
    if (!info.solvedFrom || !info.binding || *info.binding != number || !info.boundWhy.index) continue;
    const Reason& reason = c.provenance[info.boundWhy];
    const bool isElsewhere = reason.span.source == in.module().source && !reason.subject.empty() &&
                             !(reason.span == std::get<Span>(place.place));
    if (!isElsewhere) continue;
    const DimStore& dims = c.solution.dims;
    d.addLabel(reason.span, "{} needs {} here", arg::Subject{reason.subject},
               arg::Code{dims.print(info.solvedFrom->first) + " == " + dims.print(info.solvedFrom->second)});
    return;
  }
}

Phrase listed(const Inference& in, const std::vector<WrittenName>& names) {
  Phrase all("{}", arg::Name{in.checked.sources.text(names.front().span)});
  for (std::size_t i = 1; i < names.size(); ++i)
    all = Phrase(i + 1 < names.size() ? Format<Phrase, arg::Name>("{}, {}") : Format<Phrase, arg::Name>("{} and {}"),
                 all, arg::Name{in.checked.sources.text(names[i].span)});
  return all;
}

// Returns all places with the name of a size, as a size or as a value: in the function whose signature has it; for a
// `param`, in all `param`s.
std::vector<Span> placesOf(const Inference& in, const WrittenName& name) {
  const ast::Module& module = in.module();
  const std::string_view text = in.checked.sources.text(name.span);
  std::vector<Span> within;
  for (const ast::Item& item : module.items) {
    const auto* param = std::get_if<ast::Param>(&item);
    const auto* binding = std::get_if<std::uint32_t>(&item);
    const Span span = param ? param->span : binding ? module.bindings[*binding].span : Span();
    if (name.by == NamedBy::weight ? param != nullptr : isWithin(name.span, span)) within.push_back(span);
  }
  auto isInScope = [&](Span place) {
    return std::ranges::any_of(within, [&](Span span) { return isWithin(place, span); });
  };
  std::vector<Span> places;
  for (const ast::Dim& dim : module.dims)
    if (const auto* size = std::get_if<ast::DimName>(&dim.node); size && size->name == text && isInScope(dim.span))
      places.push_back(dim.span);
  for (const ast::Expr& e : module.exprs)
    if (const auto* value = std::get_if<ast::ExprName>(&e.node); value && value->name == text && isInScope(e.span))
      places.push_back(e.span);
  return places;
}

void reportRefinedNames(Inference& in, const RefinedNames& refined) {
  Checked& c = in.checked;
  const WrittenName& name = refined.names.front();
  const arg::Size size{refined.value};
  const Phrase all = listed(in, refined.names);
  Fix written;
  for (const WrittenName& one : refined.names)
    for (const Span use : placesOf(in, one)) written.edits.push_back({use, refined.value});
  std::ranges::sort(written.edits, {}, [](const Edit& edit) { return edit.span.begin; });
  Diagnostic& d = reportNames(in, refined, all);
  for (std::size_t i = 1; i < refined.names.size(); ++i) d.addLabel(refined.names[i].span, alsoNamed);
  auto place = placeOfRefinement(c, name.is, refined.value);
  const Span placeSpan = place ? std::get<Span>(place->place) : name.span;
  const auto source = sourceOf(c, name.is);
  const bool isElsewhere = source && !(source->span == name.span) && !(source->span == placeSpan);
  if (isElsewhere)
    d.addLabel(source->span, "{} comes from {}", size,
               source->owner.empty() ? Phrase("here") : Phrase("{}", arg::Name{source->owner}));
  if (place) d.secondary.push_back(*place);
  const auto variable = name.is.isVar ? std::nullopt : c.solution.dims.asVariable(name.is.dim);
  if (const auto cancelled = variable ? c.solution.dimVars[variable->index].cancelled : std::nullopt)
    d.addNote("{}, which both sides share, is taken not to be 0", arg::Code{c.solution.dims.print(*cancelled)});
  if (d.is(refinedName)) {
    if (name.by == NamedBy::weight) d.setLabel("{} in every use of this parameter", size);
    return;
  }
  const Dim now = in.solution.resolve(name.is.dim);
  const bool isNumber = in.solution.dims.asConstant(now).has_value();
  const arg::Subject them{refined.names.size() > 1 ? "them" : "it"};
  if (place && isNumber) labelEquation(in, *place, now, d);
  if (place && !isNumber) labelEqualSizes(in, *place, d);
  const bool isOfWeights = source && std::ranges::any_of(in.program.weights, [&](const TypedWeight& weight) {
                             return in.program[weight.binding].name == source->owner;
                           });
  if (isNumber && isElsewhere && !isOfWeights && c.sources.text(source->span) == refined.value)
    d.addHelp("to keep {} open, write {} also where {} comes from", them, all, size);
  else if (place)
    d.addHelp("to keep {} open, change {}, which makes {} {}", them,
              arg::Code{c.sources.text(std::get<Span>(place->place))}, them, size);
  const std::size_t places = written.edits.size();
  d.addHelp("write {} instead of {}{} {}", arg::Code{refined.value}, all,
            places > refined.names.size() ? Phrase(", in all {} places,", arg::Number{places}) : Phrase(""),
            isNumber ? Phrase("if no other size is meant") : Phrase("only if they are always equal"));
  written.title = d.help.back();
  d.fixes.push_back(std::move(written));
}

// Reports an equation such as `n == b*n` that the entry leaves to its callers although only a few of the sizes that its
// parameters name satisfy it. An equation with quotients, such as `2*(n / 2) == n`, states divisibility, which is no
// mistake.
void reportTiedNames(Inference& in, const std::vector<WrittenName>& written) {
  const Scope& program = *in.scopes.front();
  const auto entry = program.values.find(in.options.entry);
  const Scheme* scheme = entry == program.values.end() ? nullptr : schemeOf(in.checked, entry->second);
  if (!scheme) return;
  DimStore& dims = in.solution.dims;
  std::map<std::uint32_t, WrittenName> promised;  // by variable: the first place of its name
  for (const WrittenName& name : written)
    if (name.by == NamedBy::entryParameter && !name.is.isVar)
      if (const auto v = dims.asVariable(in.solution.resolve(name.is.dim))) promised.try_emplace(v->index, name);
  for (const Constraint& constraint : scheme->constraints) {
    const auto fact = comparisonOf(constraint);
    if (!fact || fact->relation != FactRelation::eq) continue;
    std::vector<WrittenName> tied;
    bool isPolynomial = true;
    for (const Term& term : termsOf(dims, dims.sub(in.solution.resolve(fact->left), in.solution.resolve(fact->right))))
      for (const Factor& factor : term.factors) {
        const auto name = promised.find(factor.index);
        isPolynomial = isPolynomial && !factor.isAtom && name != promised.end();
        if (isPolynomial && std::ranges::find(tied, name->second.span, &WrittenName::span) == tied.end())
          tied.push_back(name->second);
      }
    if (!isPolynomial || tied.size() < 2) continue;
    const std::string equation =
        dims.print(in.solution.resolve(fact->left)) + " == " + dims.print(in.solution.resolve(fact->right));
    Diagnostic& d =
        report(in.diagnostics, in.options.narrowing == Narrowing::refused ? tiedSizesRefused : promisedSizesTied,
               tied.front().span, listed(in, tied), arg::Code{equation});
    for (std::size_t i = 1; i < tied.size(); ++i) d.addLabel(tied[i].span, alsoNamed);
    d.addHelp("write {} behind {} if it is meant", arg::Code{equation}, arg::Code{"where"});
    return;
  }
}

}  // namespace

bool isOtherName(const Label& label) { return label.text == alsoNamed.text(); }

void noteRefinedNames(Inference& in, const std::vector<WrittenName>& all) {
  std::vector<RefinedNames> found;
  for (const WrittenName& name : all) {
    const Shape now = in.solution.resolve(Shape{name.is});
    if (!isRefined(name.is, now)) continue;
    const std::string_view written = in.checked.sources.text(name.span);
    const auto ofCaller = nameOfCaller(in, now, all);
    const std::string value = ofCaller ? std::string(*ofCaller) : printValue(in, now, written);
    if (value == written) continue;  // another size of the same name
    const bool narrowed = isNarrowed(in, name, now);
    if (name.by == NamedBy::weight && !narrowed) continue;  // its file decides
    const ReasonId why = reasonOfRefinement(in.checked, name.is);
    auto same = std::find_if(found.begin(), found.end(), [&](const RefinedNames& other) {
      return narrowed && other.isNarrowed && why.index && other.value == value &&
             reasonOfRefinement(in.checked, other.names.front().is).index == why.index;
    });
    if (same != found.end())
      same->names.push_back(name);
    else
      found.push_back({{name}, value, narrowed});
  }
  for (const RefinedNames& refined : found) {
    if (in.refinedNames++ >= maxErrors) return;
    reportRefinedNames(in, refined);
  }
  if (found.empty() && in.options.narrowing != Narrowing::allowed) reportTiedNames(in, all);
}

}  // namespace axle
