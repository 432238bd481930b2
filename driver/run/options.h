// The options of `run`, shared by `axrun run` and `axc run`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/run/compare.h"

namespace axle::run {

struct RunOptions {
  std::string model;                 // as on the command line
  std::vector<std::string> inputs;   // NAME=FILE
  std::vector<std::string> expects;  // NAME=FILE
  std::vector<std::string> outputs;  // names; empty: all
  std::vector<std::string> sets;     // NAME=SIZE; a caller that compiles removes those that the compilation used
  std::string folder;                // for one .npy per output; empty: writes none
  std::string dumpFolder;            // for one .npy per input and output, whether requested or not; empty: writes none
  Tolerance tolerance;
  std::uint64_t seed = 0;
  unsigned threads = 0;  // at most; 0: as planned in the bundle
  unsigned repeat = 0;   // 0: runs once and prints no times
  unsigned warmup = 0;
  std::int64_t push = 0;  // of `bench`: frames per push into a stream; 0: runs the entry
  bool profile = false;   // prints the time of each call
  std::string traceFile;  // for the calls of all runs as JSON; empty: none
  bool json = false;
};

// An option as data. axc declares it to CLI11; axrun parses it itself, because CLI11 and iostream would make up most of
// its size.
struct Option {
  std::string names;  // "-i,--input"
  std::string value;  // placeholder of its value in help: "NAME=FILE.npy"
  std::string help;
  bool repeats = false;                                 // may be given again
  std::function<std::string(const std::string&)> take;  // stores a value; returns what is wrong with it, if anything
  bool isFlag = false;                                  // has no value; then `take` gets an empty one
};

// Returns the options of `run`. They store into `options`, which must outlive them.
std::vector<Option> runOptions(RunOptions& options);

// Returns an option that may be given again, with one value each time.
Option listOption(std::string names, std::string value, std::string help, std::vector<std::string>& values);

// `--profile [FILE.json]`, whose value is optional. The next word is its value only if it ends in `.json`.
inline constexpr std::string_view profileOption = "--profile";
inline constexpr std::string_view noTrace = "-";  // its value if none is given
bool isTraceFile(std::string_view word);

// `--threads N`.
Option threadsOption(unsigned& threads);

// `--format=text|json`.
Option formatOption(bool& json);

}  // namespace axle::run
