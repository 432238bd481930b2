// The options of `run`, shared by `axrun run` and `axc run`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "driver/run/compare.h"

namespace axle::run {

struct RunOptions {
  std::string model;                 // as the command line names it
  std::vector<std::string> inputs;   // NAME=FILE
  std::vector<std::string> expects;  // NAME=FILE
  std::vector<std::string> outputs;  // names; none: all
  std::vector<std::string> sets;     // NAME=SIZE; whoever compiles takes out those that it used up
  std::string folder;                // for one .npy per output; empty: none
  std::string dumpFolder;            // the same for inputs and outputs, those that are not asked for, too
  Tolerance tolerance;
  std::uint64_t seed = 0;
  unsigned threads = 1;  // at most
  unsigned repeat = 0;   // 0: run once and say nothing of times in text
  unsigned warmup = 0;
  bool json = false;
};

// One option as data. axc gives it to CLI11; axrun parses it itself, because CLI11 and iostream would be most of the
// program.
struct Option {
  std::string names;  // "-i,--input"
  std::string value;  // the name of its value in help
  std::string help;
  bool repeats = false;                                 // may be given again
  std::function<std::string(const std::string&)> take;  // stores a value, or says what is wrong with it
};

// They store into `options`, which must live as long.
std::vector<Option> runOptions(RunOptions& options);

// An option that may be given again, with one value each time.
Option listOption(std::string names, std::string value, std::string help, std::vector<std::string>& values);

// `--format=text|json`.
Option formatOption(bool& json);

}  // namespace axle::run
