// Linear facts over monomials: eliminates variables by equalities, then by Fourier-Motzkin elimination with bounds
// tightened to integers. Sound but incomplete: a system that it does not find contradictory may still be.
#pragma once

#include <bitset>
#include <map>
#include <vector>

#include "dims/decide/intervals.h"

namespace axle::decide {

class LinearSystem {
 public:
  LinearSystem(const DimStore& store, Budget& budget) : store_(store), budget_(budget) {}

  void add(Dim d, bool isZero);  // d = 0, or d >= 0
  bool contradictory() const;
  // The interval of one variable or atom.
  Range range(const Factor& factor) const;

 private:
  static constexpr std::size_t mostFacts = 512;
  struct Row {
    std::vector<std::int64_t> coefficients;  // by column; missing columns at the end are 0
    std::int64_t constant = 0;
    bool isZero = false;
    bool tightened = false;
    std::bitset<mostFacts> from;
  };
  enum class Normal { contradiction, trivial, row };
  struct Elimination;

  static std::int64_t at(const Row& row, std::size_t column) {
    return column < row.coefficients.size() ? row.coefficients[column] : 0;
  }
  static Normal normalise(Row& row);
  static bool combine(const Row& a, Wide x, const Row& b, Wide y, Row& out);
  // Projects to column `kept` (none: to nothing). True if the rows are contradictory. Gives up once the budget is
  // spent.
  bool eliminate(std::vector<Row>& rows, std::size_t kept) const;
  bool useEqualities(std::vector<Row>& rows, std::size_t kept) const;
  bool eliminateColumn(std::vector<Row>& rows, std::size_t column, std::size_t round) const;
  static void dropWeaker(std::vector<Row>& rows);

  const DimStore& store_;
  Budget& budget_;
  std::map<std::vector<Factor>, std::size_t> columns_;
  std::vector<Row> rows_;
};

}  // namespace axle::decide
