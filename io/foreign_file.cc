#include "io/foreign_file.h"

namespace axle {

namespace {

constexpr std::string_view exportKeras =
    "save the Keras model as a SavedModel, `model.export(\"folder\")`, and give the folder";
constexpr std::string_view giveWeights =
    "it goes with the source of the model, `--weights FILE`; one tensor is an input, `-i NAME=FILE`";
constexpr std::string_view unpack = "unpack it, and give the model that it holds";

constexpr ForeignFile onnx{ForeignAs::model, "is an ONNX model",
                           "give the TensorFlow model that it was made from, or write the model in `.ax`"};
constexpr ForeignFile tflite{ForeignAs::model, "is a TensorFlow Lite model",
                             "give the SavedModel or the graph (.pb) that it was converted from"};
constexpr ForeignFile hdf5{ForeignAs::model, "is an HDF5 file, as older versions of Keras write", exportKeras};
constexpr ForeignFile keras{ForeignAs::model, "is a Keras model", exportKeras};
constexpr ForeignFile npz{ForeignAs::model, "is a file of NumPy arrays: tensors without a model", giveWeights};
constexpr ForeignFile npy{ForeignAs::model, "is a NumPy array: a tensor without a model", giveWeights};
constexpr ForeignFile torch{
    ForeignAs::model, "is a PyTorch file",
    "write the model in `.ax`, and its weights with `safetensors.torch.save_file`: `--weights FILE.safetensors`"};
constexpr ForeignFile safetensors{ForeignAs::model, "is a safetensors file: tensors without a model", giveWeights};
constexpr ForeignFile lfsPointer{ForeignAs::model, "is a git-lfs pointer, not the file itself",
                                 "`git lfs pull` fetches the file"};
constexpr ForeignFile gzip{ForeignAs::model, "is compressed by gzip", unpack};
constexpr ForeignFile zip{ForeignAs::model, "is a zip archive", unpack};
constexpr ForeignFile markup{ForeignAs::graph, "is a page of HTML or XML", ""};
constexpr ForeignFile json{ForeignAs::graph, "is JSON", ""};
constexpr ForeignFile bundle{ForeignAs::graph, "is a bundle of Axle, which is compiled already", ""};

struct NameRow {
  std::string_view end;
  const ForeignFile* file;
};
constexpr NameRow byName[] = {
    {".onnx", &onnx}, {".tflite", &tflite}, {".h5", &hdf5},  {".hdf5", &hdf5}, {".keras", &keras},
    {".npz", &npz},   {".npy", &npy},       {".pt", &torch}, {".pth", &torch}, {".safetensors", &safetensors},
};

struct ContentsRow {
  std::string_view magic;
  std::size_t at;
  const ForeignFile* file;
};
constexpr ContentsRow byContents[] = {
    {"version https://git-lfs", 0, &lfsPointer},
    {"TFL3", 4, &tflite},
    {"\x89HDF\r\n", 0, &hdf5},
    {"\x1f\x8b", 0, &gzip},
    {"\x93NUMPY", 0, &npy},
    {"\x80\x02", 0, &torch},  // a pickle, written by old versions of PyTorch
    {"<", 0, &markup},
    {"{", 0, &json},
    {"AXB", 0, &bundle},
};

// Returns the name of the first file in a zip archive, which follows its header of 30 bytes.
std::string_view firstNameInZip(std::string_view head) {
  constexpr std::size_t lengthAt = 26, nameAt = 30;
  if (head.size() < nameAt) return {};
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(head[at])); };
  return head.substr(nameAt, byte(lengthAt) + (byte(lengthAt + 1) << 8));
}

const ForeignFile* kindOfZip(std::string_view head) {
  const std::string_view first = firstNameInZip(head);
  if (first.ends_with(".npy")) return &npz;
  if (first == "metadata.json" || first == "config.json" || first == "model.weights.h5") return &keras;
  for (std::string_view end : {"/data.pkl", "/version", "/.format_version"})
    if (first.ends_with(end)) return &torch;
  return &zip;
}

// Whether the bytes begin an ONNX ModelProto: its version, 3 or more, then another of its fields. A SavedModel begins
// with version 1, a GraphDef with a node.
bool beginsAsOnnx(std::string_view head) {
  constexpr std::string_view nextFields("\x12\x1a\x22\x2a\x32\x3a\x42", 7);
  return head.size() >= 3 && head[0] == '\x08' && head[1] >= 3 && head[1] < 64 &&
         nextFields.find(head[2]) != std::string_view::npos;
}

// Whether the bytes begin with the length of a JSON header.
bool beginsAsSafetensors(std::string_view head) {
  return head.size() >= 10 && head.substr(5, 3) == std::string_view("\0\0\0", 3) && head.substr(8, 2) == "{\"";
}

}  // namespace

const ForeignFile* foreignByContents(std::string_view head) {
  if (head.starts_with(std::string_view("PK\x03\x04", 4))) return kindOfZip(head);
  for (const ContentsRow& row : byContents)
    if (head.size() >= row.at && head.substr(row.at).starts_with(row.magic)) return row.file;
  if (beginsAsOnnx(head)) return &onnx;
  if (beginsAsSafetensors(head)) return &safetensors;
  return nullptr;
}

const ForeignFile* foreignByName(std::string_view path) {
  for (const NameRow& row : byName)
    if (path.ends_with(row.end)) return row.file;
  return nullptr;
}

}  // namespace axle
