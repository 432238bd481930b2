#include "io/whole_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "tests/io/scratch.h"

namespace axle {
namespace {

FileResult<void> write(const std::string& path, const std::string& text) {
  const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(text))};
  return writeWholeFile(path, pieces);
}

TEST(WholeFile, ReplacesTheFileAndLeavesNoOther) {
  const ScratchFolder folder;
  ASSERT_TRUE(write(folder.file("a"), "first"));
  ASSERT_TRUE(write(folder.file("a"), "second"));
  EXPECT_EQ(readText(folder.file("a")), "second");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(WholeFile, FollowsLinks) {
  const ScratchFolder folder;
  ASSERT_TRUE(write(folder.file("a"), "first"));
  ASSERT_EQ(::symlink(folder.file("a").c_str(), folder.file("link").c_str()), 0);
  ASSERT_TRUE(write(folder.file("link"), "second"));
  EXPECT_EQ(readText(folder.file("a")), "second");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
}

TEST(WholeFile, KeepsPermissions) {
  const ScratchFolder folder;
  ASSERT_TRUE(write(folder.file("a"), "first"));
  for (const ::mode_t mode : {0600u, 0755u}) {
    ASSERT_EQ(::chmod(folder.file("a").c_str(), mode), 0);
    ASSERT_TRUE(write(folder.file("a"), "second"));
    struct stat status{};
    ASSERT_EQ(::stat(folder.file("a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, mode);
  }
}

TEST(WholeFile, WritesDevicesInPlace) {
  EXPECT_TRUE(write("/dev/null", "anything"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// Pieces of a file that goes to the disk while it is written end anywhere.
TEST(WholeFile, WritesLargeFilesWhole) {
  const ScratchFolder folder;
  std::string text(std::size_t{21'000'003}, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 2654435761u >> 13);
  const auto bytes = std::as_bytes(std::span(text));
  const std::span<const std::byte> pieces[] = {
      bytes.first(5), bytes.subspan(5, 17'000'000), {}, bytes.subspan(17'000'005)};
  ASSERT_TRUE(writeWholeFile(folder.file("a"), pieces));
  EXPECT_TRUE(readText(folder.file("a")) == text);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(WholeFile, LeavesNothingOfAFileThatIsTooLarge) {
  const ScratchFolder folder;
  ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const ::rlimit small{10'000'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto failed = write(folder.file("a"), std::string(11'000'000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(failed);
  EXPECT_NE(describe(failed.error()).find("cannot write: File too large"), std::string::npos);
  EXPECT_EQ(folder.names(), std::vector<std::string>());
}

TEST(WholeFile, KeepsTheOldFileOnFailure) {
  const ScratchFolder folder;
  EXPECT_EQ(describe(write("/dev/full", "anything").error()), "/dev/full: cannot write: No space left on device");
  ASSERT_TRUE(std::filesystem::create_directory(folder.file("d")));
  EXPECT_FALSE(write(folder.file("d"), "x"));
  EXPECT_FALSE(write(folder.file("missing/a"), "x"));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"d"});
}

}  // namespace
}  // namespace axle
