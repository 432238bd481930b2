#include "driver/run/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "driver/run/json.h"
#include "driver/run/places.h"
#include "io/joined.h"

namespace axle::run {
namespace {

bool cannotWrite(std::FILE* err, int why) {
  std::fprintf(err, "error: cannot write the results%s%s\n", why == 0 ? "" : ": ", why == 0 ? "" : std::strerror(why));
  return false;
}

bool areOneFile(int one, int other) {
  struct stat a{}, b{};
  return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

std::string Failure::text() const {
  std::string text = error ? error->text() : joined({"error: ", message});
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (const std::string& line : help) text += joined({"\n  = help: ", line});
  return text;
}

tl::unexpected<Failure> fail(int exitCode, std::string what) {
  return tl::unexpected<Failure>(Failure{exitCode, std::move(what), std::nullopt, {}});
}

tl::unexpected<Failure> fail(const runtime::RunError& error) {
  return tl::unexpected<Failure>(Failure{error.exitCode(), error.message, error, {}});
}

int report(const Failure& failure, std::FILE* err) {
  std::fprintf(err, "%s\n", failure.text().c_str());
  return failure.exitCode;
}

std::string diagnosticJson(const Failure& failure, const std::string& model) {
  const std::vector<std::string> places =
      failure.error ? placesJson(failure.error->places) : std::vector<std::string>{};
  JsonWriter json;
  json.openObject();
  json.add("code", failure.error ? failure.error->row().code : "");
  json.add("severity", "error");
  json.add("message", failure.message);
  json.key("primary");
  if (places.empty()) {
    json.openObject();
    json.add("file", model);
    json.add("label", "");
    json.close();
  } else {
    json.addJson(places.front());
  }
  json.key("secondary");
  json.openList();
  for (std::size_t i = 1; i < places.size(); ++i) json.addJson(places[i]);
  json.close();
  json.add("notes", failure.error ? failure.error->notes : std::vector<std::string>{});
  json.add("help", failure.help);
  json.close();
  return json.text();
}

std::string failedRunJson(std::span<const std::string> diagnostics) {
  std::string text = R"({"outputs":{},"times_ms":[],"diagnostics":[)";
  for (std::size_t i = 0; i < diagnostics.size(); ++i) text += (i > 0 ? "," : "") + diagnostics[i];
  return text + "]}\n";
}

bool print(const std::string& text, std::FILE* out, std::FILE* err) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0) return true;
  return cannotWrite(err, errno);
}

void prepareStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF) {
      // This is the lowest free descriptor, so `open` returns it. It is opened in the wrong direction, so using it
      // fails.
      if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) break;
    }
  if (areOneFile(STDOUT_FILENO, STDERR_FILENO)) std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

int finishOutput(int exitCode) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int why = errno;
  if ((flushed && std::ferror(stdout) == 0) || exitCode != 0) return exitCode;
  cannotWrite(stderr, why);
  return exitUsage;
}

void endProcess(int exitCode) { std::_Exit(finishOutput(exitCode)); }

}  // namespace axle::run
