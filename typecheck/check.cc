#include "typecheck/check.h"

#include <algorithm>
#include <iterator>

#include "typecheck/checked.h"
#include "typecheck/infer/infer.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/query.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {

namespace {
constexpr Message<> tooManySteps{codes::typesTooLarge, "this program takes too many steps to check", "given up here"};
constexpr Message<> typesGrow{codes::typesTooLarge, "the types of this program grow too large to check",
                              "given up here"};
constexpr Message<> sizesGrow{codes::typesTooLarge, "the sizes of this program grow too large to check",
                              "given up here"};
}  // namespace

void CheckedDeleter::operator()(Checked* checked) const { delete checked; }

bool withinBudget(Checked& checked, const CheckOptions& options, const Inferer& inferer, Diagnostics& diagnostics,
                  const std::function<void()>& work) {
  auto giveUp = [&](const Message<>& message, Format<> help) {
    report(diagnostics, message, inferer.at()).addHelp(help);
    checked.gaveUp = true;
  };
  DimStore& dims = checked.solution.dims;
  dims.limitWork(dims.work() + options.dimWork);
  checked.solution.restartWork(options.work);
  try {
    work();
  } catch (const TooMuchWork&) {
    giveUp(tooManySteps,
           "shapes that are left open are looked at again and again; state the types of some functions in between");
  } catch (const TypesTooLarge&) {
    giveUp(typesGrow, "a tuple that holds itself twice doubles at each step; name fewer copies");
  } catch (const DimsTooLarge&) {
    giveUp(sizesGrow, "quotients of quotients multiply with each step; name a size between them");
  }
  dims.limitWork(UINT64_MAX);
  return !checked.gaveUp;
}

namespace {

void keepProofs(Checked& checked) {
  std::move(checked.solver.proofs.begin(), checked.solver.proofs.end(), std::back_inserter(checked.proofs));
  checked.solver.proofs.clear();
}

void infer(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics, void (Inferer::*what)()) {
  Inferer inferer(checked, options, diagnostics);
  withinBudget(checked, options, inferer, diagnostics, [&] { (inferer.*what)(); });
  if (inferer.errors() > maxErrors)
    addNoteToLastError(diagnostics, Phrase("{} more errors are left out", arg::Number{inferer.errors() - maxErrors}));
  keepProofs(checked);
}

}  // namespace

CheckedPtr check(const Modules& modules, const SourceMap& sources, const CheckOptions& options,
                 Diagnostics& diagnostics) {
  CheckedPtr checked(new Checked(modules, sources, options.operators));
  checked->solver.keepsProofs = options.keepProofs;
  infer(*checked, options, diagnostics, &Inferer::run);
  return checked;
}

void checkMore(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics) {
  infer(checked, options, diagnostics, &Inferer::runMore);
}

void checkDefinitions(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics) {
  Inferer inferer(checked, options, diagnostics);
  std::vector<TypedId> literals;  // whose element types may be known only now
  const std::size_t known = checked.program.exprs.size();
  withinBudget(checked, options, inferer, diagnostics, [&] {
    inferer.runMore();
    inferer.noteRefinedNames(inferer.takeLate().written);
    for (std::uint32_t i = 0; i < known; ++i)
      if (std::holds_alternative<TypedLiteral>(checked.program.exprs[i].node)) literals.push_back(TypedId{i});
    inferer.checkLiterals(literals);
  });
  keepProofs(checked);
}

std::vector<BindingType> bindingTypes(Checked& checked) {
  std::vector<BindingType> out;
  if (checked.gaveUp) return out;
  checked.solution.restartWork();
  for (const TopLevelName& top : checked.rootNames) {
    if (checked.failed.count(top.binding.index)) continue;
    out.push_back({top.name, printBinding(checked, top.binding)});
  }
  return out;
}

const TypedProgram& program(const Checked& checked) { return checked.program; }
Solution& solution(Checked& checked) { return checked.solution; }
const OperatorTable& operators(const Checked& checked) { return checked.operators; }
decide::Statistics solverStatistics(const Checked& checked) { return decisionStatistics(checked.solver); }

}  // namespace axle
