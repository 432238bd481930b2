// Checks programs that stream, with their stated rates and delays, and programs that do not, with the blamed operators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/stream/analysis.h"

namespace axle::test {

struct Rule {
  const char* name;
  const char* text;
  std::int64_t delay, stride, frames;  // of the first output: `frames` frames for `stride` frames of the first input
};

// Checks that the analysis states the rule's numbers, that any chunks of sequences of several lengths, from 0 on, give
// the batch result, and that chunks of 1 have the stated delay.
void expectStreams(const Rule& rule);

struct Refusal {
  const char* name;
  const char* text;
  std::vector<std::string> blamed;
  ir::BlockerKind kind;  // of the first blocker
  const char* why;       // a part of its reason
  const char* help;      // a part of the text on what would make it stream
};

void expectRefused(const Refusal& refusal);

}  // namespace axle::test
