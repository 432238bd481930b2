// Facts written as text, for tests.
#pragma once

#include <cctype>
#include <map>
#include <sstream>
#include <string>

#include "tests/ir/build_graph.h"

namespace axle::test {

// Reads facts as text, `f32 [n, 3]`; the same name is the same symbol.
class FactReader {
 public:
  explicit FactReader(Builder& b) : b_(b) {}

  ir::Fact fact(const std::string& text) {
    std::string elem = text.substr(0, text.find(' '));
    ir::Fact fact{*elemNamed(elem), {}, {}};
    std::istringstream sizes(text.substr(text.find('[') + 1, text.find(']') - text.find('[') - 1));
    for (std::string size; std::getline(sizes, size, ',');) fact.shape.push_back(dim(size));
    return fact;
  }

 private:
  // Reads a number, `n`, `2*n`, `n + 3` or `n - 1`.
  Dim dim(const std::string& text) {
    std::istringstream words(text);
    std::string first, sign;
    std::int64_t more = 0;
    words >> first >> sign >> more;
    std::size_t star = first.find('*');
    std::int64_t factor = star == std::string::npos ? 1 : std::stoll(first);
    std::string name = star == std::string::npos ? first : first.substr(star + 1);
    Dim base = std::isdigit(static_cast<unsigned char>(name[0])) ? b_.dims.constant(std::stoll(name)) : symbol(name);
    return b_.dims.add(b_.dims.mul(b_.dims.constant(factor), base), b_.dims.constant(sign == "-" ? -more : more));
  }
  Dim symbol(const std::string& name) {
    auto [known, isNew] = symbols_.try_emplace(name);
    if (isNew) known->second = b_.dims.variable(b_.dims.newVariable(name));
    return known->second;
  }

  Builder& b_;
  std::map<std::string, Dim> symbols_;
};

}  // namespace axle::test
