// Turns a failed allocation into an error: `Result<void> f() AXLE_TRY { ... } AXLE_WITHOUT_MEMORY(error)` returns
// `error` if memory runs out in its body. Device programs are compiled without exceptions; their operator new ends the
// process instead (tools/axrun/memory.cc).
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
