// "Did you mean" where several names are equally close to a wrong one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace axle {

// The names than which none is closer to `wrong`, those of the same letters first.
std::vector<std::string> equallyCloseNames(std::string_view wrong, std::span<const std::string_view> known);

}  // namespace axle
