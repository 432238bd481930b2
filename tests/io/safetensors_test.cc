#include "io/safetensors.h"

#include "tests/io/scratch.h"

namespace axle {
namespace {

TEST(Safetensors, ListsAndReadsEveryElementType) {
  const auto file = openTensorFile("tests/io/data/all.safetensors");
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_EQ(file->format, "safetensors");
  EXPECT_EQ(file->tensors.size(), 15u);
  for (int i = 0; i < elemCount; ++i) {
    const Elem elem = static_cast<Elem>(i);
    if (elem == Elem::string) continue;
    const auto index = file->find(info(elem).name);
    ASSERT_TRUE(index) << describe(index.error());
    EXPECT_EQ(file->tensors[*index].elem, elem);
    EXPECT_EQ(file->tensors[*index].shape, (std::vector<std::uint64_t>{2, 3}));
    EXPECT_EQ(file->tensors[*index].bytes, 6 * info(elem).bytes);
  }
  EXPECT_EQ(valuesOf<float>(file->read("f32").value()), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(valuesOf<std::int64_t>(file->read("i64").value()), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(valuesOf<std::uint8_t>(file->read("bool").value()), (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(valuesOf<float>(file->read("scalar").value()), std::vector<float>{7});
  EXPECT_TRUE(file->read("none").value().bytes.empty());
}

TEST(Safetensors, NamesUnreadableTensors) {
  const auto file = openTensorFile("tests/io/data/all.safetensors");
  ASSERT_TRUE(file);
  EXPECT_EQ(describe(file->read("tiny").error()),
            "tests/io/data/all.safetensors: tensor tiny: its element type F8_E4M3 is not supported");
  EXPECT_EQ(describe(file->read("absent").error()),
            "tests/io/data/all.safetensors: tensor absent: the file has no tensor of that name");
}

TEST(Safetensors, BytesOutliveTheFile) {
  TensorBytes data;
  {
    auto file = openTensorFile("tests/io/data/all.safetensors");
    ASSERT_TRUE(file);
    data = file->read("f64").value();
  }
  EXPECT_EQ(valuesOf<double>(data), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

std::string errorOf(const std::string& header, std::size_t dataBytes) {
  const ScratchFolder folder;
  std::string content;
  for (int i = 0; i < 8; ++i) content += static_cast<char>(header.size() >> (8 * i) & 0xff);
  const std::string path = folder.file("x.safetensors");
  writeText(path, content + header + std::string(dataBytes, '\x02'));
  const auto file = openTensorFile(path);
  if (file) return "no error";
  EXPECT_EQ(file.error().path, path);
  return (file.error().tensor.empty() ? "" : file.error().tensor + ": ") + file.error().what;
}

TEST(Safetensors, ExplainsBadHeaders) {
  const std::string a = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const auto b = [](const std::string& offsets) {
    return R"("b":{"dtype":"U8","shape":[4],"data_offsets":)" + offsets + "}";
  };
  EXPECT_EQ(errorOf("{" + a + "," + b("[8,12]") + "}   ", 12), "no error");
  EXPECT_EQ(errorOf("{}", 0), "no error");
  EXPECT_EQ(errorOf(R"({"__metadata__":{"k":"v"}})", 0), "no error");
  EXPECT_EQ(errorOf("{" + a + "}", 7), "a: its bytes [0, 8) go beyond the data, which has 7 bytes");
  EXPECT_EQ(errorOf("{" + a + "}", 9), "its tensors take 8 bytes, the file has 9");
  EXPECT_EQ(errorOf("{" + a + "," + b("[7,11]") + "}", 11), "b: its bytes [7, 11) overlap another tensor's");
  EXPECT_EQ(errorOf("{" + a + "," + b("[9,13]") + "}", 13), "b: there are unused bytes before its bytes [9, 13)");
  EXPECT_EQ(errorOf("{" + a + "," + b("[8,11]") + "}", 11),
            "b: u8 [4] does not take the 3 bytes that the header gives it");
  EXPECT_EQ(errorOf("{" + b("[4,0]") + "}", 4), "b: its bytes [4, 0) end before they begin");
  EXPECT_EQ(errorOf("{" + b("[0]") + "}", 4), "b: 'data_offsets' has fewer than two numbers");
  EXPECT_EQ(errorOf("{" + b("[0,4,4]") + "}", 4), "b: 'data_offsets' has more than two numbers");
  EXPECT_EQ(errorOf("{" + b("[0,-4]") + "}", 4), "b: its header has a negative number where the format has none");
  EXPECT_EQ(errorOf("{" + b("[0,4.0]") + "}", 4),
            "b: its header has a fraction, or a number beyond 2^64 where the format has none");
  EXPECT_EQ(errorOf("{" + a + "," + a + "}", 8), "a: the header names it twice");
  EXPECT_EQ(errorOf(R"({"a":{"dtype":"F32","dtype":"F32"}})", 0), "a: 'dtype' occurs twice");
  EXPECT_EQ(errorOf(R"({"a":{"dtype":"F32"}})", 0), "a: one of 'dtype', 'shape' and 'data_offsets' is missing");
  EXPECT_EQ(errorOf(R"({"a":{"colour":"F32"}})", 0), "a: the key 'colour' is unknown");
  EXPECT_EQ(errorOf(R"({"a":[1]})", 0), "a: its header has a list where the format has none");
  EXPECT_EQ(errorOf(R"({"__metadata__":{"k":3}})", 0),
            "__metadata__: its header has a number where the format has none");
  EXPECT_EQ(errorOf(R"({"a":{"dtype":"F32","shape":[4611686018427387904,8],"data_offsets":[0,8]}})", 8),
            "a: f32 [4611686018427387904, 8] does not take the 8 bytes that the header gives it");
  EXPECT_EQ(errorOf("{\"a\"", 0), "its header is not valid JSON at byte 5");
  EXPECT_EQ(errorOf("{" + std::string(100000, '['), 0), "its header is not valid JSON at byte 2");
  EXPECT_EQ(errorOf(R"({"a":)" + std::string(100000, '['), 0), "a: its header has a list where the format has none");
  EXPECT_EQ(errorOf("[]", 0), "its header does not begin with '{'");
}

TEST(Safetensors, RefusesImpossibleHeaderLengths) {
  const ScratchFolder folder;
  const std::string path = folder.file("x.safetensors");
  writeText(path, "1234567");
  EXPECT_EQ(openTensorFile(path).error().what, "is truncated: it has no header");
  writeText(path, std::string("\xff\xff\xff\xff\xff\xff\xff\xff{", 9));
  EXPECT_EQ(openTensorFile(path).error().what, "claims a header of 18446744073709551615 bytes");
  writeText(path, std::string("\x10\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(openTensorFile(path).error().what, "is truncated within its header");
}

TEST(Safetensors, ChecksBoolsWhenRead) {
  const ScratchFolder folder;
  const std::string header = R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})";
  const std::string path = folder.file("x.safetensors");
  writeText(path, std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "\x02");
  const auto file = openTensorFile(path);
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_EQ(file->read("a").error().what, "holds a bool that is neither 0 nor 1");
}

TEST(Safetensors, ReadsBackWhatItWrites) {
  const ScratchFolder folder;
  const std::vector<float> floats{1, 2, 3, 4, 5, 6};
  const std::vector<std::uint8_t> bools{1, 0, 1};
  const std::vector<double> doubles{0.5};
  const TensorToWrite tensors[] = {
      {"b", Elem::boolean, {3}, bytesOf(bools)},
      {"\"quoted\\\"", Elem::f32, {2, 3}, bytesOf(floats)},
      {"empty", Elem::i16, {0, 4}, {}},
      {"scalar", Elem::f64, {}, bytesOf(doubles)},
  };
  const std::string path = folder.file("x.safetensors");
  const auto wrote = writeSafetensors(path, tensors);
  ASSERT_TRUE(wrote) << describe(wrote.error());
  const auto file = openTensorFile(path);
  ASSERT_TRUE(file) << describe(file.error());
  ASSERT_EQ(file->tensors.size(), 4u);
  for (const TensorToWrite& tensor : tensors) {
    const auto index = file->find(tensor.name);
    ASSERT_TRUE(index) << describe(index.error());
    EXPECT_EQ(file->tensors[*index].elem, tensor.elem);
    EXPECT_EQ(file->tensors[*index].shape, tensor.shape);
    const TensorBytes data = file->readAt(*index).value();
    EXPECT_TRUE(std::ranges::equal(data.bytes, tensor.bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data.bytes.data()) % std::max<std::size_t>(1, info(tensor.elem).bytes),
              0u);
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"x.safetensors"});
}

TEST(Safetensors, RejectsWritingMismatchedData) {
  const std::vector<float> floats(2);
  const TensorToWrite wrongSize[] = {{"a", Elem::f32, {3}, bytesOf(floats)}};
  EXPECT_EQ(describe(writeSafetensors("x", wrongSize).error()),
            "x: tensor a: safetensors cannot hold f32 [3] of 8 bytes");
  const TensorToWrite twice[] = {{"a", Elem::f32, {2}, bytesOf(floats)}, {"a", Elem::f32, {2}, bytesOf(floats)}};
  EXPECT_EQ(describe(writeSafetensors("x", twice).error()),
            "x: tensor a: safetensors cannot hold a tensor of that name, or not twice");
}

}  // namespace
}  // namespace axle
