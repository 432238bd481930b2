#include "typecheck/checked_trial.h"

#include <utility>

namespace axle {

namespace {

template <class List>
void shorten(List& list, std::size_t size) noexcept {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(size), list.end());
}

}  // namespace

CheckedTrial::CheckedTrial(Checked& checked)
    : checked_(checked),
      sizes_{checked.program.exprs.size(),
             checked.program.lets.size(),
             checked.program.bindings.size(),
             checked.program.weights.size(),
             checked.program.composites.size(),
             checked.program.topLevel.size(),
             checked.moduleScopes.size(),
             checked.scalars.size(),
             checked.proofs.size()},
      programScope_(checked.moduleScopes[checked.programScope]),
      rootNames_(checked.rootNames),
      schemes_(checked.schemes.lower_bound(static_cast<std::uint32_t>(checked.programBegin)), checked.schemes.end()),
      failed_(checked.failed),
      gaveUp_(checked.gaveUp),
      decider_(checked.solver.decider.withOwnZ3()) {
  solver_.emplace(checked.solver);
  std::swap(decider_, checked.solver.decider);
}

CheckedTrial::~CheckedTrial() {
  if (solver_) rollback();
}

void CheckedTrial::rollback() noexcept {
  solver_.reset();
  checked_.solver.decider = std::move(decider_);
  TypedProgram& program = checked_.program;
  shorten(program.exprs, sizes_.exprs);
  shorten(program.lets, sizes_.lets);
  shorten(program.bindings, sizes_.bindings);
  shorten(program.weights, sizes_.weights);
  shorten(program.composites, sizes_.composites);
  shorten(program.topLevel, sizes_.topLevel);
  shorten(checked_.moduleScopes, sizes_.moduleScopes);
  shorten(checked_.scalars, sizes_.scalars);
  shorten(checked_.proofs, sizes_.proofs);
  checked_.moduleScopes[checked_.programScope] = std::move(programScope_);
  checked_.rootNames = std::move(rootNames_);
  checked_.schemes.erase(checked_.schemes.lower_bound(static_cast<std::uint32_t>(checked_.programBegin)),
                         checked_.schemes.end());
  checked_.schemes.merge(schemes_);
  checked_.written.erase(checked_.written.lower_bound(static_cast<std::uint32_t>(sizes_.exprs)),
                         checked_.written.end());
  checked_.failed = std::move(failed_);
  checked_.gaveUp = gaveUp_;
}

void CheckedTrial::commit() {
  solver_->commit();
  solver_.reset();
}

}  // namespace axle
