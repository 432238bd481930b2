#include "tests/runtime/golden_file.h"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "runtime/kernels/elements.h"

namespace axle::runtime::test {
namespace {

Shape shapeOf(const std::string& text) {
  Shape shape;
  std::istringstream sizes(text == "-" ? "" : text);
  for (std::string size; std::getline(sizes, size, ',');) shape.push(std::stoll(size));
  return shape;
}

TensorView typeOf(std::istringstream& words) {
  std::string elem, shape;
  words >> elem >> shape;
  return {elemNamed(elem).value(), shapeOf(shape), nullptr};
}

}  // namespace

Tensor tensorOf(std::istringstream& words) {
  const TensorView type = typeOf(words);
  std::string hex;
  words >> hex;
  Tensor tensor = Tensor::make(type.elem, type.shape).value();
  if (hex == "-") hex.clear();
  if (hex.size() != 2 * tensor.bytes().size()) throw std::runtime_error("a tensor has another number of bytes");
  for (std::size_t i = 0; i < tensor.bytes().size(); ++i)
    tensor.bytes()[i] = static_cast<std::byte>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  return tensor;
}

namespace {

// Reads the numbers up to the next `/`.
template <class T>
std::vector<T> numbersOf(std::istringstream& words) {
  std::vector<T> numbers;
  for (std::string word; words >> word && word != "/";) numbers.push_back(static_cast<T>(std::stoll(word)));
  return numbers;
}

GoldenNode nodeOf(std::istringstream& words) {
  GoldenNode node;
  words >> node.op;
  node.inputs = numbersOf<std::uint32_t>(words);
  node.outputs = numbersOf<std::uint32_t>(words);
  node.ints = numbersOf<std::int64_t>(words);
  node.bodies = numbersOf<std::uint32_t>(words);
  return node;
}

// Returns an element as a number for comparisons with a tolerance. Integers of 64 bits are compared exactly instead.
double numberAt(const TensorView& view, std::int64_t at) {
  return forElem<allElems>(view.elem, [&]<class T>() { return static_cast<double>(widen(view.as<T>()[at])); });
}

}  // namespace

std::vector<Golden> readGoldens(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Golden> goldens;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "case") {
      Golden& golden = goldens.emplace_back();
      words >> golden.name >> golden.op >> golden.relative >> golden.absolute;
      continue;
    }
    if (goldens.empty()) throw std::runtime_error("no case yet");
    Golden& golden = goldens.back();
    if (word == "ints")
      golden.ints = numbersOf<std::int64_t>(words);
    else if (word == "in")
      golden.inputs.push_back(tensorOf(words));
    else if (word == "out")
      golden.outputs.push_back(tensorOf(words));
    else if (word == "same")
      for (const Tensor& input : goldens.at(goldens.size() - 2).inputs)
        golden.inputs.push_back(Tensor::copyOf(input.view()).value());
    else if (word == "body")
      golden.bodies.emplace_back();
    else if (word == "value")
      golden.bodies.back().values.push_back(typeOf(words));
    else if (word == "node")
      golden.bodies.back().nodes.push_back(nodeOf(words));
    else if (word == "io") {
      golden.bodies.back().inputs = numbersOf<std::uint32_t>(words);
      golden.bodies.back().outputs = numbersOf<std::uint32_t>(words);
    } else
      throw std::runtime_error("unknown line: " + line);
  }
  return goldens;
}

std::string differences(const TensorView& actual, const Tensor& expected, const Golden& golden) {
  const TensorView& wanted = expected.view();
  if (actual.elem != wanted.elem || !(actual.shape == wanted.shape)) return "another type";
  std::string text;
  const std::size_t width = info(wanted.elem).bytes;
  for (std::int64_t i = 0; i < wanted.shape.elements(); ++i) {
    const double a = numberAt(actual, i), e = numberAt(wanted, i);
    const auto at = static_cast<std::size_t>(i) * width;
    const bool same = std::memcmp(actual.as<std::byte>() + at, wanted.as<std::byte>() + at, width) == 0;
    const bool near = golden.relative > 0 && std::fabs(a - e) <= golden.absolute + golden.relative * std::fabs(e);
    if (same || near || (std::isnan(a) && std::isnan(e))) continue;
    text += " [" + std::to_string(i) + "] is " + std::to_string(a) + ", not " + std::to_string(e) + ";";
  }
  return text;
}

}  // namespace axle::runtime::test
