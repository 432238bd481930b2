#include "tools/repl/program_trial.h"

namespace axle::repl {

ProgramTrial::ProgramTrial(Program& program)
    : program_(program), modules_(program.modules.modules.size()), items_(program.modules.program.size()) {
  for (const ast::Module& module : program.modules.modules) sources_.push_back(module.source);
  sources_.push_back(*program.typed);
  checked_.emplace(*program.checked);
}

ProgramTrial::~ProgramTrial() {
  if (!checked_) return;
  checked_.reset();
  Modules& modules = program_.modules;
  modules.modules.erase(modules.modules.begin() + static_cast<std::ptrdiff_t>(modules_), modules.modules.end());
  modules.imports.erase(modules.imports.begin() + static_cast<std::ptrdiff_t>(modules_), modules.imports.end());
  modules.program.erase(modules.program.begin() + static_cast<std::ptrdiff_t>(items_), modules.program.end());
  program_.sources.keep(sources_);
}

void ProgramTrial::commit() {
  checked_->commit();
  checked_.reset();
}

}  // namespace axle::repl
