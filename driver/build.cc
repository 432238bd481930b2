#include "driver/build.h"

#include "driver/diagnostic_table.h"
#include "io/whole_file.h"

namespace axle::driver {

namespace {

CompileOptions withOpenRanks(CompileOptions options) {
  options.mayStayOpen = true;
  return options;
}

}  // namespace

Build::Build(CompileOptions options) : compilation_(withOpenRanks(options)) {
  bundle_ = compilation_.bundle();
  if (bundle_) type_ = compilation_.entry()->type;
  if (!compilation_.openEntry()) return;
  type_ = compilation_.openEntry()->type;
  variants_ = std::make_unique<RankVariants>(std::move(options), *compilation_.openEntry());
  bundle_ = variants_->bundle(compilation_);
  if (bundle_ && variants_->all().size() == 1) type_ = variants_->all().front().interface.entryType;
}

const Compilation* Build::failed() const { return bundle_ || !variants_ ? nullptr : variants_->refused(); }

std::size_t Build::programs() const { return variants_ ? variants_->all().size() : 1; }

tl::expected<void, Diagnostic> writeBundle(const Bundle& bundle, const std::string& path) {
  auto written = writeWholeFile(path, bundle.pieces());
  if (written) return {};
  Diagnostic d;
  d.code = &codes::outputFile;
  d.message = "the bundle cannot be written: " + written.error().what;
  d.primary = {ArtifactPlace{path, ""}, ""};
  return tl::unexpected(std::move(d));
}

}  // namespace axle::driver
