// The C interface over Session. No exception leaves this file.
#include "runtime/axle_c.h"

#include <new>
#include <utility>

#include "runtime/bundle_format.h"
#include "runtime/out_of_memory.h"

using namespace axle;
using namespace axle::runtime;

static_assert(AXLE_MAX_RANK == maxRank);
static_assert(AXLE_BOOL == static_cast<int>(Elem::boolean) && AXLE_F16 == static_cast<int>(Elem::f16));

namespace axle::runtime::c {

// Indexed by ErrorKind.
constexpr axle_status statuses[] = {AXLE_ERROR_BUNDLE, AXLE_ERROR_USAGE, AXLE_ERROR_INPUT,
                                    AXLE_ERROR_GUARD,  AXLE_ERROR_RUN,   AXLE_ERROR_LIMIT};

axle_status failed(std::string& text, const RunError& error) AXLE_TRY {
  text = error.text();
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return statuses[static_cast<int>(error.kind())];
}
AXLE_WITHOUT_MEMORY((text.clear(), AXLE_ERROR_LIMIT))

axle_status failed(std::string& text, ErrorCode code, std::string message) {
  return failed(text, RunError{code, std::move(message), {}, {}});
}

Result<TensorView> viewOf(const std::string& what, int32_t elem, int32_t rank, const int64_t* dims, const void* data) {
  if (elem < AXLE_F16 || elem > AXLE_BOOL)
    return failure(ErrorCode::wrongInput, what + " is given an element type that does not exist");
  if (rank < 0 || rank > AXLE_MAX_RANK)
    return failure(ErrorCode::wrongInput, what + " is given rank " + std::to_string(rank));
  if (rank > 0 && dims == nullptr) return failure(ErrorCode::wrongInput, what + " is given a rank but no sizes");
  const auto shape = Shape::of({dims, static_cast<std::size_t>(rank)});
  if (!shape) return failure(ErrorCode::wrongInput, what + " is given a negative size");
  return constView(static_cast<Elem>(elem), *shape, data);
}

void describe(const TensorView& view, axle_tensor& tensor) {
  tensor = {static_cast<int32_t>(view.elem), view.shape.rank(), {}, view.data, view.bytes()};
  for (int axis = 0; axis < view.shape.rank(); ++axis) tensor.dims[axis] = view.shape[axis];
}

}  // namespace axle::runtime::c

namespace {

axle_status failed(axle_session* session, const RunError& error) { return c::failed(session->error, error); }

axle_status failed(axle_session* session, ErrorCode code, std::string message) {
  return c::failed(session->error, code, std::move(message));
}

axle_status finishLoad(axle_session* session, Result<Session> loaded) {
  if (!loaded) return failed(session, loaded.error());
  session->inputs.resize(loaded->inputs().size());
  session->session.emplace(std::move(*loaded));
  return AXLE_OK;
}

// Stores the session that load() returns as a Result<Session> in `out`.
template <class Load>
axle_status loadInto(axle_session** out, Load load) AXLE_TRY {
  if (out == nullptr) return AXLE_ERROR_USAGE;
  *out = new (std::nothrow) axle_session;
  return *out == nullptr ? AXLE_ERROR_LIMIT : finishLoad(*out, load());
}
AXLE_WITHOUT_MEMORY(AXLE_ERROR_LIMIT)

// Returns the axle_status of call(), which requires a loaded session.
template <class Call>
axle_status guarded(axle_session* session, Call call) AXLE_TRY {
  if (session == nullptr) return AXLE_ERROR_USAGE;
  if (!session->session) return failed(session, ErrorCode::notBound, "the session has no bundle: loading it failed");
  return call();
}
AXLE_WITHOUT_MEMORY(AXLE_ERROR_LIMIT)

std::span<const PortInfo> inputsOf(const axle_session* session) {
  return session != nullptr && session->session ? session->session->inputs() : std::span<const PortInfo>();
}
std::span<const PortInfo> outputsOf(const axle_session* session) {
  return session != nullptr && session->session ? session->session->outputs() : std::span<const PortInfo>();
}

axle_status bindInputs(axle_session* session) {
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < session->inputs.size(); ++i)
    if (session->inputs[i]) tensors.push_back({session->session->inputs()[i].name, *session->inputs[i]});
  auto bound = session->session->bind(tensors);
  session->bound = bound.has_value();
  return bound ? AXLE_OK : failed(session, bound.error());
}

}  // namespace

extern "C" {

uint32_t axle_bundle_version(void) { return bundleVersion; }

axle_status axle_load_file(const char* path, axle_session** session) {
  return loadInto(session, [path]() -> Result<Session> {
    if (path == nullptr) return failure(ErrorCode::cannotRead, "no path is given");
    return Session::fromFile(path);
  });
}

axle_status axle_load_memory(const void* bytes, size_t size, axle_session** session) {
  return loadInto(session, [bytes, size]() -> Result<Session> {
    if (bytes == nullptr) return failure(ErrorCode::cannotRead, "no bytes are given");
    return Session::fromMemory({static_cast<const std::byte*>(bytes), size}, nullptr);
  });
}

void axle_free(axle_session* session) { delete session; }

const char* axle_error(const axle_session* session) {
  return session == nullptr ? "not enough memory for a session" : session->error.c_str();
}

size_t axle_input_count(const axle_session* session) { return inputsOf(session).size(); }
size_t axle_output_count(const axle_session* session) { return outputsOf(session).size(); }

const char* axle_input_name(const axle_session* session, size_t index) {
  return index < axle_input_count(session) ? inputsOf(session)[index].name.c_str() : nullptr;
}
const char* axle_input_type(const axle_session* session, size_t index) {
  return index < axle_input_count(session) ? inputsOf(session)[index].type.c_str() : nullptr;
}
const char* axle_output_name(const axle_session* session, size_t index) {
  return index < axle_output_count(session) ? outputsOf(session)[index].name.c_str() : nullptr;
}
const char* axle_output_type(const axle_session* session, size_t index) {
  return index < axle_output_count(session) ? outputsOf(session)[index].type.c_str() : nullptr;
}

axle_status axle_set_input(axle_session* session, const char* name, int32_t elem, int32_t rank, const int64_t* dims,
                           const void* data) {
  return guarded(session, [=]() -> axle_status {
    const auto index = session->session->inputNamed(name == nullptr ? "" : name);
    if (!index)
      return failed(session, ErrorCode::unknownInput,
                    std::string("there is no input `") + (name == nullptr ? "" : name) + "`");
    const auto given = c::viewOf(std::string("input `") + name + "`", elem, rank, dims, data);
    if (!given) return failed(session, given.error());
    const TensorView& view = *given;
    std::optional<TensorView>& kept = session->inputs[*index];
    if (session->bound && kept && kept->elem == view.elem && kept->shape == view.shape) {
      if (auto set = session->session->setData(*index, data); !set) return failed(session, set.error());
    } else {
      session->bound = false;
    }
    kept = view;
    return AXLE_OK;
  });
}

axle_status axle_bind(axle_session* session) {
  return guarded(session, [=] { return bindInputs(session); });
}

axle_status axle_set_threads(axle_session* session, int threads) {
  return axle_set_threads_polling(session, threads, 0);
}

axle_status axle_set_threads_polling(axle_session* session, int threads, int microseconds) {
  return guarded(session, [=]() -> axle_status {
    const auto set = session->session->setThreads({threads, 0, microseconds});
    if (!set) return failed(session, set.error());
    session->bound = false;
    return AXLE_OK;
  });
}

axle_status axle_run(axle_session* session) {
  return guarded(session, [=]() -> axle_status {
    if (!session->bound)
      if (const axle_status status = bindInputs(session); status != AXLE_OK) return status;
    auto ran = session->session->run();
    return ran ? AXLE_OK : failed(session, ran.error());
  });
}

axle_status axle_get_output(axle_session* session, size_t index, axle_tensor* tensor) {
  return guarded(session, [=]() -> axle_status {
    if (tensor == nullptr || index >= session->session->outputs().size())
      return failed(session, ErrorCode::notBound, "there is no output " + std::to_string(index));
    if (!session->bound) return failed(session, ErrorCode::notBound, "the session's inputs are not bound");
    c::describe(session->session->output(index), *tensor);
    return AXLE_OK;
  });
}

}  // extern "C"
