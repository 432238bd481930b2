// Frames of the protocol: `Content-Length: N`, a blank line, N bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace axle::lsp {

class Transport {
 public:
  Transport(int input, int output) : input_(input), output_(output) {}

  struct Message {
    std::string body;
    std::string error;  // in its header; reading continues with the next message
  };
  // Waits for a message. Returns nothing at the end of the input.
  std::optional<Message> read();
  // Whether a message, or the end of the input, can be read within `within` milliseconds.
  bool isReady(int within = 0);
  void write(std::string_view body);

 private:
  bool fill();

  int input_, output_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace axle::lsp
