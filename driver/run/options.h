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
  std::string model;                 // as the command line names it
  std::vector<std::string> inputs;   // NAME=FILE
  std::vector<std::string> expects;  // NAME=FILE
  std::vector<std::string> outputs;  // names; none: all
  std::vector<std::string> sets;     // NAME=SIZE; a caller that compiles removes those that the compilation used
  std::string folder;                // for one .npy per output; empty: none
  std::string dumpFolder;            // for one .npy per input and output, asked for or not; empty: none
  Tolerance tolerance;
  std::uint64_t seed = 0;
  unsigned threads = 0;  // at most; 0: as the bundle was planned
  unsigned repeat = 0;   // 0: run once, and print no times
  unsigned warmup = 0;
  std::int64_t push = 0;  // of `bench`: frames that a run pushes into a stream; 0: it runs the entry
  bool profile = false;   // print the time of each call
  std::string traceFile;  // for the calls of all runs as JSON; empty: none
  bool json = false;
};

// One option as data. axc declares it to CLI11; axrun parses it itself, because CLI11 and iostream would make up most
// of its size.
struct Option {
  std::string names;  // "-i,--input"
  std::string value;  // placeholder of its value in help: "NAME=FILE.npy"
  std::string help;
  bool repeats = false;                                 // may be given again
  std::function<std::string(const std::string&)> take;  // stores a value; gives what is wrong with it, or an empty text
  bool isFlag = false;                                  // has no value; then `take` gets an empty one
};

// The options of `run`. They store into `options`, which must outlive them.
std::vector<Option> runOptions(RunOptions& options);

// An option that may be given again, with one value each time.
Option listOption(std::string names, std::string value, std::string help, std::vector<std::string>& values);

// `--profile [FILE.json]`, whose value may be left off. The next word is its value only if it ends in `.json`.
inline constexpr std::string_view profileOption = "--profile";
inline constexpr std::string_view noTrace = "-";  // its value where it is left off
bool isTraceFile(std::string_view word);

// `--threads N`.
Option threadsOption(unsigned& threads);

// `--format=text|json`.
Option formatOption(bool& json);

}  // namespace axle::run
