#include "driver/build.h"

#include "driver/output_code.h"
#include "io/whole_file.h"

namespace axle::driver {

namespace {

constexpr Message<arg::Cause> bundleNotWritten{codes::outputFile, "the bundle cannot be written: {}"};

CompileOptions withOpenRanks(CompileOptions options) {
  options.mayStayOpen = true;
  options.withStream = true;
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
  return tl::unexpected(Diagnostic(bundleNotWritten, ArtifactPlace{path, ""}, arg::Cause{written.error().what}));
}

}  // namespace axle::driver
