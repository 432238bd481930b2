// What is asked of a result of branches, and what each of them gives. The result's open sizes become what takes it
// needs: that may be what some branches give, which the run decides, or what none gives.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/codes.h"

namespace axle::tensorflow {

// With the variables that sizes were, which know what bound them.
Shape Analysis::flatShape(TypedId value) {
  TypeTerm type = typer_.solution().types[typer_.checked().program[value].type];
  if (type.kind != TypeKind::tensor) type = typer_.solution().types[typer_.typeOf(value)];
  return type.kind == TypeKind::tensor ? typer_.solution().flatten(type.shape) : typer_.unknownShape("s");
}

// Where a branch gives what the result cannot be: sizes that differ by a number, or other ranks.
std::optional<Analysis::Misfit> Analysis::misfitOf(const OutletFact& one, const OutletFact& joined) {
  if (!one.value || !joined.value) return std::nullopt;
  DimStore& dims = typer_.solution().dims;
  const Shape its = flatShape(one.value), wanted = flatShape(joined.value);
  auto isVar = [](const ShapePart& part) { return part.isVar; };
  auto openParts = [&](const Shape& shape) { return std::count_if(shape.begin(), shape.end(), isVar); };
  const auto least = [&](const Shape& shape) { return std::ssize(shape) - openParts(shape); };
  const bool isLonger = openParts(wanted) == 0 && least(its) > least(wanted);
  const bool isShorter = openParts(its) == 0 && least(wanted) > least(its);
  if (isLonger || isShorter) {
    const TypeTerm& type = typer_.solution().types[typer_.checked().program[joined.value].type];
    return Misfit{std::nullopt, type.shape.empty() ? ShapePart() : type.shape[0]};
  }
  for (std::size_t i = 0; i < std::min(its.size(), wanted.size()) && !its[i].isVar && !wanted[i].isVar; ++i) {
    const Dim a = typer_.solution().resolve(its[i].dim), b = typer_.solution().resolve(wanted[i].dim);
    const auto difference = dims.asConstant(dims.sub(a, b));
    if (difference && *difference != 0) return Misfit{i, wanted[i]};
  }
  return std::nullopt;
}

// As messages have it: the size where that differs, else the shape.
std::string Analysis::given(const OutletFact& one, const std::optional<Misfit>& misfit) {
  const Shape shape = flatShape(one.value);
  if (misfit && misfit->axis && *misfit->axis < shape.size() && !shape[*misfit->axis].isVar)
    return printNamed(typer_.solution().resolve(shape[*misfit->axis].dim));
  return printShape(one);
}

void Analysis::refuseJoin(const Join& join, const Misfit& misfit, const std::string& gives) {
  const Reason* why = typer_.whatFixed(misfit.wanted);
  const bool isKnown = why && sources_.isListing(why->span.source);
  Diagnostic d;
  d.code = &codes::nodeMisfit;
  const std::string asked =
      misfit.axis ? fmt::format("{} as dimension {} of `{}`", printNamed(typer_.solution().resolve(misfit.wanted.dim)),
                                *misfit.axis, join.names.result)
                  : fmt::format("`{}` to be {}", join.names.result, printShape(join.joined));
  d.message = fmt::format("{} needs {}, but {}", isKnown ? why->subject : "what takes it", asked, gives);
  d.primary = {isKnown ? why->span : join.at, "no branch gives it"};
  const std::vector<Span> asking = typer_.placesOf(misfit.wanted);
  if (misfit.axis && !asking.empty())
    d.secondary.push_back({asking[0], given(join.joined, misfit) + " comes from here"});
  for (const OutletFact& one : join.cases) {
    const Shape shape = flatShape(one.value);
    if (!misfit.axis || *misfit.axis >= shape.size() || shape[*misfit.axis].isVar) continue;
    const std::vector<Span> places = typer_.placesOf(shape[*misfit.axis]);
    if (!places.empty()) d.secondary.push_back({places[0], given(one, misfit) + " comes from here"});
  }
  diagnostics_.push_back(std::move(d));
  auto site = siteOf(diagnostics_.back().primary, nullptr);
  tellers_.resize(diagnostics_.size() - toldBefore_, site ? site->frame : nullptr);
}

void Analysis::checkJoin(const Join& join) {
  std::vector<std::optional<Misfit>> misfits;
  for (const OutletFact& one : join.cases) misfits.push_back(misfitOf(one, join.joined));
  const auto first = std::find_if(misfits.begin(), misfits.end(), [](const auto& m) { return m.has_value(); });
  if (first == misfits.end() || join.names.cases.size() != join.cases.size()) return;
  const bool isOneAxis =
      std::all_of(misfits.begin(), misfits.end(), [&](const auto& m) { return !m || m->axis == (*first)->axis; });
  Misfit misfit = **first;
  if (!isOneAxis) misfit.axis.reset();
  std::vector<std::string> gives;
  for (std::size_t i = 0; i < join.cases.size(); ++i) {
    std::string one = fmt::format("{} gives {}", join.names.cases[i], given(join.cases[i], misfit));
    if (std::find(gives.begin(), gives.end(), one) == gives.end()) gives.push_back(std::move(one));
  }
  const std::string all = fmt::format("{}", fmt::join(gives, " and "));
  if (std::all_of(misfits.begin(), misfits.end(), [](const auto& m) { return m.has_value(); }))
    return refuseJoin(join, misfit, all);
  const std::string must = misfit.axis ? fmt::format("dimension {} must be {}", *misfit.axis,
                                                     printNamed(typer_.solution().resolve(misfit.wanted.dim)))
                                       : fmt::format("the shape must be {}", printShape(join.joined));
  Guard* guard = addGuard(fmt::format("{}: {}: {}", join.names.result, must, all), typer_.whatFixed(misfit.wanted));
  if (!guard) return;
  addSource(*guard, join.at, "what branches give");
  for (const OutletFact& one : join.cases)
    if (const Shape shape = flatShape(one.value); misfit.axis && *misfit.axis < shape.size())
      addOrigins(*guard, shape[*misfit.axis]);
}

// Where something was refused, what results are may be of it.
void Analysis::checkJoins() {
  for (const Join& join : joins_)
    if (join.cases.size() > 1 && !hasErrors(diagnostics_)) checkJoin(join);
}

}  // namespace axle::tensorflow
