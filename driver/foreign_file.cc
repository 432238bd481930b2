#include "driver/foreign_file.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "driver/graph.h"
#include "io/mapped_file.h"

namespace axle::driver {

namespace {

enum class Foreign : std::uint8_t { onnx, tflite, hdf5, keras, npz, npy, torch, safetensors };

struct ForeignRow {
  Foreign kind;
  const char* what;
  const char* help;
};

constexpr const char* exportKeras =
    "save the Keras model as a SavedModel, `model.export(\"folder\")`, and give the folder";
constexpr const char* giveWeights =
    "it goes with the source of the model, `--weights FILE`; one tensor is an input, `-i NAME=FILE`";

constexpr ForeignRow rows[] = {
    {Foreign::onnx, "is an ONNX model", "give the TensorFlow model that it was made from, or write the model in `.ax`"},
    {Foreign::tflite, "is a TensorFlow Lite model",
     "give the SavedModel or the graph (.pb) that it was converted from"},
    {Foreign::hdf5, "is an HDF5 file, as older versions of Keras write", exportKeras},
    {Foreign::keras, "is a Keras model", exportKeras},
    {Foreign::npz, "is a file of NumPy arrays: tensors without a model", giveWeights},
    {Foreign::npy, "is a NumPy array: a tensor without a model", giveWeights},
    {Foreign::torch, "is a file of PyTorch",
     "write the model in `.ax`, and its weights with `safetensors.torch.save_file`: `--weights FILE.safetensors`"},
    {Foreign::safetensors, "is a safetensors file: tensors without a model", giveWeights},
};

struct Suffix {
  std::string_view text;
  Foreign kind;
};
constexpr Suffix suffixes[] = {
    {".onnx", Foreign::onnx},   {".tflite", Foreign::tflite},
    {".h5", Foreign::hdf5},     {".hdf5", Foreign::hdf5},
    {".keras", Foreign::keras}, {".npz", Foreign::npz},
    {".npy", Foreign::npy},     {".pt", Foreign::torch},
    {".pth", Foreign::torch},   {".safetensors", Foreign::safetensors},
};

std::optional<Foreign> kindBySuffix(std::string_view path) {
  for (const Suffix& suffix : suffixes)
    if (path.ends_with(suffix.text)) return suffix.kind;
  return std::nullopt;
}

// The name of the first file in a zip archive, which follows its header of 30 bytes.
std::string_view firstNameInZip(std::string_view head) {
  constexpr std::size_t lengthAt = 26, nameAt = 30;
  if (head.size() < nameAt) return {};
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(head[at])); };
  return head.substr(nameAt, byte(lengthAt) + (byte(lengthAt + 1) << 8));
}

std::optional<Foreign> kindInZip(std::string_view head) {
  const std::string_view first = firstNameInZip(head);
  if (first.ends_with(".npy")) return Foreign::npz;
  if (first == "metadata.json" || first == "config.json" || first == "model.weights.h5") return Foreign::keras;
  if (first.ends_with("/data.pkl") || first.ends_with("/version") || first.ends_with("/.format_version"))
    return Foreign::torch;
  return std::nullopt;
}

// Whether the bytes begin as an ONNX ModelProto: its version, 3 or more, then another of its fields. A SavedModel
// begins with version 1, a GraphDef with a node.
bool beginsAsOnnx(std::string_view head) {
  constexpr std::string_view nextFields("\x12\x1a\x22\x2a\x32\x3a\x42", 7);
  return head.size() >= 3 && head[0] == '\x08' && head[1] >= 3 && head[1] < 64 &&
         nextFields.find(head[2]) != std::string_view::npos;
}

// Whether the bytes begin with the length of a header of JSON.
bool beginsAsSafetensors(std::string_view head) {
  return head.size() >= 10 && head.substr(5, 3) == std::string_view("\0\0\0", 3) && head.substr(8, 2) == "{\"";
}

std::optional<Foreign> kindByContents(std::string_view head) {
  if (head.starts_with(std::string_view("PK\x03\x04", 4))) return kindInZip(head);
  if (head.starts_with("\x89HDF\r\n")) return Foreign::hdf5;
  if (head.size() >= 8 && head.substr(4, 4) == "TFL3") return Foreign::tflite;
  if (head.starts_with("\x93NUMPY")) return Foreign::npy;
  if (head.starts_with("\x80\x02")) return Foreign::torch;  // a pickle, as old versions of PyTorch write
  if (beginsAsOnnx(head)) return Foreign::onnx;
  if (beginsAsSafetensors(head)) return Foreign::safetensors;
  return std::nullopt;
}

}  // namespace

std::optional<run::Failure> refuseForeignFile(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || isGraph(path)) return std::nullopt;
  constexpr std::size_t headBytes = 512;
  const auto head = readHead(path, headBytes);
  std::optional<Foreign> kind = head ? kindByContents(*head) : std::nullopt;
  if (!kind) kind = kindBySuffix(path);
  if (!kind) return std::nullopt;
  const ForeignRow& row =
      *std::find_if(std::begin(rows), std::end(rows), [&](const ForeignRow& r) { return r.kind == *kind; });
  run::Failure failure = run::fail(exitUsage, path + " " + row.what).value();
  failure.help.emplace_back(row.help);
  return failure;
}

}  // namespace axle::driver
