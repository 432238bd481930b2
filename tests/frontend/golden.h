// Golden files: what a test gives is compared with a file beside it; AXLE_UPDATE_GOLDENS=1 writes the file instead.
#pragma once

#include <string>
#include <vector>

namespace axle::test {

std::string readFile(const std::string& path);
void writeFile(const std::string& path, const std::string& text);
// The files of a folder with the ending, sorted.
std::vector<std::string> filesIn(const std::string& folder, const std::string& ending);
// `text` so many times in a row.
std::string repeated(const std::string& text, int times);
// Fails the current test where `actual` is not what the file at `path` holds.
void expectGolden(const std::string& path, const std::string& actual);

}  // namespace axle::test
