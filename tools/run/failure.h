// Why a run command ends early.
#pragma once

#include <cstdio>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "runtime/error.h"

namespace axle::run {

struct Failure {
  int exitCode;      // as CLI.md has them
  std::string text;  // whole lines for stderr, without the last line's end
};

template <class T>
using Outcome = tl::expected<T, Failure>;

inline constexpr int exitUsage = 2;
inline constexpr int exitRun = 3;

inline tl::unexpected<Failure> fail(int exitCode, std::string what) {
  return tl::unexpected<Failure>(Failure{exitCode, "error: " + std::move(what)});
}

inline tl::unexpected<Failure> fail(const runtime::RunError& error) {
  std::string text = error.text();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return tl::unexpected<Failure>(Failure{error.exitCode(), std::move(text)});
}

// Prints a failure and gives its exit code.
inline int report(const Failure& failure, std::FILE* err) {
  std::fprintf(err, "%s\n", failure.text.c_str());
  return failure.exitCode;
}

// Prints results; false, with a line on `err`, when they cannot be written.
inline bool print(const std::string& text, std::FILE* out, std::FILE* err) {
  if (std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0) return true;
  std::fputs("error: cannot write the results\n", err);
  return false;
}

}  // namespace axle::run
