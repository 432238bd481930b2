#include "runtime/error.h"

#include <iterator>

namespace axle::runtime {
namespace {

constexpr ErrorRow errors[] = {
    {"E0701", ErrorKind::bundle, "a bundle cannot be read"},
    {"E0702", ErrorKind::bundle, "the file is not a bundle"},
    {"E0703", ErrorKind::bundle, "the bundle is for another version of the runtime"},
    {"E0704", ErrorKind::bundle, "the bundle is truncated"},
    {"E0705", ErrorKind::bundle, "a checksum of the bundle does not match"},
    {"E0706", ErrorKind::bundle, "the bundle's manifest cannot be decoded"},
    {"E0707", ErrorKind::bundle, "the bundle contradicts itself"},
    {"E0708", ErrorKind::bundle, "an operator that this runtime lacks"},
    {"E0709", ErrorKind::bundle, "the bundle exceeds a limit"},
    {"E0801", ErrorKind::usage, "an input is missing"},
    {"E0802", ErrorKind::usage, "there is no such input"},
    {"E0803", ErrorKind::input, "an input does not have the expected type"},
    {"E0804", ErrorKind::input, "inputs contradict each other"},
    {"E0805", ErrorKind::input, "a size cannot be computed"},
    {"E0806", ErrorKind::guard, "a guard does not hold"},
    {"E0807", ErrorKind::run, "an integer is divided by zero"},
    {"E0808", ErrorKind::run, "an index is out of range"},
    {"E0809", ErrorKind::limit, "not enough memory"},
    {"E0810", ErrorKind::usage, "the session is not ready"},
    {"E0811", ErrorKind::input, "row splits do not fit their rows"},
    {"E0812", ErrorKind::usage, "a session cannot have this number of threads"},
    {"E0813", ErrorKind::usage, "the bundle has no stream"},
    {"E0814", ErrorKind::input, "a stream cannot take these frames"},
    {"E0815", ErrorKind::input, "a saved state does not fit the stream"},
};
static_assert(std::size(errors) == static_cast<std::size_t>(ErrorCode::wrongState) + 1);

std::string placeText(const Place& place) {
  std::string text = place.file;
  if (place.line != 0) text += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  if (!place.node.empty()) text += (text.empty() ? "node " : ": node ") + place.node;
  return text;
}

}  // namespace

std::span<const ErrorRow> errorTable() { return errors; }

const ErrorRow& RunError::row() const { return errors[static_cast<std::size_t>(code)]; }

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
