// Sanitizers make a test about ten times slower, so randomised tests run fewer cases with them.
#pragma once

namespace axle {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool isSanitized = true;
#else
inline constexpr bool isSanitized = false;
#endif

}  // namespace axle
