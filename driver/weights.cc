#include "driver/weights.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "driver/run/draw.h"
#include "io/half.h"
#include "io/npz.h"

namespace axle::driver {

namespace {

constexpr std::string_view randomWord = "random";

std::optional<std::uint64_t> seedOf(std::string_view word) {
  if (word == randomWord) return 0;
  if (word.substr(0, randomWord.size() + 1) != "random:") return std::nullopt;
  std::string_view digits = word.substr(randomWord.size() + 1);
  std::uint64_t seed = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return seed;
}

template <class T, class Map>
void mapAll(std::span<std::byte> bytes, Map map) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    value = map(value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

// Maps the elements of a float type; `map` takes a float or a double and returns the same type.
template <class Map>
void mapFloats(Elem elem, std::span<std::byte> bytes, Map map) {
  switch (elem) {
    case Elem::f16:
      return mapAll<std::uint16_t>(bytes, [&](std::uint16_t v) { return f16FromF32(map(f32FromF16(v))); });
    case Elem::bf16:
      return mapAll<std::uint16_t>(bytes, [&](std::uint16_t v) { return bf16FromF32(map(f32FromBf16(v))); });
    case Elem::f32:
      return mapAll<float>(bytes, map);
    case Elem::f64:
      return mapAll<double>(bytes, map);
    default:
      return;
  }
}

// Returns He's scale: uniform elements of variance 2 / fan-in, where the fan-in is the number of elements for each
// index of the last dimension.
double heScale(const ir::Constant& constant) {
  double fanIn = 1;
  std::size_t counted = constant.shape.size() > 1 ? constant.shape.size() - 1 : constant.shape.size();
  for (std::size_t i = 0; i < counted; ++i) fanIn *= static_cast<double>(constant.shape[i]);
  return std::sqrt(6.0 / std::max(fanIn, 1.0));
}

// Whether one of the words in a parameter's name says that it is a variance: `variance`, `bn1.running_var`,
// `movingVariance`.
bool isVariance(std::string_view name) {
  std::string word;
  const auto isOne = [&] { return word == "var" || word == "variance" || word == "variances"; };
  bool wasLower = false;
  for (char c : name) {
    const bool isUpper = c >= 'A' && c <= 'Z', isLower = c >= 'a' && c <= 'z';
    if (isUpper ? wasLower : !isLower) {
      if (isOne()) return true;
      word.clear();
    }
    if (isLower || isUpper) word += isUpper ? static_cast<char>(c - 'A' + 'a') : c;
    wasLower = isLower;
  }
  return isOne();
}

FileResult<TensorBytes> drawn(std::uint64_t seed, std::uint32_t weight, const ir::Constant& constant, bool isPositive) {
  std::vector<std::uint64_t> shape(constant.shape.begin(), constant.shape.end());
  std::optional<std::size_t> size = tensorByteCount(constant.elem, shape);
  if (!size) return fileError("", "the tensor is too large", constant.name);
  auto bytes = std::make_shared<std::vector<std::byte>>(*size);
  run::draw(constant.elem, seed, weight, *bytes);
  if (isPositive) {
    mapFloats(constant.elem, *bytes, [](auto v) { return 1 + v / 2; });  // from 0.5 to 1.5
  } else {
    const double scale = heScale(constant);
    mapFloats(constant.elem, *bytes, [=](auto v) { return v * static_cast<decltype(v)>(scale); });
  }
  return TensorBytes{bytes, std::span<const std::byte>(*bytes)};
}

}  // namespace

FileResult<Weights> Weights::open(const std::string& word) {
  Weights weights;
  if (auto seed = seedOf(word)) {
    weights.seed_ = *seed;
    return weights;
  }
  auto file = openTensorFile(word, allFormats());
  if (!file) return tl::unexpected(file.error());
  weights.file_ = std::make_shared<const TensorFile>(std::move(*file));
  weights.source_.path = word;
  for (const TensorInfo& tensor : weights.file_->tensors) weights.source_.names.push_back(tensor.name);
  weights.source_.unreadable = [held = weights.file_](const std::string& name) -> std::optional<std::string> {
    for (const UnreadableTensor& tensor : held->unreadable)
      if (tensor.name == name) return tensor.why;
    return std::nullopt;
  };
  weights.source_.find = [held = weights.file_](const std::string& name) -> std::optional<WeightType> {
    auto index = held->find(name);
    if (!index) return std::nullopt;
    const TensorInfo& tensor = held->tensors[*index];
    return WeightType{tensor.elem, std::vector<std::int64_t>(tensor.shape.begin(), tensor.shape.end())};
  };
  return weights;
}

WeightBytes Weights::bytes(const TypedProgram& program, std::set<std::uint32_t> positive) const {
  if (!file_)
    return
        [seed = seed_, &program, positive = std::move(positive)](std::uint32_t weight, const ir::Constant& constant) {
          const bool isPositive =
              positive.count(weight) > 0 || isVariance(constant.name) || isVariance(program.weights[weight].tensorName);
          return drawn(seed, weight, constant, isPositive);
        };
  return [held = file_, &program](std::uint32_t weight, const ir::Constant& constant) -> FileResult<TensorBytes> {
    const std::string& name = program.weights[weight].tensorName;
    auto index = held->find(name);
    if (!index) return tl::unexpected(index.error());
    if (held->tensors[*index].elem != constant.elem) return fileError(held->path, "its element type changed", name);
    return held->readAt(*index);
  };
}

}  // namespace axle::driver
