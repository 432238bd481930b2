#include "runtime/error.h"

#include <iterator>

namespace axle::runtime {
namespace {

constexpr ErrorRow rows[] = {
    {"E0701", ErrorKind::bundle, "a bundle cannot be read",
     "The file does not exist, may not be read or is no regular file. The system's own reason is in the message."},
    {"E0702", ErrorKind::bundle, "the file is not a bundle",
     "A bundle begins with the four letters AXB1. Bundles are made by `axc build MODEL -o OUT.axb`."},
    {"E0703", ErrorKind::bundle, "the bundle is for a newer runtime",
     "The bundle's version is larger than the one that this runtime reads. Build it again with the compiler that "
     "belongs to the "
     "runtime, or take a newer runtime."},
    {"E0704", ErrorKind::bundle, "the bundle is truncated",
     "The header promises more bytes than the file has, or sections that lie outside of it. Copy or build the bundle "
     "again."},
    {"E0705", ErrorKind::bundle, "a checksum of the bundle does not match",
     "Header, manifest and weights each carry a checksum. One of them differs, so bytes were changed after the bundle "
     "was "
     "built. Copy or build the bundle again."},
    {"E0706", ErrorKind::bundle, "the bundle's manifest cannot be decoded",
     "The manifest is not a message of the bundle's schema. The bundle was damaged or made by another program."},
    {"E0707", ErrorKind::bundle, "the bundle contradicts itself",
     "The manifest could be decoded, but what it says does not fit together: an index out of range, a value used "
     "before it is "
     "made, a constant outside of the weights, shapes that an operator cannot have. The bundle was damaged or its "
     "compiler has a bug."},
    {"E0708", ErrorKind::bundle, "an operator that this runtime lacks",
     "The bundle uses an operator that this runtime has no kernel for. It needs a newer runtime."},
    {"E0709", ErrorKind::bundle, "the bundle exceeds a limit",
     "The runtime bounds what a bundle may ask for: numbers of values, nodes and dimensions, ranks, and how deeply "
     "bodies are "
     "nested."},
    {"E0801", ErrorKind::usage, "an input is missing",
     "Every parameter of the entry needs a tensor. The message names the one that was not given, with its type."},
    {"E0802", ErrorKind::usage, "there is no such input",
     "A tensor was given for a name that the entry has no parameter for, or one name was given twice. `axrun info` "
     "lists the "
     "inputs."},
    {"E0803", ErrorKind::input, "an input does not have the expected type",
     "Element type and rank must be those of the parameter; nothing is converted silently. Each size must fit the "
     "dimension at its place: a number exactly, an expression such as `2*n` for some n >= 0."},
    {"E0804", ErrorKind::input, "inputs contradict each other",
     "One dimension name stands for one size. Here two inputs, or two axes of one, give it different sizes."},
    {"E0805", ErrorKind::input, "a size cannot be computed",
     "With these inputs a dimension expression overflows 64 bits, divides by zero or is negative."},
    {"E0806", ErrorKind::guard, "a guard does not hold",
     "What the compiler could neither prove nor refute about the sizes is checked here, once, before anything is "
     "computed. "
     "The message shows the fact and the actual sizes."},
    {"E0807", ErrorKind::run, "an integer is divided by zero",
     "Integer `/` and `%` have no result for the divisor 0, so the run ends. For floats it would be inf or nan. "
     "`select` the "
     "divisor, or put the division into the branch of an `if` that is only taken when it is not 0."},
    {"E0808", ErrorKind::run, "an index is out of range",
     "`gather` and `embedding` take indices from 0 to the size of the axis less one; negative ones do not count from "
     "the end."},
    {"E0809", ErrorKind::limit, "not enough memory",
     "The arena for the bound sizes is larger than what the machine can give or address."},
    {"E0810", ErrorKind::usage, "the session is not ready",
     "Inputs are bound before a run, and a run before outputs are read."},
    {"E0811", ErrorKind::input, "row splits do not fit their rows",
     "A ragged tensor is given as its rows, one after another, and for each ragged dimension as row splits: numbers "
     "from "
     "0 that never decrease, the last of which is the number of rows. Tensors of one length function have equal ones."},
};
static_assert(std::size(rows) == static_cast<std::size_t>(ErrorCode::wrongSplits) + 1);

std::string placeText(const Place& place) {
  std::string text = place.file;
  if (place.line != 0) text += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  if (!place.node.empty()) text += (text.empty() ? "node " : ": node ") + place.node;
  return text;
}

}  // namespace

std::span<const ErrorRow> errorTable() { return rows; }

const ErrorRow& RunError::row() const { return rows[static_cast<std::size_t>(code)]; }

int RunError::exitCode() const {
  switch (kind()) {
    case ErrorKind::bundle:
      return 1;
    case ErrorKind::usage:
      return 2;
    default:
      return 3;
  }
}

std::string RunError::text() const {
  std::string text = "error[" + std::string(row().code) + "]: " + message + "\n";
  for (const Place& place : places)
    if (std::string at = placeText(place); !at.empty()) text += "  --> " + at + "\n";
  for (const std::string& note : notes) text += "  = note: " + note + "\n";
  return text;
}

}  // namespace axle::runtime
