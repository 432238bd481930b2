// What functions do where memory ends. `Result<void> f() AXLE_TRY { ... } AXLE_WITHOUT_MEMORY(error)` returns `error`
// then. A program of a device that is compiled without exceptions has nothing to catch: its operator new ends the
// process (tools/axrun/memory.cc).
#pragma once

#include <exception>

#if defined(__cpp_exceptions)
#define AXLE_TRY try
#define AXLE_WITHOUT_MEMORY(...)  \
  catch (const std::exception&) { \
    return __VA_ARGS__;           \
  }
#else
#define AXLE_TRY
#define AXLE_WITHOUT_MEMORY(...)
#endif
