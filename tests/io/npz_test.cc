#include "io/npz.h"

#include <zip.h>

#include <numeric>

#include "tests/io/scratch.h"

namespace axle {
namespace {

FileResult<TensorFile> open(const std::string& path) { return openTensorFile(path, allFormats()); }

void expectWeights(const TensorFile& file) {
  EXPECT_EQ(file.format, "npz");
  const auto kernel = file.find("layer.kernel");
  ASSERT_TRUE(kernel) << describe(kernel.error());
  EXPECT_EQ(file.tensors[*kernel].elem, Elem::f32);
  EXPECT_EQ(file.tensors[*kernel].shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(valuesOf<float>(file.read("layer.kernel").value()), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(valuesOf<std::int64_t>(file.read("table").value()), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(valuesOf<std::uint8_t>(file.read("flag").value()), (std::vector<std::uint8_t>{0, 1, 0, 1, 0, 1}));
  EXPECT_TRUE(file.read("layer.bias'"));
}

TEST(Npz, ReadsStoredAndDeflated) {
  const auto stored = open("tests/io/data/stored.npz");
  ASSERT_TRUE(stored) << describe(stored.error());
  expectWeights(*stored);
  const auto deflated = open("tests/io/data/deflated.npz");
  ASSERT_TRUE(deflated) << describe(deflated.error());
  expectWeights(*deflated);
  std::vector<double> expected(2000);
  std::iota(expected.begin(), expected.end(), 0.0);
  EXPECT_EQ(valuesOf<double>(deflated->read("wide").value()), expected);
  EXPECT_EQ(describe(deflated->read("words").error()),
            "tests/io/data/deflated.npz: tensor words: its element type '<U1' is not supported");
}

TEST(Npz, PlainFormatsListSupportedFormats) {
  EXPECT_EQ(describe(openTensorFile("tests/io/data/stored.npz").error()),
            "tests/io/data/stored.npz: is not a file of tensors: expected npy or safetensors");
}

TEST(Npz, ReportsBrokenMembers) {
  const ScratchFolder folder;
  std::string content = readText("tests/io/data/stored.npz");
  const std::string path = folder.file("x.npz");
  // The first member's header and data follow its local header; a flipped bit in the data breaks the checksum.
  const std::size_t data = content.find("NUMPY") + 127 + 5;
  content[data] ^= 0x40;
  writeText(path, content);
  const auto file = open(path);
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_EQ(describe(file->read("layer.kernel").error()),
            path + ": tensor layer.kernel: cannot be unpacked: CRC error");
  EXPECT_TRUE(file->read("table"));
}

// Writes an archive of the given members with libzip.
void writeArchive(const std::string& path, const std::vector<std::pair<std::string, std::string>>& members) {
  int error = 0;
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  ASSERT_TRUE(archive);
  for (const auto& [name, content] : members)
    ASSERT_GE(zip_file_add(archive, name.c_str(), zip_source_buffer(archive, content.data(), content.size(), 0), 0), 0);
  ASSERT_EQ(zip_close(archive), 0);
}

TEST(Npz, LimitsUnpackedSizes) {
  const ScratchFolder folder;
  const std::string path = folder.file("x.npz"), whole = readText("tests/io/data/f32.npy");
  std::string huge = whole;
  const std::size_t shape = huge.find("(2, 3), }              ");
  ASSERT_NE(shape, std::string::npos);
  huge.replace(shape, 23, "(999999999999999, 3), }");
  writeArchive(path, {{"huge.npy", huge},
                      {"short.npy", whole.substr(0, 140)},
                      {"notes.txt", "x"},
                      {"tiny.npy", ""},
                      {"good.npy", whole}});
  const auto file = open(path);
  ASSERT_TRUE(file) << describe(file.error());
  ASSERT_EQ(file->tensors.size(), 1u);
  EXPECT_EQ(file->read("huge").error().what,
            "f32 [999999999999999, 3] takes 11999999999999988 bytes, the archive has 24");
  EXPECT_EQ(file->read("short").error().what, "f32 [2, 3] takes 24 bytes, the archive has 12");
  EXPECT_EQ(file->read("notes.txt").error().what, "is not an npy member");
  EXPECT_EQ(file->read("tiny").error().what, "is not an npy file: it begins with other bytes");
  EXPECT_TRUE(file->read("good"));
}

TEST(Npz, RejectsImpossibleCompressionRatios) {
  const ScratchFolder folder;
  std::string content = readText("tests/io/data/deflated.npz");
  // The uncompressed size in the first member's central entry, 24 bytes in.
  const std::size_t entry = content.find("PK\x01\x02");
  ASSERT_NE(entry, std::string::npos);
  content.replace(entry + 24, 4, "\xff\xff\xff\x7f");
  const std::string path = folder.file("x.npz");
  writeText(path, content);
  const auto file = open(path);
  ASSERT_TRUE(file) << describe(file.error());
  const auto kernel = file->read("layer.kernel");
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().what.find("claims 2147483647 bytes, more than its"), std::string::npos)
      << kernel.error().what;
}

TEST(Npz, RejectsFilesThatAreNotArchives) {
  const ScratchFolder folder;
  const std::string path = folder.file("x.npz");
  writeText(path, "PK\x03\x04 and then nothing");
  const auto file = open(path);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().what.substr(0, 27), "is not a readable archive: ");
}

}  // namespace
}  // namespace axle
