// Ctrl-C on a stream from standard input.
#pragma once

namespace axle::run {

// While one exists, the first SIGINT ends the input, so that what was read is still computed and told, and makes a
// pending read of it return. The next one ends the program. At most one may exist.
class InterruptEndsInput {
 public:
  InterruptEndsInput();
  ~InterruptEndsInput();
  InterruptEndsInput(const InterruptEndsInput&) = delete;
  InterruptEndsInput& operator=(const InterruptEndsInput&) = delete;

  bool isInterrupted() const;
};

}  // namespace axle::run
