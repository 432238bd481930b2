#include "dims/decide/linear.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>

namespace axle::decide {
namespace {

constexpr std::size_t noColumn = static_cast<std::size_t>(-1);
constexpr std::size_t mostRows = 700;
constexpr std::size_t mostColumns = 96;
constexpr Wide largestCoefficient = Wide{1} << 62;

Wide magnitude(Wide x) { return x < 0 ? -x : x; }

}  // namespace

void LinearSystem::add(Dim d, bool isZero) {
  if (store_.isUndefined(d) || rows_.size() >= mostFacts) return;
  Row row;
  row.isZero = isZero;
  for (const Term& term : store_.terms(d)) {
    if (term.factors.empty()) {
      row.constant = term.coefficient;
      continue;
    }
    auto [it, isNew] = columns_.try_emplace(term.factors, columns_.size());
    if (it->second >= row.coefficients.size()) row.coefficients.resize(it->second + 1);
    row.coefficients[it->second] = term.coefficient;
  }
  row.from.set(rows_.size());
  rows_.push_back(std::move(row));
}

// Divides by the common factor and rounds the constant, which is valid for integers.
LinearSystem::Normal LinearSystem::normalise(Row& row) {
  std::int64_t common = 0;
  for (std::int64_t c : row.coefficients) common = std::gcd(common, c);
  if (common == 0) {
    bool holds = row.isZero ? row.constant == 0 : row.constant >= 0;
    return holds ? Normal::trivial : Normal::contradiction;
  }
  if (common == 1) return Normal::row;
  for (std::int64_t& c : row.coefficients) c /= common;
  std::int64_t constant = static_cast<std::int64_t>(floorDiv(row.constant, common));
  if (Wide{constant} * common != row.constant) {
    if (row.isZero) return Normal::contradiction;
    row.tightened = true;
  }
  row.constant = constant;
  return Normal::row;
}

// Computes x*a + y*b; false if 62 bits do not hold it.
bool LinearSystem::combine(const Row& a, Wide x, const Row& b, Wide y, Row& out) {
  std::size_t width = std::max(a.coefficients.size(), b.coefficients.size());
  Wide constant = x * a.constant + y * b.constant;
  out.coefficients.resize(width);
  std::int64_t common = 0;
  for (std::size_t i = 0; i < width; ++i) {
    Wide sum = x * at(a, i) + y * at(b, i);
    if (magnitude(sum) > largestCoefficient) return false;
    out.coefficients[i] = static_cast<std::int64_t>(sum);
    if (sum != 0 && common != 1) common = std::gcd(common, out.coefficients[i]);
  }
  out.isZero = a.isZero && b.isZero;
  out.tightened = a.tightened || b.tightened;
  out.from = a.from | b.from;
  if (common > 1 && (!out.isZero || constant % common == 0)) {
    for (std::int64_t& c : out.coefficients) c /= common;
    if (constant % common != 0) out.tightened = true;
    constant = floorDiv(constant, common);
  }
  if (magnitude(constant) > largestCoefficient) return false;
  out.constant = static_cast<std::int64_t>(constant);
  return true;
}

// Solves each equality for a column, preferably one with coefficient +-1, and substitutes it into the other rows.
bool LinearSystem::useEqualities(std::vector<Row>& rows, std::size_t kept) const {
  while (true) {
    std::size_t best = rows.size(), column = noColumn;
    Wide least = largestCoefficient;
    for (std::size_t i = 0; i < rows.size() && least > 1; ++i) {
      if (!rows[i].isZero) continue;
      for (std::size_t c = 0; c < rows[i].coefficients.size(); ++c) {
        Wide size = magnitude(rows[i].coefficients[c]);
        if (size != 0 && c != kept && size < least) best = i, column = c, least = size;
      }
    }
    if (best == rows.size()) return false;
    Row equality = std::move(rows[best]);
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(best));
    std::vector<Row> next;
    for (Row& row : rows) {
      std::int64_t c = at(row, column), e = at(equality, column);
      if (c == 0) {
        next.push_back(std::move(row));
        continue;
      }
      if (!budget_.spend(1)) return false;
      Row out;
      Wide g = std::gcd(c, e);
      Wide scale = magnitude(e) / g, by = (e > 0 ? -Wide{c} : Wide{c}) / g;
      if (!combine(row, scale, equality, by, out)) continue;
      out.isZero = row.isZero;
      Normal normal = normalise(out);
      if (normal == Normal::contradiction) return true;
      if (normal == Normal::row) next.push_back(std::move(out));
    }
    rows = std::move(next);
  }
}

void LinearSystem::dropWeaker(std::vector<Row>& rows) {
  using Coefficients = std::span<const std::int64_t>;
  auto hash = [](Coefficients row) {
    std::uint64_t h = row.size();
    for (std::int64_t c : row) h = (h ^ static_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15u, h ^= h >> 32;
    return static_cast<std::size_t>(h);
  };
  auto equal = [](Coefficients a, Coefficients b) { return std::ranges::equal(a, b); };
  std::unordered_map<Coefficients, std::size_t, decltype(hash), decltype(equal)> tightest(2 * rows.size(), hash, equal);
  std::vector<Row> out;
  out.reserve(rows.size());
  for (Row& row : rows) {
    while (!row.coefficients.empty() && row.coefficients.back() == 0) row.coefficients.pop_back();
    auto [it, isNew] = tightest.try_emplace(row.coefficients, out.size());  // a row keeps its memory when it is moved
    if (isNew) {
      out.push_back(std::move(row));
    } else if (Row& other = out[it->second]; row.constant < other.constant) {
      row.coefficients.swap(other.coefficients);
      other = std::move(row);
    }
  }
  rows = std::move(out);
}

bool LinearSystem::eliminateColumn(std::vector<Row>& rows, std::size_t column, std::size_t round) const {
  std::vector<Row> next, above, below;
  for (Row& row : rows) {
    std::int64_t c = at(row, column);
    (c > 0 ? above : c < 0 ? below : next).push_back(std::move(row));
  }
  for (const Row& a : above)
    for (const Row& b : below) {
      if (!budget_.spend(1)) return false;
      // A row that combines more facts than the eliminations explain is implied by others (Kohler), unless it was
      // tightened.
      bool tightened = a.tightened || b.tightened;
      if (!tightened && (a.from | b.from).count() > round + 1) continue;
      std::int64_t x = at(a, column), y = at(b, column);
      Wide g = std::gcd(x, y);
      Row out;
      if (!combine(a, -Wide{y} / g, b, x / g, out)) continue;
      Normal normal = normalise(out);
      if (normal == Normal::contradiction) return true;
      if (normal == Normal::row) next.push_back(std::move(out));
    }
  rows = std::move(next);
  budget_.spend(rows.size());
  dropWeaker(rows);
  return false;
}

bool LinearSystem::eliminate(std::vector<Row>& rows, std::size_t kept) const {
  std::size_t facts = rows.size();
  std::vector<Row> normal;
  for (Row& row : rows) {
    Normal n = normalise(row);
    if (n == Normal::contradiction) return true;
    if (n == Normal::row) normal.push_back(std::move(row));
  }
  rows = std::move(normal);
  if (columns_.size() > mostColumns) {  // no bound is known: a row that still has other columns bounds none
    rows.clear();
    return false;
  }
  if (useEqualities(rows, kept)) return true;
  for (Row& row : rows) {
    if (!row.isZero) continue;  // involves the kept column alone
    Row other = row;
    row.isZero = other.isZero = false;
    for (std::int64_t& c : other.coefficients) c = -c;
    other.constant = -other.constant;
    rows.push_back(std::move(other));
    break;
  }
  dropWeaker(rows);
  // Each equality used adds one to the number of facts that a row may combine.
  std::size_t round = facts - std::min(facts, rows.size());
  while (budget_.left > 0) {
    std::size_t best = noColumn, least = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c == kept) continue;
      std::size_t above = 0, below = 0;
      for (const Row& row : rows) above += at(row, c) > 0, below += at(row, c) < 0;
      if (above + below == 0) continue;
      if (best == noColumn || above * below < least) best = c, least = above * below;
    }
    if (best == noColumn) return false;
    if (rows.size() + least > mostRows) {
      rows.clear();
      return false;
    }
    if (eliminateColumn(rows, best, ++round)) return true;
  }
  rows.clear();
  return false;
}

bool LinearSystem::contradictory() const {
  std::vector<Row> rows = rows_;
  return eliminate(rows, noColumn);
}

Range LinearSystem::range(const Factor& factor) const {
  Range out;
  auto it = columns_.find({{factor.isAtom, factor.index, 1}});
  if (it == columns_.end()) return out;
  std::vector<Row> rows = rows_;
  if (eliminate(rows, it->second)) return {1, 0};
  for (const Row& row : rows) {
    std::int64_t c = at(row, it->second);
    if (c > 0) out.low = std::max(out.low, -floorDiv(row.constant, c));
    if (c < 0) out.high = std::min(out.high, floorDiv(row.constant, -Wide{c}));
  }
  return out;
}

}  // namespace axle::decide
