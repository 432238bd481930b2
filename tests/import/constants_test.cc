// Tests every encoding of a constant in a file.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "import/tensorflow/reader/convert.h"

namespace axle::tensorflow {
namespace {

Converted<Tensor> tensor(const std::string& text) {
  wire::TensorProto message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return takeTensor(message);
}

std::string shape(std::initializer_list<int> sizes) {
  std::string text = "tensor_shape {";
  for (int size : sizes) text += " dim { size: " + std::to_string(size) + " }";
  return text + " } ";
}

template <class T>
std::vector<T> values(const Converted<Tensor>& tensor) {
  if (!tensor) {
    ADD_FAILURE() << tensor.error();
    return {};
  }
  const std::string bytes = tensor->dense();
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

TEST(Constants, ContentBytesAreUsedUnchanged) {
  auto t = tensor("dtype: DT_INT16 " + shape({2, 2}) + R"(tensor_content: "\001\000\002\000\377\377\000\200")");
  EXPECT_EQ(values<std::int16_t>(t), (std::vector<std::int16_t>{1, 2, -1, -32768}));
}

TEST(Constants, TypedValues) {
  EXPECT_EQ(values<float>(tensor("dtype: DT_FLOAT " + shape({2}) + "float_val: 1 float_val: 2")),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(values<std::int8_t>(tensor("dtype: DT_INT8 " + shape({2}) + "int_val: -1 int_val: 127")),
            (std::vector<std::int8_t>{-1, 127}));
  EXPECT_EQ(values<std::uint8_t>(tensor("dtype: DT_QUINT8 " + shape({1}) + "int_val: 200")),
            (std::vector<std::uint8_t>{200}));
  EXPECT_EQ(values<std::int64_t>(tensor("dtype: DT_INT64 " + shape({1}) + "int64_val: -9")),
            (std::vector<std::int64_t>{-9}));
  EXPECT_EQ(values<std::uint32_t>(tensor("dtype: DT_UINT32 " + shape({1}) + "uint32_val: 4294967295")),
            (std::vector<std::uint32_t>{4294967295U}));
  EXPECT_EQ(values<std::uint64_t>(tensor("dtype: DT_UINT64 " + shape({1}) + "uint64_val: 18446744073709551615")),
            (std::vector<std::uint64_t>{18446744073709551615U}));
  EXPECT_EQ(values<std::uint8_t>(tensor("dtype: DT_BOOL " + shape({2}) + "bool_val: true bool_val: false")),
            (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(values<double>(tensor("dtype: DT_COMPLEX128 " + shape({1}) + "dcomplex_val: 1 dcomplex_val: -2")),
            (std::vector<double>{1, -2}));
}

TEST(Constants, HalfValuesAreStoredAsBits) {
  EXPECT_EQ(values<std::uint16_t>(tensor("dtype: DT_HALF " + shape({2}) + "half_val: 15360 half_val: 49152")),
            (std::vector<std::uint16_t>{0x3c00, 0xc000}));
  EXPECT_EQ(values<std::uint16_t>(tensor("dtype: DT_BFLOAT16 " + shape({1}) + "half_val: 16256")),
            (std::vector<std::uint16_t>{0x3f80}));
}

TEST(Constants, FewerValuesRepeatTheLast) {
  EXPECT_EQ(values<float>(tensor("dtype: DT_FLOAT " + shape({2, 2}) + "float_val: 1 float_val: 2")),
            (std::vector<float>{1, 2, 2, 2}));
  EXPECT_EQ(values<float>(tensor("dtype: DT_FLOAT " + shape({3}))), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(values<float>(tensor("dtype: DT_FLOAT " + shape({1}) + "float_val: 1 float_val: 2")),
            (std::vector<float>{1}));
  EXPECT_EQ(values<float>(tensor("dtype: DT_FLOAT " + shape({0, 4}) + "float_val: 1")), (std::vector<float>{}));
  EXPECT_EQ(values<float>(tensor("dtype: DT_FLOAT tensor_shape {} float_val: 7")), (std::vector<float>{7}));
}

TEST(Constants, RepeatedValuesAreNotExpanded) {
  auto t = tensor("dtype: DT_INT32 " + shape({1000000, 1000000}) + "int_val: 5");
  ASSERT_TRUE(t) << t.error();
  EXPECT_EQ(t->stored(), 1U);
  EXPECT_EQ(t->integer(999999999999), 5);
}

TEST(Constants, Strings) {
  auto t = tensor("dtype: DT_STRING " + shape({3}) + R"(string_val: "a\000b" string_val: "")");
  ASSERT_TRUE(t) << t.error();
  EXPECT_EQ(t->element(0), std::string_view("a\0b", 3));
  EXPECT_EQ(t->element(2), "");
  t = tensor("dtype: DT_STRING " + shape({2}) + R"(tensor_content: "\002\001xyz")");
  ASSERT_TRUE(t) << t.error();
  EXPECT_EQ(t->element(0), "xy");
  EXPECT_EQ(t->element(1), "z");
}

TEST(Constants, Contradictions) {
  const auto why = [](const std::string& text) {
    auto t = tensor(text);
    return t ? std::string("accepted") : t.error();
  };
  EXPECT_EQ(why("dtype: DT_FLOAT " + shape({2}) + R"(tensor_content: "abc")"),
            "has 3 bytes of content, but f32 [2] takes 8");
  EXPECT_EQ(why(shape({2})), "has a tensor of no known element type (0)");
  EXPECT_EQ(why("dtype: DT_FLOAT " + shape({-1})), "has a tensor of the impossible shape [-1]");
  EXPECT_EQ(why("dtype: DT_FLOAT tensor_shape { unknown_rank: true }"), "has a tensor of unknown rank");
  EXPECT_EQ(why("dtype: DT_FLOAT tensor_shape { dim { size: 4611686018427387904 } dim { size: 2 } }"),
            "has a tensor of the impossible shape [4611686018427387904, 2]");
  EXPECT_EQ(why("dtype: DT_STRING " + shape({2}) + R"(tensor_content: "\200")"),
            "has string lengths that its content does not hold");
  EXPECT_EQ(why("dtype: DT_STRING " + shape({1}) + R"(tensor_content: "\005ab")"),
            "has strings that end behind its content");
}

}  // namespace
}  // namespace axle::tensorflow
