#include "frontend/deep_stack.h"

#include <pthread.h>

#include <exception>

namespace axle {

namespace {

struct DeepCall {
  const std::function<void()>& body;
  std::exception_ptr thrown;
};

void* callBody(void* given) {
  auto* call = static_cast<DeepCall*>(given);
  try {
    call->body();
  } catch (...) {
    call->thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void onDeepStack(const std::function<void()>& body) {
  constexpr std::size_t stackBytes = std::size_t{512} << 20;
  DeepCall call{body, nullptr};
  pthread_attr_t attributes;
  pthread_t thread{};
  if (pthread_attr_init(&attributes) != 0) return body();
  bool started = pthread_attr_setstacksize(&attributes, stackBytes) == 0 &&
                 pthread_create(&thread, &attributes, callBody, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return body();
  pthread_join(thread, nullptr);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace axle
