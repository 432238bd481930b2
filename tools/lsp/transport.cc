#include "tools/lsp/transport.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace axle::lsp {

namespace {

constexpr std::size_t maxHeader = 4096;
constexpr std::size_t maxBody = std::size_t{64} << 20;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Returns the value of the last `Content-Length`, or nothing if no line has a number for it. It may follow other text
// in its line: after a header with a wrong length, the rest of the previous message comes first.
std::optional<std::size_t> lengthIn(std::string_view header) {
  constexpr std::string_view name = "content-length:";
  std::optional<std::size_t> length;
  while (!header.empty()) {
    std::string_view line = header.substr(0, header.find('\n'));
    header.remove_prefix(std::min(line.size() + 1, header.size()));
    auto isSame = [](char a, char b) { return lower(a) == b; };
    auto found = std::find_end(line.begin(), line.end(), name.begin(), name.end(), isSame);
    if (found == line.end()) continue;
    line.remove_prefix(static_cast<std::size_t>(found - line.begin()) + name.size());
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    std::size_t value = 0;
    auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error == std::errc{} && end == line.data() + line.size() && !line.empty()) length = value;
  }
  return length;
}

// Returns the position after the blank line that ends a header, or npos if there is none yet.
std::size_t headerEnd(std::string_view buffer) {
  std::size_t strict = buffer.find("\r\n\r\n"), loose = buffer.find("\n\n");
  if (strict < loose) return strict + 4;
  return loose == std::string_view::npos ? loose : loose + 2;
}

}  // namespace

bool Transport::fill() {
  char chunk[1 << 16];
  ssize_t got = 0;
  do got = ::read(input_, chunk, sizeof chunk);
  while (got < 0 && errno == EINTR);
  if (got <= 0) {
    ended_ = true;
    return false;
  }
  buffer_.append(chunk, static_cast<std::size_t>(got));
  return true;
}

std::optional<Transport::Message> Transport::read() {
  std::size_t body = 0;
  while ((body = headerEnd(buffer_)) == std::string::npos) {
    if (buffer_.size() > maxHeader) {
      buffer_.clear();
      return Message{"", "the header is too long"};
    }
    if (!fill()) return std::nullopt;
  }
  std::optional<std::size_t> length = lengthIn(std::string_view(buffer_).substr(0, body));
  buffer_.erase(0, body);
  if (!length) return Message{"", "the header has no Content-Length"};
  if (*length > maxBody) {
    std::size_t left = *length;
    while (left > buffer_.size()) {
      left -= buffer_.size();
      buffer_.clear();
      if (!fill()) return std::nullopt;
    }
    buffer_.erase(0, left);
    return Message{"", "the message is longer than 64 MiB"};
  }
  while (buffer_.size() < *length)
    if (!fill()) return std::nullopt;
  Message message{buffer_.substr(0, *length), ""};
  buffer_.erase(0, *length);
  return message;
}

bool Transport::isReady(int within) {
  if (ended_) return true;
  if (std::size_t body = headerEnd(buffer_); body != std::string::npos) {
    auto length = lengthIn(std::string_view(buffer_).substr(0, body));
    if (!length || buffer_.size() - body >= *length) return true;
  }
  pollfd waiting{input_, POLLIN, 0};
  return ::poll(&waiting, 1, within) > 0;
}

void Transport::write(std::string_view body) {
  std::string frame = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  frame += body;
  for (std::size_t at = 0; at < frame.size();) {
    ssize_t put = ::write(output_, frame.data() + at, frame.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {  // the client has gone
      ended_ = true;
      return;
    }
    at += static_cast<std::size_t>(put);
  }
}

}  // namespace axle::lsp
