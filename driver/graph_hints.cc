#include "driver/graph_hints.h"

#include <algorithm>
#include <set>

#include "driver/recorded.h"
#include "io/npz.h"
#include "io/tensor_file.h"
#include "io/wav.h"

namespace axle::driver {

namespace {

constexpr std::int64_t speechRate = 16000;  // samples a second

// Returns the value of a tensor from which sizes may follow; null if it is too large, has another type than `type`, or
// cannot be read.
std::shared_ptr<const tensorflow::Tensor> smallValue(const TensorFile& file, std::size_t index, tensorflow::Type type) {
  constexpr std::int64_t most = 1024;
  const TensorInfo& its = file.tensors[index];
  auto tensor = std::make_shared<tensorflow::Tensor>();
  tensor->type = type;
  for (std::uint64_t size : its.shape) tensor->shape.push_back(static_cast<std::int64_t>(size));
  auto count = tensorflow::elementCount(type, tensor->shape);
  const bool isFloat = info(its.elem).isFloat;
  if (!count || *count > (isFloat ? 1 : most) || tensorflow::info(type).element != its.elem) return nullptr;
  auto bytes = file.readAt(index);
  if (!bytes) return nullptr;
  tensor->count = *count;
  tensor->bytes.assign(reinterpret_cast<const char*>(bytes->bytes.data()), bytes->bytes.size());
  return tensor;
}

std::optional<tensorflow::Type> typeOf(Elem elem) {
  for (int type = 1; type < tensorflow::typeCount; ++type)
    if (tensorflow::info(static_cast<tensorflow::Type>(type)).element == elem)
      return static_cast<tensorflow::Type>(type);
  return std::nullopt;
}

bool fits(const tensorflow::PartialShape& declared, const std::vector<std::uint64_t>& shape) {
  bool fits = !declared.knownRank || declared.sizes.size() == shape.size();
  for (std::size_t i = 0; fits && declared.knownRank && i < shape.size(); ++i)
    fits = declared.sizes[i] < 0 || declared.sizes[i] == static_cast<std::int64_t>(shape[i]);
  return fits;
}

std::vector<tensorflow::HintSize> sizesOf(const std::vector<std::uint64_t>& shape) {
  std::vector<tensorflow::HintSize> sizes;
  for (std::uint64_t size : shape) sizes.push_back({static_cast<std::int64_t>(size), {}});
  return sizes;
}

// Returns the hint that a tensor in a file gives about its input; none if the tensor does not fit.
std::optional<tensorflow::Hint> hintOf(const tensorflow::Port& input, const TensorFile& file, std::size_t index,
                                       std::string option) {
  const TensorInfo& tensor = file.tensors[index];
  if (!fits(input.shape, tensor.shape)) return std::nullopt;
  tensorflow::Hint hint{std::move(option), input.name, std::nullopt, sizesOf(tensor.shape)};
  // For an unknown operator, the file determines the type.
  if (input.type == tensorflow::Type::invalid) hint.type = typeOf(tensor.elem);
  hint.value = smallValue(file, index, hint.type.value_or(input.type));
  return hint;
}

}  // namespace

std::vector<tensorflow::Hint> hintsFromFiles(const tensorflow::Model& model, const GraphRequest& request) {
  std::vector<tensorflow::Hint> hints;
  std::set<std::string> given;
  for (const auto& [name, path] : request.files) {
    const std::string port = portNamed(model, name, true);
    given.insert(port);
    auto input = std::find_if(model.inputs.begin(), model.inputs.end(),
                              [&](const tensorflow::Port& p) { return p.name == port; });
    if (input == model.inputs.end()) continue;
    if (path.ends_with(".wav") && input->type == tensorflow::Type::string) {
      auto wav = readWav(path);
      if (!wav) continue;  // the run reports what is wrong with it
      hints.push_back({"-i " + name, port, std::nullopt, sizesOf({wav->frames, wav->channels})});
      hints.back().sampleRate = wav->rate;
      continue;
    }
    auto file = openTensorFile(path, plainFormats());
    if (!file || file->tensors.size() != 1) continue;
    if (auto hint = hintOf(*input, *file, 0, "-i " + name)) hints.push_back(std::move(*hint));
  }
  for (const tensorflow::Port& input : model.inputs) {
    auto found = request.recorded && !given.count(input.name) ? request.recorded->fileOf(input.name) : std::nullopt;
    if (!found) continue;
    if (auto hint = hintOf(input, found->file, found->index, "--against " + request.recorded->path()))
      hints.push_back(std::move(*hint));
  }
  return hints;
}

std::vector<tensorflow::Hint> hintsForSound(const tensorflow::Model& model) {
  std::vector<tensorflow::Hint> hints;
  for (const tensorflow::Port& input : model.inputs) {
    if (input.type != tensorflow::Type::string) continue;
    auto decodes = [&](const tensorflow::Node& node) {
      return node.op == "DecodeWav" && !node.inputs.empty() && node.inputs[0] == input.outlet;
    };
    if (std::none_of(model.main.nodes.begin(), model.main.nodes.end(), decodes)) continue;
    tensorflow::Hint hint{"--emit ax", input.name, std::nullopt, std::nullopt};
    hint.shape = {{std::nullopt, "samples"}, {std::nullopt, "channels"}};
    hint.sampleRate = speechRate;
    hints.push_back(std::move(hint));
  }
  return hints;
}

std::vector<StreamedAxis> streamedAxes(const tensorflow::Model& model, const tensorflow::Choice& choice) {
  std::vector<StreamedAxis> axes;
  for (const tensorflow::Choice::Input& input : choice.inputs) {
    const auto hint = tensorflow::parseHint("--input " + input.name, input.name, input.shape);
    if (!hint || !hint->shape) continue;
    for (std::size_t axis = 0; axis < hint->shape->size(); ++axis)
      if ((*hint->shape)[axis].isStreamed) axes.push_back({portNamed(model, input.name, true), axis});
  }
  return axes;
}

}  // namespace axle::driver
