// Shared parts of the functions of the C interface.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/axle.h"
#include "runtime/session.h"

namespace axle::runtime {
struct StreamModel;
}

struct axle_session {
  std::optional<axle::runtime::Session> session;
  std::vector<std::optional<axle::runtime::TensorView>> inputs;
  bool bound = false;                                         // the session is bound to the shapes of `inputs`
  std::shared_ptr<const axle::runtime::StreamModel> streams;  // shared by its streams; null before the first is opened
  std::string error;
};

namespace axle::runtime::c {

// Returns the status of an error and stores its text in `text`.
axle_status failed(std::string& text, const RunError& error);
axle_status failed(std::string& text, ErrorCode code, std::string message);

// Returns the tensor that a caller describes; `what` names it in errors.
Result<TensorView> viewOf(const std::string& what, int32_t elem, int32_t rank, const int64_t* dims, const void* data);

void describe(const TensorView& view, axle_tensor& tensor);

}  // namespace axle::runtime::c
