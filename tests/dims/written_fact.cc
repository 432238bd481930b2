#include "tests/dims/written_fact.h"

#include <stdexcept>
#include <utility>

namespace axle {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

WrittenFact WrittenFactReader::read(std::string_view text) {
  constexpr std::pair<const char*, FactRelation> relations[] = {{"==", FactRelation::eq}, {"!=", FactRelation::ne},
                                                                {"<=", FactRelation::le}, {">=", FactRelation::ge},
                                                                {"<", FactRelation::lt},  {">", FactRelation::gt}};
  rest_ = text;
  divisors_.clear();
  const Dim left = sum();
  for (const auto& [spelling, relation] : relations) {
    if (!takes(spelling)) continue;
    const Dim right = sum();
    skipSpaces();
    if (rest_.empty()) return {{left, relation, right}, divisors_};
    break;
  }
  throw std::invalid_argument("not a fact: " + std::string(text));
}

void WrittenFactReader::skipSpaces() {
  while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
}

bool WrittenFactReader::takes(std::string_view token) {
  skipSpaces();
  if (rest_.substr(0, token.size()) != token) return false;
  rest_.remove_prefix(token.size());
  return true;
}

void WrittenFactReader::expect(std::string_view token) {
  if (!takes(token)) throw std::invalid_argument(std::string(token) + " expected before " + std::string(rest_));
}

std::string_view WrittenFactReader::word(bool (*belongs)(char)) {
  std::size_t length = 0;
  while (length < rest_.size() && belongs(rest_[length])) ++length;
  const std::string_view out = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return out;
}

Dim WrittenFactReader::sum() {
  Dim out = product();
  for (;;) {
    if (takes("+"))
      out = store_.add(out, product());
    else if (takes("-"))
      out = store_.sub(out, product());
    else
      return out;
  }
}

Dim WrittenFactReader::product() {
  Dim out = operand();
  for (;;) {
    if (takes("*"))
      out = store_.mul(out, operand());
    else if (takes("/"))
      out = divided(&DimStore::div, out, operand());
    else if (takes("%"))
      out = divided(&DimStore::mod, out, operand());
    else
      return out;
  }
}

Dim WrittenFactReader::divided(Dim (DimStore::*by)(Dim, Dim), Dim left, Dim right) {
  divisors_.push_back(right);
  return (store_.*by)(left, right);
}

Dim WrittenFactReader::operand() {
  if (takes("-")) return store_.mul(store_.constant(-1), operand());
  if (takes("(")) {
    const Dim inner = sum();
    expect(")");
    return inner;
  }
  if (const std::string_view digits = word(isDigit); !digits.empty())
    return store_.constant(std::stoll(std::string(digits)));
  const std::string_view name = word(isLetter);
  if (name.empty()) throw std::invalid_argument("a size expected before " + std::string(rest_));
  return takes("(") ? call(name) : variable(name);
}

Dim WrittenFactReader::call(std::string_view function) {
  const Dim left = sum();
  expect(",");
  const Dim right = sum();
  expect(")");
  if (function == "max") return store_.max(left, right);
  if (function == "min") return store_.min(left, right);
  if (function == "ceildiv") return divided(&DimStore::ceildiv, left, right);
  throw std::invalid_argument("no function of sizes: " + std::string(function));
}

Dim WrittenFactReader::variable(std::string_view name) {
  auto it = names_.find(name);
  if (it == names_.end()) it = names_.emplace(name, store_.newVariable(std::string(name))).first;
  return store_.variable(it->second);
}

}  // namespace axle
