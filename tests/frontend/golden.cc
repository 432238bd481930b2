#include "tests/frontend/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace axle::test {

namespace fs = std::filesystem;

std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void writeFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  ASSERT_TRUE(file.good()) << path;
}

std::vector<std::string> filesIn(const std::string& folder, const std::string& ending) {
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(ending)) found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  EXPECT_FALSE(found.empty()) << "no `" << ending << "` in " << folder;
  return found;
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  out.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

void expectGolden(const std::string& path, const std::string& actual) {
  if (std::getenv("AXLE_UPDATE_GOLDENS") != nullptr) return writeFile(path, actual);
  EXPECT_EQ(readFile(path), actual) << path << " differs; AXLE_UPDATE_GOLDENS=1 rewrites it";
}

}  // namespace axle::test
