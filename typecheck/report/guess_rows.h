// The table of guesses: which are made for which errors.
#pragma once

#include <span>

#include "frontend/diagnostic.h"

namespace axle {

struct Application;
struct Guesser;

struct GuessRow {
  const DiagnosticCode* code;
  void (*kind)(Guesser& g, const Application& at);
};

// In the order in which the guesses are made: the likeliest first.
std::span<const GuessRow> guessRows();

}  // namespace axle
