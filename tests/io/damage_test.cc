// Small files with each byte changed and each length truncated: reading gives an error or a well-formed tensor, never a
// crash or a read out of bounds (which the asan preset would detect).
#ifdef AXLE_HAVE_NPZ
#include "io/npz.h"
#endif
#include "io/safetensors.h"
#include "tests/io/scratch.h"

namespace axle {
namespace {

std::span<const FileFormat> formats() {
#ifdef AXLE_HAVE_NPZ
  return allFormats();
#else
  return plainFormats();
#endif
}

// Opens a file and reads all its tensors. Returns whether nothing was refused. The sum forces each byte to be read.
bool readAll(const std::string& path, unsigned& sum) {
  const auto file = openTensorFile(path, formats());
  if (!file) {
    EXPECT_FALSE(file.error().what.empty());
    return false;
  }
  bool whole = file->unreadable.empty();
  for (std::size_t i = 0; i < file->tensors.size(); ++i) {
    const auto data = file->readAt(i);
    whole = whole && data;
    if (!data) continue;
    EXPECT_EQ(data->bytes.size(), file->tensors[i].bytes);
    EXPECT_EQ(data->bytes.size(), tensorByteCount(file->tensors[i].elem, file->tensors[i].shape));
    for (const std::byte byte : data->bytes) sum += static_cast<unsigned>(byte);
  }
  return whole;
}

void damage(const std::string& source) {
  const ScratchFolder folder;
  const std::string content = readText(source), path = folder.file("x" + source.substr(source.find_last_of('.')));
  ASSERT_FALSE(content.empty());
  unsigned sum = 0;
  writeText(path, content);
  EXPECT_TRUE(readAll(path, sum)) << source;
  EXPECT_GT(sum, 0u);
  for (std::size_t at = 0; at < content.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string flipped = content;
      flipped[at] = static_cast<char>(flipped[at] ^ flip);
      writeText(path, flipped);
      readAll(path, sum);
    }
    writeText(path, std::string_view(content).substr(0, at));
    EXPECT_FALSE(readAll(path, sum)) << source << " cut to " << at << " bytes";
  }
}

TEST(Damage, Npy) { damage("tests/io/data/f32.npy"); }
TEST(Damage, NpyOfBools) { damage("tests/io/data/bool.npy"); }
TEST(Damage, NpyInFortranOrder) { damage("tests/io/data/big_endian_fortran.npy"); }

TEST(Damage, Safetensors) {
  const ScratchFolder folder;
  const std::vector<float> floats{1, 2, 3, 4, 5, 6};
  const std::vector<std::uint8_t> bools{1, 0, 1};
  const TensorToWrite tensors[] = {{"a.b", Elem::f32, {2, 3}, bytesOf(floats)},
                                   {"flag", Elem::boolean, {3}, bytesOf(bools)}};
  const std::string path = folder.file("small.safetensors");
  ASSERT_TRUE(writeSafetensors(path, tensors));
  damage(path);
}

#ifdef AXLE_HAVE_NPZ
TEST(Damage, StoredNpz) { damage("tests/io/data/small_stored.npz"); }
TEST(Damage, DeflatedNpz) { damage("tests/io/data/small_deflated.npz"); }
#endif

}  // namespace
}  // namespace axle
