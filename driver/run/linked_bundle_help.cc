#include "driver/run/bundle_help.h"
#include "io/foreign_file.h"
#include "io/joined.h"
#include "io/mapped_file.h"

namespace axle::run {
namespace {

void addBundleHelp(const std::string& path, std::vector<std::string>& help) {
  if (path.ends_with(".ax") || path.ends_with(".pb")) {
    help.push_back(joined({"`axc build ", path, " -o MODEL.axb` makes one of it"}));
    return;
  }
  const auto head = readHead(path, foreignHeadBytes);
  if (head && head->starts_with("AXB")) return;  // damaged, or of another version, which the error says
  const ForeignFile* kind = head ? foreignByContents(*head) : nullptr;
  if (!kind) kind = foreignByName(path);
  if (!kind) return;
  help.push_back(joined({"it ", kind->what, "; `axc build` makes bundles of sources (.ax) and TensorFlow graphs"}));
  if (!kind->help.empty()) help.emplace_back(kind->help);
}

}  // namespace

const BundleHelp linkedBundleHelp = addBundleHelp;

}  // namespace axle::run
