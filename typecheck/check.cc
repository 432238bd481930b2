#include "typecheck/check.h"

#include <algorithm>
#include <iterator>

#include "typecheck/checked.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/report/query.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {

void CheckedDeleter::operator()(Checked* checked) const { delete checked; }

namespace {

void keepProofs(Checked& checked) {
  std::move(checked.solver.proofs.begin(), checked.solver.proofs.end(), std::back_inserter(checked.proofs));
  checked.solver.proofs.clear();
}

void infer(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics, void (*work)(Inference&)) {
  Inference in(checked, options, diagnostics);
  withinBudget(in, diagnostics, [&] { work(in); });
  keepFirstOfMissingImports(checked.sources, diagnostics);
  noteErrorsLeftOut(diagnostics, std::max(in.errors, maxErrors) - maxErrors);
  keepProofs(checked);
}

}  // namespace

CheckedPtr check(const Modules& modules, const SourceMap& sources, const CheckOptions& options,
                 Diagnostics& diagnostics) {
  CheckedPtr checked(new Checked(modules, sources, options.operators));
  checked->solver.keepsProofs = options.keepProofs;
  checked->solution.dims.interruptWith(options.interrupt);
  checked->solution.streamsAreSizes = options.streamsAreSizes;
  infer(*checked, options, diagnostics, inferProgram);
  return checked;
}

void checkMore(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics) {
  infer(checked, options, diagnostics, inferMore);
}

void checkDefinitions(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics) {
  Inference in(checked, options, diagnostics);
  std::vector<TypedId> literals;  // literals whose element types may become known only now
  const std::size_t known = checked.program.exprs.size();
  withinBudget(in, diagnostics, [&] {
    inferMore(in);
    noteRefinedNames(in, in.deferred.written);
    for (std::uint32_t i = 0; i < known; ++i)
      if (std::holds_alternative<TypedLiteral>(checked.program.exprs[i].node)) literals.push_back(TypedId{i});
    checkLiterals(in, literals);
  });
  keepProofs(checked);
}

namespace {

// Whether nothing is known of a weight: what would say its type may be behind an error.
bool isOpenWeight(Checked& checked, BindingId binding) {
  if (checked.program[binding].kind != BindingKind::weight) return false;
  const TypeTerm& type = checked.solution.types[checked.solution.resolve(checked.program[binding].type)];
  if (type.kind == TypeKind::var) return true;
  const Shape shape = type.kind == TypeKind::tensor ? checked.solution.resolve(type.shape) : Shape();
  return shape.size() == 1 && shape[0].isVar && checked.solution.resolve(type.elem).isVar;
}

}  // namespace

std::vector<BindingType> bindingTypes(Checked& checked, BindingPrinter print) {
  std::vector<BindingType> out;
  if (checked.gaveUp) return out;
  checked.solution.restartWork();
  const auto isFailed = [&](const TopLevelName& top) { return checked.failed.contains(top.binding.index); };
  const bool hasFailed = std::ranges::any_of(checked.rootNames, isFailed);
  for (const TopLevelName& top : checked.rootNames) {
    if (isFailed(top)) continue;
    const bool isUnknown = hasFailed && isOpenWeight(checked, top.binding);
    out.push_back({top.name, isUnknown ? "_" : print(checked, top.binding)});
  }
  return out;
}

const TypedProgram& program(const Checked& checked) { return checked.program; }
Solution& solution(Checked& checked) { return checked.solution; }
const OperatorTable& operators(const Checked& checked) { return checked.operators; }
decide::Statistics solverStatistics(const Checked& checked) { return decisionStatistics(checked.solver); }

}  // namespace axle
