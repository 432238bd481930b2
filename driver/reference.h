// The documentation that the binary carries: operators, modules, explanations of diagnostics.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace axle::driver {

// A page of text, or the error where there is nothing of that name.
using Page = tl::expected<std::string, std::string>;

// Operators and functions with their types and documentation. `name` is an operator, a family of operators, a module of
// the standard library, or a function of one (`nn.dense`, or `dense` alone); any other word is sought in names and
// documentation. Empty: all operators by family, and the modules.
Page operatorPage(const std::string& name);

// The names that `operatorPage` takes: operators in letters, modules, and functions of these;
// without names that end in a quote, which shells do not take.
std::vector<std::string> operatorNames();

// All codes of diagnostics with their titles, a line each.
std::string codeList();
std::vector<std::string> codeNames();
// What docs/errors.md says of a code, which may be short for one: `302`. What a word of signatures means: `whole`.
Page explanation(const std::string& code);

// `text` on one line, with single blanks.
std::string oneLine(std::string_view text);

}  // namespace axle::driver
