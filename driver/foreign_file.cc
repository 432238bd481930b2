#include "driver/foreign_file.h"

#include <filesystem>

#include "driver/graph.h"
#include "io/foreign_file.h"
#include "io/mapped_file.h"

namespace axle::driver {

std::optional<run::Failure> refuseForeignFile(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || isGraph(path)) return std::nullopt;
  const auto head = readHead(path, foreignHeadBytes);
  const ForeignFile* kind = head ? foreignByContents(*head) : nullptr;
  if (kind && kind->as == ForeignAs::graph) return std::nullopt;
  if (!kind) kind = foreignByName(path);
  if (!kind) return std::nullopt;
  run::Failure failure = run::fail(exitUsage, path + " " + std::string(kind->what)).value();
  failure.help.emplace_back(kind->help);
  return failure;
}

}  // namespace axle::driver
