// Queries of a checked program, for the REPL and the language server. `resultWith` and `unify` ask in a trial of the
// solver (typecheck/solver/trial.h) and leave the program as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "typecheck/check.h"

namespace axle {

// The name here of what other libraries call so: `expand` for `unsqueeze`; empty where there is none.
std::string_view ourName(std::string_view theirs);

struct TopLevelName;  // typecheck/checked.h
// The names of the root module, in program order.
const std::vector<TopLevelName>& rootNames(const Checked& checked);
// Nothing if the root has no such name, or if its binding has errors.
std::optional<BindingId> rootBinding(const Checked& checked, const std::string& name);
// Whether later uses may refine the type.
bool isOpen(Checked& checked, BindingId binding);
bool isFunction(Checked& checked, BindingId binding);
// The names of a function's parameters; none if the binding is neither a function literal, nor another name of one or
// of an operator.
std::vector<std::string> parameterNames(const Checked& checked, BindingId function);
// The printed type with its facts: `f32 [n, 3] where n >= 1`.
std::string printBinding(Checked& checked, BindingId binding);
// The same with the names of a function's parameters: `(x : f32 [n, 3], w : f32 [3, k]) -> f32 [n, k]`.
std::string printSignature(Checked& checked, BindingId binding);

// Types that share their variables' names, and the facts about these.
struct Answer {
  std::vector<std::string> types;
  std::vector<std::string> facts;
  bool isClosed = true;  // no type has a variable
};
// `checkMore` for definitions: also reports what `check` reports about whole programs.
void checkDefinitions(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics);
Answer parametersOf(Checked& checked, BindingId function);

// How a result's length grows with a streamed input: each `of` further frames give `gives`; 2 of `T` give 1 of `(T - 8)
// / 2`.
struct StreamRate {
  std::string input, output;
  std::int64_t of = 0, gives = 0;  // 0: no fixed number
};
// The streamed parameters, as in `x : f32 [~T, 40]`, and the types of streamed results.
struct Streams {
  std::vector<std::string> inputs, outputs;
  std::vector<StreamRate> rates;
};
Streams streamsOf(Checked& checked, BindingId function);

// A shape given for a parameter or shape variable of a function, or a number for one of its sizes.
struct GivenSize {
  std::string name;
  Span span;
  std::optional<ast::ShapeId> shape;  // else
  std::int64_t size = 0;
};
// The type of a function's result for the given sizes; `module` holds the shapes. Returns nothing, and adds
// diagnostics, if they do not fit the function.
std::optional<Answer> resultWith(Checked& checked, BindingId function, const ast::Module& module,
                                 const std::vector<GivenSize>& given, Diagnostics& diagnostics);

// The type that unifies two written types, and the values of their names: `n = 3`. A name means the same in both.
struct Unified {
  std::string type;
  std::vector<std::string> names;
};
std::optional<Unified> unify(Checked& checked, const ast::Module& module, ast::TypeId a, ast::TypeId b,
                             Diagnostics& diagnostics);

}  // namespace axle
