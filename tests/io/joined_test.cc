#include "io/joined.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace {

using axle::joined;

TEST(Joined, PiecesAreTextsAndIntegers) {
  const std::string name = "rows";
  const std::string_view part = std::string_view("columns").substr(0, 3);
  EXPECT_EQ(joined({"axis ", 3, " of ", name, ", ", part}), "axis 3 of rows, col");
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"", std::string_view(), ""}), "");
}

TEST(Joined, IntegersKeepTheirSignAndSize) {
  EXPECT_EQ(joined({std::numeric_limits<std::int64_t>::min(), " ", std::numeric_limits<std::uint64_t>::max()}),
            "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(joined({-1, " ", static_cast<std::uint8_t>(255), " ", std::size_t{0}}), "-1 255 0");
}

}  // namespace
