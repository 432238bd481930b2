// What a checked program answers when it is asked. Answers may leave the program changed: ask a copy that nobody needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/check.h"

namespace axle {

struct TopLevelName;  // typecheck/checked.h
// Of the root, in program order.
const std::vector<TopLevelName>& rootNames(const Checked& checked);
// None where the root has no such name, or where it has errors.
std::optional<BindingId> rootBinding(const Checked& checked, const std::string& name);
// Whether later uses may tell more of its type.
bool isOpen(Checked& checked, BindingId binding);
bool isFunction(Checked& checked, BindingId binding);
// `f32 [n, 3]`, with what must hold behind `where`.
std::string printBinding(Checked& checked, BindingId binding);

// Types in the same names, and what must hold of these.
struct Answer {
  std::vector<std::string> types;
  std::vector<std::string> facts;
  bool isClosed = true;  // no type has a variable
};
// `checkMore` of definitions: what is said of a whole program is said of them too.
void checkDefinitions(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics);
Answer parametersOf(Checked& checked, BindingId function);

// Each further `of` of a streamed length give so many more of a result's: 2 of `T` give 1 of `(T - 8) / 2`.
struct StreamRate {
  std::string input, output;
  std::int64_t of = 0, gives = 0;  // 0: no fixed number
};
// `x : f32 [~T, 40]` of the parameters that are streamed, and the types of results that are.
struct Streams {
  std::vector<std::string> inputs, outputs;
  std::vector<StreamRate> rates;
};
Streams streamsOf(Checked& checked, BindingId function);

// A shape that a parameter or a shape variable of a function has, or a number that one of its sizes is.
struct GivenSize {
  std::string name;
  Span span;
  std::optional<ast::ShapeId> shape;  // else
  std::int64_t size = 0;
};
// The type of a function's result with these; `module` holds the shapes. None, with diagnostics, where they do not fit
// it.
std::optional<Answer> resultWith(Checked& checked, BindingId function, const ast::Module& module,
                                 const std::vector<GivenSize>& given, Diagnostics& diagnostics);

// Of two written types the one that both are, with what their names are then: `n = 3`. Names are the same in both.
struct Unified {
  std::string type;
  std::vector<std::string> names;
};
std::optional<Unified> unify(Checked& checked, const ast::Module& module, ast::TypeId a, ast::TypeId b,
                             Diagnostics& diagnostics);

}  // namespace axle
