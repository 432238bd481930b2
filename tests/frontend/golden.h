// Golden files: the output of a test is compared with a file; AXLE_UPDATE_GOLDENS=1 writes the file instead.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace axle::test {

std::string readFile(const std::string& path);
void writeFile(const std::string& path, const std::string& text);
// Returns the files of a folder with this ending, sorted.
std::vector<std::string> filesIn(const std::string& folder, const std::string& ending);
// Returns `text`, repeated.
std::string repeated(const std::string& text, int times);
// Changes the current folder during its lifetime: paths in goldens are relative to their folder.
class InFolder {
 public:
  explicit InFolder(const std::filesystem::path& path) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~InFolder() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_;
};
// Fails the current test if `actual` differs from the file at `path`.
void expectGolden(const std::string& path, const std::string& actual);

}  // namespace axle::test
