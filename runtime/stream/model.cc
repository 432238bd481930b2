#include "runtime/stream/model.h"

#include <utility>

#include "io/joined.h"
#include "runtime/bundle_format.h"
#include "runtime/check.h"

namespace axle::runtime {

std::size_t StreamModel::firstStreamed() const {
  std::size_t input = 0;
  while (!stream.inputs[input].streams) ++input;
  return input;
}

Result<std::shared_ptr<const StreamModel>> readStreamModel(std::shared_ptr<const Bundle> bundle) {
  const manifest::Manifest& shown = bundle->variants.shown().manifest;
  if (bundle->stream.empty())
    return failure(ErrorCode::noStream,
                   joined({"`", shown.entry, "` has no streamed input: its type is ", shown.entryType}));
  if (bundle->variants.open) return inconsistent("a stream of an entry with open ranks");
  auto model = std::make_shared<StreamModel>();
  auto stream = manifest::readStream(bundle->stream, bundle->debug, 1);
  if (!stream) return tl::unexpected(std::move(stream.error()));
  model->bundle = std::move(bundle);
  model->stream = std::move(*stream);
  const manifest::Manifest& batch = model->batch().manifest;
  for (manifest::Manifest& program : model->stream.programs) {
    program.constants = batch.constants;
    program.producer = batch.producer, program.entry = batch.entry;
    if (auto checked = checkManifest(program, model->bundle->weights.size()); !checked)
      return tl::unexpected(std::move(checked.error()));
  }
  if (auto checked = checkStream(*model); !checked) return tl::unexpected(std::move(checked.error()));
  model->identity = 0xCBF29CE484222325;  // FNV-1a
  for (const std::byte byte : model->bundle->bytes.first(bundleHeaderBytes))
    model->identity = (model->identity ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3;
  return model;
}

}  // namespace axle::runtime
