#include "typecheck/report/natural_notes.h"

#include <algorithm>
#include <iterator>

#include "frontend/spans.h"
#include "typecheck/infer/calls.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/replay.h"

namespace axle {

namespace {

bool isOfSizes(const DiagnosticCode* code) {
  const DiagnosticCode* others[] = {&codes::unknownName, &codes::arity, &codes::elemMismatch, &codes::elemClass};
  return std::ranges::find(others, code) == std::end(others);
}

bool isInWeight(const ast::Module& module, Span place) {
  return std::ranges::any_of(module.items, [&](const ast::Item& item) {
    const auto* param = std::get_if<ast::Param>(&item);
    return param && isWithin(place, param->span);
  });
}

// Whether a note says that a name has the size of a weight.
bool isOfWeight(const Modules& modules, const Diagnostic& note) {
  return std::ranges::any_of(note.secondary, [&](const Label& label) {
    const Span* place = std::get_if<Span>(&label.place);
    return place &&
           std::ranges::any_of(modules.modules, [&](const ast::Module& module) { return isInWeight(module, *place); });
  });
}

}  // namespace

bool tellsShape(const Diagnostic& note) {
  return note.code == &codes::nameRefined && note.arguments.back().find('[') != std::string::npos;
}

bool relatesSizes(const Diagnostic& note) {
  return note.code == &codes::nameRefined && note.arguments.back().find_first_of("+-*/") != std::string::npos;
}

bool isOfStatic(const Modules& modules, const Diagnostic& note) {
  const Span* name = note.code == &codes::nameRefined ? std::get_if<Span>(&note.primary.place) : nullptr;
  auto isIn = [&](const ast::Expr& e) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    return function && std::ranges::any_of(function->statics, [&](const ast::StaticParameter& parameter) {
             return parameter.name.span == *name;
           });
  };
  return name && std::ranges::any_of(modules.modules, [&](const ast::Module& module) {
           return std::ranges::any_of(module.exprs, isIn);
         });
}

bool isNaturalNote(const Modules& modules, const Diagnostic& error, const Diagnostic& note) {
  return note.code == &codes::nameRefined &&
         (!isOfSizes(error.code) || isOfWeight(modules, note) || isOfStatic(modules, note));
}

void dropNotesBesideErrors(const Modules& modules, Diagnostics& diagnostics) {
  const bool areErrors = hasErrors(diagnostics);
  const bool areProblems =
      std::ranges::any_of(diagnostics, [](const Diagnostic& d) { return d.code->severity != Severity::note; });
  if (!areProblems) return;
  const ast::Module& root = modules.root();
  std::vector<Span> failing;  // functions, and places in signatures
  for (const Diagnostic& d : diagnostics) {
    const Span* place = std::get_if<Span>(&d.primary.place);
    if (!place || d.code->severity != Severity::error || !isOfTypes(d.code)) continue;
    failing.push_back(*place);
    if (const auto called = calledFunctionAt(modules, *place)) failing.push_back(called->span);
  }
  auto explains = [&](const Diagnostic& note) {
    const Span name = std::get<Span>(note.primary.place);
    return std::ranges::any_of(root.exprs, [&](const ast::Expr& e) {
      const auto* function = std::get_if<ast::ExprFn>(&e.node);
      return function && isWithin(name, function->signature) && std::ranges::any_of(failing, [&](Span place) {
               return place == e.span || isWithin(place, function->signature);
             });
    });
  };
  std::erase_if(diagnostics, [&](const Diagnostic& d) {
    return d.code == &codes::nameRefined && (areErrors || isOfStatic(modules, d)) && !explains(d);
  });
}

}  // namespace axle
