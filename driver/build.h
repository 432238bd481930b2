// Builds the bundle of an entry: one program, or one for each combination of ranks if the entry leaves ranks open.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "driver/variants.h"

namespace axle::driver {

class Build {
 public:
  explicit Build(CompileOptions options);

  // None if the build failed.
  const std::optional<Bundle>& bundle() const { return bundle_; }
  const Compilation& compilation() const { return compilation_; }
  // Returns the variant whose diagnostics explain why no bundle was built; null if those of `compilation` do.
  const Compilation* failed() const;
  // Returns the printed type of the entry, or of the only combination of ranks that it can have.
  const std::string& type() const { return type_; }
  std::size_t programs() const;

 private:
  Compilation compilation_;
  std::unique_ptr<RankVariants> variants_;  // null if no rank is open
  std::optional<Bundle> bundle_;
  std::string type_;
};

// Writes a bundle whole or not at all; returns a diagnostic if that fails.
tl::expected<void, Diagnostic> writeBundle(const Bundle& bundle, const std::string& path);

}  // namespace axle::driver
