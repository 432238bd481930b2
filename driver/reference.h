// The documentation that the binary carries: operators, modules, explanations of diagnostics.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace axle::driver {

// A page of text, or the error if there is nothing of that name.
using Page = tl::expected<std::string, std::string>;

// Returns operators and functions with their types and documentation. `name` is an operator, a family of operators, a
// module of the standard library, or a function of one (`nn.dense`, or only `dense`); any other word is searched in
// names and documentation. Empty: all operators by family, and the modules.
Page operatorPage(const std::string& name);
// Returns the same as a JSON object: operators, functions of modules, and without a name the modules.
Page operatorJson(const std::string& name);

// Returns the primitives, a line each: its name, what it computes, and when it is chosen. `word`, if not empty, is one
// that their names or operators contain.
Page primitivePage(const std::string& word);
Page primitiveJson(const std::string& word);

// Returns the names that `operatorPage` takes: operators that are words, modules, and functions of these. Leaves out
// names that end in a quote, which shells do not take.
std::vector<std::string> operatorNames();

// Returns all codes of diagnostics with their titles, one per line.
std::string codeList();
std::vector<std::string> codeNames();
// Returns the section of docs/errors.md about a code, which may be abbreviated: `302`; or the meaning of a word of
// signatures: `whole`.
Page explanation(const std::string& code);

// Returns `text` on one line, with single blanks.
std::string oneLine(std::string_view text);

}  // namespace axle::driver
