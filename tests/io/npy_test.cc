#include "io/npy.h"

#include <numeric>

#include "tests/io/scratch.h"

namespace axle {
namespace {

std::string data(const std::string& name) { return "tests/io/data/" + name + ".npy"; }

template <class T>
void expectCounting(const std::string& name, Elem elem) {
  const auto array = readNpy(data(name));
  ASSERT_TRUE(array) << describe(array.error());
  EXPECT_EQ(array->elem, elem) << name;
  EXPECT_EQ(array->shape, (std::vector<std::uint64_t>{2, 3})) << name;
  EXPECT_EQ(valuesOf<T>(array->data), (std::vector<T>{0, 1, 2, 3, 4, 5})) << name;
}

TEST(Npy, ReadsEveryElementType) {
  expectCounting<float>("f32", Elem::f32);
  expectCounting<double>("f64", Elem::f64);
  expectCounting<std::int8_t>("i8", Elem::i8);
  expectCounting<std::int16_t>("i16", Elem::i16);
  expectCounting<std::int32_t>("i32", Elem::i32);
  expectCounting<std::int64_t>("i64", Elem::i64);
  expectCounting<std::uint8_t>("u8", Elem::u8);
  expectCounting<std::uint16_t>("u16", Elem::u16);
  expectCounting<std::uint32_t>("u32", Elem::u32);
  expectCounting<std::uint64_t>("u64", Elem::u64);
  const auto halves = readNpy(data("f16"));
  ASSERT_TRUE(halves);
  EXPECT_EQ(halves->elem, Elem::f16);
  EXPECT_EQ(valuesOf<std::uint16_t>(halves->data),
            (std::vector<std::uint16_t>{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500}));
  const auto brains = readNpy(data("bf16"));
  ASSERT_TRUE(brains) << describe(brains.error());
  EXPECT_EQ(brains->elem, Elem::bf16);
  EXPECT_EQ(valuesOf<std::uint16_t>(brains->data),
            (std::vector<std::uint16_t>{0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0}));
  const auto bools = readNpy(data("bool"));
  ASSERT_TRUE(bools);
  EXPECT_EQ(bools->elem, Elem::boolean);
  EXPECT_EQ(valuesOf<std::uint8_t>(bools->data), (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 1}));
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  const auto scalar = readNpy(data("scalar"));
  ASSERT_TRUE(scalar);
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_EQ(valuesOf<float>(scalar->data), std::vector<float>{7});
  const auto empty = readNpy(data("empty"));
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->shape, (std::vector<std::uint64_t>{0, 3}));
  EXPECT_TRUE(empty->data.bytes.empty());
}

TEST(Npy, ReadsLaterVersions) {
  expectCounting<float>("version2", Elem::f32);
  expectCounting<float>("version3", Elem::f32);
}

TEST(Npy, ConvertsColumnMajorAndBigEndian) {
  const auto fortran = readNpy(data("fortran"));
  ASSERT_TRUE(fortran) << describe(fortran.error());
  std::vector<float> expected(24);
  std::iota(expected.begin(), expected.end(), 0.0f);
  EXPECT_EQ(fortran->shape, (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(valuesOf<float>(fortran->data), expected);
  expectCounting<std::int32_t>("big_endian", Elem::i32);
  expectCounting<std::uint16_t>("big_endian_fortran", Elem::u16);
}

TEST(Npy, RejectsUnsupportedArrays) {
  const std::pair<const char*, const char*> cases[] = {
      {"objects", "holds Python objects, which are not supported"},
      {"records", "holds records (a structured element type), which are not supported"},
      {"text", "its element type '<U2' is not supported"},
      {"complex", "its element type '<c8' is not supported"},
  };
  for (const auto& [name, what] : cases) {
    const auto array = readNpy(data(name));
    ASSERT_FALSE(array) << name;
    EXPECT_EQ(describe(array.error()), data(name) + ": " + what);
  }
}

// Returns a version 1 file with any header text.
std::string npyOf(std::string dictionary, std::string_view content = {}) {
  dictionary += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size() & 0xff);
  file += static_cast<char>(dictionary.size() >> 8);
  return file + dictionary + std::string(content);
}

std::string errorOf(const ScratchFolder& folder, const std::string& content) {
  const std::string path = folder.file("x.npy");
  writeText(path, content);
  const auto array = readNpy(path);
  if (array) return "no error";
  EXPECT_EQ(array.error().path, path);
  return array.error().what;
}

TEST(Npy, ExplainsBadHeaders) {
  const ScratchFolder folder;
  const auto error = [&](const std::string& dictionary, std::string_view content = {}) {
    return errorOf(folder, npyOf(dictionary, content));
  };
  EXPECT_EQ(error("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "12345678"), "no error");
  EXPECT_EQ(error("{\"shape\":(2L,),\"descr\":\"=f4\",\"fortran_order\":True,}", "12345678"), "no error");
  EXPECT_EQ(error("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234567"),
            "is truncated: f32 [2] takes 8 bytes, the file has 7");
  EXPECT_EQ(error("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "123456789"),
            "is too long: f32 [2] takes 8 bytes, the file has 9");
  EXPECT_EQ(error("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
            "claims an impossible shape: f32 [4294967296, 4294967296]");
  EXPECT_EQ(error("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}"),
            "claims an impossible shape: f32 [0, 4294967296, 4294967296]");
  EXPECT_EQ(error("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
            "its header is malformed: a size in 'shape' is not a number below 2^64");
  EXPECT_EQ(error("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
            "its header is malformed: a size in 'shape' is not a number below 2^64");
  EXPECT_EQ(error("{'descr': '<f4', 'shape': (2,)}"), "its header lacks one of 'descr', 'fortran_order' and 'shape'");
  EXPECT_EQ(error("{'descr': '<f4', 'descr': '<f4'}"), "its header has the key 'descr' twice");
  EXPECT_EQ(error("{'colour': 3}"), "its header has the unknown key 'colour'");
  EXPECT_EQ(error("[1, 2]"), "its header is malformed: it is not a dictionary");
  EXPECT_EQ(error("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\x01\x02"),
            "holds a bool that is neither 0 nor 1");
  EXPECT_EQ(errorOf(folder, "PK"), "is not an npy file: it begins with other bytes");
  EXPECT_EQ(errorOf(folder, std::string("\x93NUMPY\x09\x00\x01\x00 ", 11)), "has the unknown npy version 9");
  EXPECT_EQ(errorOf(folder, std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f ", 13)),
            "claims a header of 2147483647 bytes");
  EXPECT_EQ(errorOf(folder, std::string("\x93NUMPY\x01\x00\x40\x00 ", 11)), "is truncated within its header");
}

TEST(Npy, RejectsPathsThatAreNotFiles) {
  const ScratchFolder folder;
  EXPECT_EQ(describe(readNpy("/nowhere/x.npy").error()), "/nowhere/x.npy: cannot open: No such file or directory");
  EXPECT_EQ(describe(readNpy("/tmp").error()), "/tmp: is a folder");
  EXPECT_EQ(describe(readNpy("/dev/null").error()), "/dev/null: is not a regular file");
  EXPECT_EQ(errorOf(folder, ""), "is not an npy file: it begins with other bytes");
}

TEST(Npy, ReadsBackWhatItWrites) {
  const ScratchFolder folder;
  const std::vector<std::vector<std::uint64_t>> shapes = {
      {}, {3}, {2, 0, 5}, {2, 3, 1, 2}, std::vector<std::uint64_t>(64, 1)};
  for (int i = 0; i < elemCount; ++i) {
    const Elem elem = static_cast<Elem>(i);
    if (elem == Elem::string) continue;
    for (const auto& shape : shapes) {
      std::vector<std::byte> content(*tensorByteCount(elem, shape));
      for (std::size_t at = 0; at < content.size(); ++at)
        content[at] = static_cast<std::byte>(elem == Elem::boolean ? at % 2 : at);
      const std::string path = folder.file("x.npy");
      const auto wrote = writeNpy(path, elem, shape, content);
      ASSERT_TRUE(wrote) << describe(wrote.error());
      const auto array = readNpy(path);
      ASSERT_TRUE(array) << describe(array.error());
      EXPECT_EQ(array->elem, elem);
      EXPECT_EQ(array->shape, shape);
      EXPECT_EQ(valuesOf<std::byte>(array->data), content);
    }
  }
}

TEST(Npy, WritesTheSameBytesAsNumPy) {
  const ScratchFolder folder;
  for (const char* name : {"f32", "i64", "u8", "bool", "bf16", "f16"}) {
    const auto array = readNpy(data(name));
    ASSERT_TRUE(array);
    ASSERT_TRUE(writeNpy(folder.file("x.npy"), array->elem, array->shape, array->data.bytes));
    EXPECT_EQ(readText(folder.file("x.npy")), readText(data(name))) << name;
  }
}

TEST(Npy, RejectsWritingMismatchedData) {
  const ScratchFolder folder;
  const std::vector<float> values(6);
  const std::uint64_t shape[] = {2, 2};
  EXPECT_EQ(describe(writeNpy("x.npy", Elem::f32, shape, bytesOf(values)).error()),
            "x.npy: f32 [2, 2] does not take 24 bytes");
  EXPECT_EQ(describe(writeNpy("x.npy", Elem::string, {}, {}).error()), "x.npy: npy cannot hold string");
  EXPECT_EQ(describe(writeNpy("/nowhere/x.npy", Elem::f32, {}, bytesOf(std::vector<float>(1))).error()),
            "/nowhere/x.npy: cannot write: there is no such folder");
  EXPECT_EQ(describe(writeNpy("/tmp", Elem::f32, {}, bytesOf(std::vector<float>(1))).error()),
            "/tmp: cannot write: it is a folder");
}

}  // namespace
}  // namespace axle
