// Facts for tests, read from text such as `max(n, 1)*m % 3 >= 2`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dims/fact.h"

namespace axle {

struct WrittenFact {
  DimComparison fact;
  std::vector<Dim> divisors;  // as written: the normal form may have lost them
};

// Reads facts over one store; a name is the same variable in all of them. Throws if a text is not a fact.
class WrittenFactReader {
 public:
  explicit WrittenFactReader(DimStore& store) : store_(store) {}

  WrittenFact read(std::string_view text);

 private:
  Dim sum();
  Dim product();
  Dim operand();
  Dim call(std::string_view function);
  Dim variable(std::string_view name);
  Dim divided(Dim (DimStore::*by)(Dim, Dim), Dim left, Dim right);
  void skipSpaces();
  bool takes(std::string_view token);
  void expect(std::string_view token);
  std::string_view word(bool (*belongs)(char));

  DimStore& store_;
  std::map<std::string, DimVar, std::less<>> names_;
  std::string_view rest_;
  std::vector<Dim> divisors_;
};

}  // namespace axle
