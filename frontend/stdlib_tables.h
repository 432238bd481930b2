// Tables that the build step `embed_stdlib` makes from stdlib/*.ax. Internal to frontend/; other folders use
// `frontend/modules.h`.
#pragma once

#include <span>
#include <string_view>

#include "frontend/modules.h"

namespace axle::embedded {

extern const std::string_view core;  // the whole of core.ax
extern const std::span<const CoreOp> coreOps;
extern const std::span<const std::string_view> moduleNames;
extern const std::span<const std::string_view> moduleTexts;  // in the order of the names

}  // namespace axle::embedded
