#include "tests/runtime/golden_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/runtime/bundle_maker.h"

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

// The numbers up to the next `/`.
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

}  // namespace axle::runtime::test
