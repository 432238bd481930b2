// Samples of WAV files.
#include "io/wav.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace axle {
namespace {

std::string bytes(std::uint32_t value, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::string chunk(const std::string& name, const std::string& body) {
  return name + bytes(static_cast<std::uint32_t>(body.size()), 4) + body;
}

std::string wave(std::uint32_t kind, std::uint32_t channels, std::uint32_t bits, const std::string& samples) {
  std::string format =
      bytes(kind, 2) + bytes(channels, 2) + bytes(16000, 4) + bytes(0, 4) + bytes(0, 2) + bytes(bits, 2);
  return "RIFF" + bytes(0, 4) + "WAVE" + chunk("LIST", "info") + chunk("fmt ", format) + chunk("data", samples);
}

FileResult<Wav> read(const std::string& content) {
  std::string path = (std::filesystem::temp_directory_path() / "axle_wav_test.wav").string();
  std::ofstream(path, std::ios::binary) << content;
  auto wav = readWav(path);
  std::filesystem::remove(path);
  return wav;
}

TEST(Wav, ReadsSamplesFrameByFrame) {
  auto wav = read(wave(1, 2, 16, bytes(0x4000, 2) + bytes(0x8000, 2) + bytes(0xffff, 2) + bytes(0, 2)));
  ASSERT_TRUE(wav) << wav.error().what;
  EXPECT_EQ(wav->rate, 16000U);
  EXPECT_EQ(wav->frames, 2U);
  EXPECT_EQ(wav->channels, 2U);
  EXPECT_EQ(*wav->samples, (std::vector<float>{0.5F, -1, -1.0F / 32768, 0}));
}

TEST(Wav, ReadsEveryKindOfSample) {
  const auto samples = [](std::uint32_t kind, std::uint32_t bits, const std::string& data) {
    const auto wav = read(wave(kind, 1, bits, data));
    return wav ? *wav->samples : std::vector<float>{};
  };
  EXPECT_EQ(samples(1, 8, bytes(0, 1) + bytes(128, 1) + bytes(192, 1)), (std::vector<float>{-1, 0, 0.5F}));
  EXPECT_EQ(samples(1, 24, bytes(0x800000, 3) + bytes(0x400000, 3) + bytes(0xffffff, 3)),
            (std::vector<float>{-1, 0.5F, -1.0F / 8388608}));
  EXPECT_EQ(samples(1, 32, bytes(0x80000000, 4) + bytes(0x20000000, 4)), (std::vector<float>{-1, 0.25F}));
  EXPECT_EQ(samples(3, 32, bytes(0x3e800000, 4) + bytes(0xc0000000, 4)), (std::vector<float>{0.25F, -2}));
  EXPECT_EQ(samples(3, 64, bytes(0, 4) + bytes(0x3fd00000, 4)), (std::vector<float>{0.25F}));
}

TEST(Wav, ReadsExtensibleFormats) {
  const auto extensible = [](std::uint32_t code) {
    const std::string format = bytes(0xfffe, 2) + bytes(1, 2) + bytes(8000, 4) + bytes(0, 4) + bytes(0, 2) +
                               bytes(32, 2) + bytes(22, 2) + bytes(32, 2) + bytes(0, 4) + bytes(code, 2) +
                               std::string(14, '\0');
    return read("RIFF" + bytes(0, 4) + "WAVE" + chunk("fmt ", format) + chunk("data", bytes(0x3e800000, 4)));
  };
  EXPECT_EQ(*extensible(3)->samples, std::vector<float>{0.25F});
  EXPECT_EQ(*extensible(1)->samples, std::vector<float>{0x3e800000 / 2147483648.0F});
  EXPECT_FALSE(extensible(6));
}

TEST(Wav, RejectsUnsupportedFiles) {
  EXPECT_EQ(read("RIFX").error().what, "it is not a RIFF/WAVE file");
  const std::string kinds = "its samples are neither PCM of 8, 16, 24 or 32 bits nor floats of 32 or 64 bits";
  EXPECT_EQ(read(wave(3, 1, 16, "")).error().what, kinds);
  EXPECT_EQ(read(wave(1, 1, 12, "")).error().what, kinds);
  EXPECT_EQ(read(wave(1, 0, 16, "")).error().what, kinds);
  std::string whole = wave(1, 1, 16, "abcd");
  for (std::size_t size = 12; size < whole.size() - 4; ++size) EXPECT_FALSE(read(whole.substr(0, size))) << size;
  EXPECT_EQ(read(whole.substr(0, whole.size() - 2))->frames, 1U);
}

TEST(Wav, TellsWhatACutFileLost) {
  const std::string whole = wave(1, 2, 16, std::string(40, 'a'));
  EXPECT_EQ(read(whole)->lost, 0U);
  const auto cut = read(whole.substr(0, whole.size() - 6));
  EXPECT_EQ(cut->frames, 8U);
  EXPECT_EQ(cut->lost, 2U);
  // A header that was written to a pipe does not know the length.
  std::string piped = whole;
  piped.replace(piped.size() - 44, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(read(piped)->frames, 10U);
  EXPECT_EQ(read(piped)->lost, 0U);
}

}  // namespace
}  // namespace axle
