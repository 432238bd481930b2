#include "tools/axrun/memory.h"

#include <bits/functexcept.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include "driver/run/exit_codes.h"

namespace axle {

int reportNoMemory() {
  std::fputs("error: out of memory\n", stderr);
  return exitRun;
}

namespace {

[[noreturn]] [[maybe_unused]] void endWithBug(const char* what) {
  std::fprintf(stderr, "error: a bug in axrun: %s\n", what);
  std::abort();
}

}  // namespace
}  // namespace axle

#if defined(__cpp_exceptions)

// Replaces the handler of libstdc++, which links a demangler to print the exception's type.
namespace __gnu_cxx {
void __verbose_terminate_handler();
void __verbose_terminate_handler() { axle::endWithBug("an exception was not caught"); }
}  // namespace __gnu_cxx

#else

// Replaces the functions of libstdc++ that throw. They link the unwinder: 20 KB, and tables for each function.

void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size == 0 ? 1 : size); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  void* memory = nullptr;
  return ::posix_memalign(&memory, static_cast<std::size_t>(alignment), size == 0 ? 1 : size) == 0 ? memory : nullptr;
}
void* operator new(std::size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (memory == nullptr) std::exit(axle::reportNoMemory());
  return memory;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const memory = operator new(size, alignment, std::nothrow);
  if (memory == nullptr) std::exit(axle::reportNoMemory());
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace std {
// Containers check sizes before they ask for memory.
void __throw_bad_alloc() { std::exit(axle::reportNoMemory()); }
void __throw_bad_array_new_length() { std::exit(axle::reportNoMemory()); }
void __throw_length_error(const char*) { std::exit(axle::reportNoMemory()); }
// The other functions of the same object in libstdc++, of which the linker takes all or none, and the function for an
// empty std::function.
void __throw_bad_exception() { axle::endWithBug("bad_exception"); }
void __throw_bad_cast() { axle::endWithBug("bad_cast"); }
void __throw_bad_typeid() { axle::endWithBug("bad_typeid"); }
void __throw_logic_error(const char* what) { axle::endWithBug(what); }
void __throw_domain_error(const char* what) { axle::endWithBug(what); }
void __throw_invalid_argument(const char* what) { axle::endWithBug(what); }
void __throw_out_of_range(const char* what) { axle::endWithBug(what); }
void __throw_out_of_range_fmt(const char* what, ...) { axle::endWithBug(what); }
void __throw_runtime_error(const char* what) { axle::endWithBug(what); }
void __throw_range_error(const char* what) { axle::endWithBug(what); }
void __throw_overflow_error(const char* what) { axle::endWithBug(what); }
void __throw_underflow_error(const char* what) { axle::endWithBug(what); }
void __throw_bad_function_call() { axle::endWithBug("an empty function is called"); }

// Without run-time types a shared pointer compares with a tag by address alone (bits/shared_ptr_base.h). The object in
// libstdc++ that has this function throws, too.
bool _Sp_make_shared_tag::_S_eq(const type_info&) noexcept { return false; }
}  // namespace std

#endif
