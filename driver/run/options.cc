#include "driver/run/options.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "driver/run/measuring.h"
#include "io/joined.h"

namespace axle::run {
namespace {

// Makes an option whose value is an integer from `least` that `Number` can hold.
template <class Number>
Option wholeOption(std::string names, std::string help, Number& number, Number least) {
  return {std::move(names), "N", std::move(help), false, [&number, least](const std::string& text) -> std::string {
            Number value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc::result_out_of_range)
              return joined({"takes a whole number of at most ", std::numeric_limits<Number>::max(), ", not ", text});
            if (error != std::errc() || stop != end || value < least)
              return joined({"takes a whole number of ", least, " or more, not ", text});
            number = value;
            return "";
          }};
}

Option toleranceOption(std::string names, std::string value, std::string help, double& tolerance) {
  return {std::move(names), std::move(value), std::move(help), false,
          [&tolerance](const std::string& text) -> std::string {
            char* end = nullptr;
            const double number = std::strtod(text.c_str(), &end);
            if (end == text.c_str() || *end != '\0' || !(number >= 0) || !std::isfinite(number))
              return joined({"takes a number of 0 or more, not ", text});
            tolerance = number;
            return "";
          }};
}

}  // namespace

Option threadsOption(unsigned& threads) {
  return wholeOption(
      "--threads", "use at most N threads, and no more than processors (1, or as planned by `axc build`)", threads, 1U);
}

Option listOption(std::string names, std::string value, std::string help, std::vector<std::string>& values) {
  return {std::move(names), std::move(value), std::move(help), true, [&values](const std::string& text) -> std::string {
            values.push_back(text);
            return "";
          }};
}

Option formatOption(bool& json) {
  return {"--format", "text|json", "how results are printed (text)", false,
          [&json](const std::string& text) -> std::string {
            if (text != "text" && text != "json") return joined({"takes text or json, not ", text});
            json = text == "json";
            return "";
          }};
}

bool isTraceFile(std::string_view word) { return word.ends_with(".json"); }

std::vector<Option> runOptions(RunOptions& options) {
  const auto folder = [&options](const std::string& text) -> std::string {
    options.folder = text;
    return text.empty() ? "takes a folder" : "";
  };
  std::vector<Option> all{
      listOption("-i,--input", "NAME=FILE.npy", "an input's values; without any, inputs are drawn from the seed",
                 options.inputs),
      {"-o", "DIR", "write each output to DIR/NAME.npy", false, folder},
      listOption("--output", "NAME", "show and write this output only; may be given again", options.outputs),
      listOption("--expect", "NAME=FILE.npy", "compare an output; exit with 3 if it differs", options.expects),
      toleranceOption("--rtol", "R", "relative tolerance of comparisons (1e-4)", options.tolerance.relative),
      toleranceOption("--atol", "A", "absolute tolerance of comparisons (1e-5)", options.tolerance.absolute),
      wholeOption<std::uint64_t>("--seed", "the seed of drawn inputs (0)", options.seed, 0),
      listOption("--set", "NAME=SIZE", "a size of drawn inputs", options.sets),
      threadsOption(options.threads),
      wholeOption("--repeat", "run N times and print the times", options.repeat, 1U),
      wholeOption("--warmup", "run N times before that", options.warmup, 0U),
      formatOption(options.json),
  };
  if (linkedMeasuring != nullptr) all.push_back(linkedMeasuring->profileOption(options));
  return all;
}

}  // namespace axle::run
