// Programs that stream, with what is stated of them, and programs that do not, with what is blamed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/stream/analysis.h"

namespace axle::test {

struct Rule {
  const char* name;
  const char* text;
  std::int64_t delay, stride, frames;  // of the first output: `frames` frames for `stride` ones of the first input
};

// States what the rule says; any chunks of sequences of several lengths, from 0 on, give the batch result; chunks of 1
// see the stated delay.
void expectStreams(const Rule& rule);

struct Refusal {
  const char* name;
  const char* text;
  std::vector<std::string> blamed;
  ir::BlockerKind kind;  // of the first blocker
  const char* why;       // is in its reason
  const char* help;      // is in what would make it stream
};

void expectRefused(const Refusal& refusal);

}  // namespace axle::test
