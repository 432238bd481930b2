#include "driver/run/interrupted_input.h"

#include <signal.h>

namespace axle::run {

namespace {

// A signal handler writes this.
volatile sig_atomic_t isInputInterrupted = 0;

void interruptInput(int) { isInputInterrupted = 1; }

struct sigaction before;

}  // namespace

InterruptEndsInput::InterruptEndsInput() {
  isInputInterrupted = 0;
  struct sigaction action{};
  action.sa_handler = interruptInput;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // without SA_RESTART: reads return
  ::sigaction(SIGINT, &action, &before);
}

InterruptEndsInput::~InterruptEndsInput() { ::sigaction(SIGINT, &before, nullptr); }

bool InterruptEndsInput::isInterrupted() const { return isInputInterrupted != 0; }

}  // namespace axle::run
