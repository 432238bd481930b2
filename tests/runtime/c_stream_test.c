/* Tests streams through the C interface, in C.
 * usage: runtime_c_stream_test FOLDER, with bundles of stream_maker.h: neighbours.axb, where out[t] of x : f32 [~T, 2]
 * is x[t - 1] + x[t] + x[t + 1], refused where T is 1; everything.axb, of x : f32 [2, ~T, 3], fast : f32 [2, ~(2*T), 3]
 * and bias : f32 [3]; and doubling.axb, which has no stream. */
#include "runtime/axle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what, const char* detail) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "FAILED: %s: %s\n", what, detail);
}

static void expect_error(axle_stream* stream, axle_status status, axle_status wanted, const char* text) {
  expect(status == wanted, "the status of", text);
  expect(strcmp(axle_stream_error(stream), text) == 0, text, axle_stream_error(stream));
}

static axle_session* load(const char* folder, const char* name) {
  char path[4096];
  axle_session* session = NULL;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  expect(axle_load_file(path, &session) == AXLE_OK, "load", axle_error(session));
  return session;
}

/* A stream of at most four frames in one push. */
static axle_stream* open_stream(axle_session* session) {
  axle_stream* stream = NULL;
  const axle_status status = axle_stream_open(session, 4, &stream);
  expect(status == AXLE_OK, "open", axle_stream_error(stream));
  return stream;
}

static axle_status push(axle_stream* stream, int64_t frames, const float* x) {
  int64_t dims[2];
  dims[0] = frames;
  dims[1] = 2;
  return axle_stream_push(stream, 0, AXLE_F32, 2, dims, x);
}

/* Appends the new frames of output 0 to `out`, from frame `made` on. Returns the number of frames so far. */
static int64_t pull(axle_stream* stream, float* out, int64_t made) {
  axle_tensor frames;
  expect(axle_stream_pull(stream, 0, &frames) == AXLE_OK, "pull", axle_stream_error(stream));
  if (frames.bytes > 0) memcpy(out + made * 2, frames.data, frames.bytes);
  return made + frames.dims[0];
}

static const float signal[14] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
static const float summed[14] = {4, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 24, 26};

/* Pushes the seven frames of the signal from frame `from` on, in chunks, to a stream that has made `made` frames. */
static void finish(axle_stream* stream, int64_t chunk, int64_t from, float* out, int64_t made) {
  int i;
  for (; from < 7; from += chunk) {
    expect(push(stream, from + chunk > 7 ? 7 - from : chunk, signal + 2 * from) == AXLE_OK, "push",
           axle_stream_error(stream));
    made = pull(stream, out, made);
  }
  expect(axle_stream_flush(stream) == AXLE_OK, "flush", axle_stream_error(stream));
  made = pull(stream, out, made);
  expect(made == 7, "the number of frames", "differs");
  for (i = 0; i < 14 && made == 7; ++i) expect(out[i] == summed[i], "an element", "differs");
}

static void test_stream(const char* folder) {
  axle_session* session = load(folder, "neighbours.axb");
  axle_stream *stream = NULL, *copy = NULL;
  axle_stream_port port;
  float out[14] = {0};
  int64_t made, chunk;
  stream = open_stream(session);
  axle_free(session); /* the stream continues */
  expect(axle_stream_input(stream, 0, &port) == AXLE_OK && port.axis == 0 && port.frames == 1 && port.stride == 1,
         "how the input streams", "differs");
  expect(axle_stream_state_bytes(stream) == 16 && axle_stream_arena_bytes(stream) > 0, "the state",
         "is not two frames");
  for (chunk = 1; chunk <= 4; ++chunk) {
    finish(stream, chunk, 0, out, 0);
    expect(axle_stream_output(stream, 0, &port) == AXLE_OK && port.axis == 0 && port.delay == 1 && port.done == 7,
           "how the output streams", "differs");
    expect(axle_stream_reset(stream) == AXLE_OK, "reset", axle_stream_error(stream));
  }
  /* A sequence without frames is valid; one that a run refuses is refused. */
  expect(axle_stream_flush(stream) == AXLE_OK && pull(stream, out, 0) == 0, "a sequence of no frames", "differs");
  expect(axle_stream_reset(stream) == AXLE_OK && push(stream, 1, signal) == AXLE_OK, "push", axle_stream_error(stream));
  expect(axle_stream_flush(stream) == AXLE_ERROR_GUARD, "a sequence of one frame", "is no guard error");
  /* A stream and its clone are independent. */
  expect(axle_stream_reset(stream) == AXLE_OK && push(stream, 3, signal) == AXLE_OK, "push", axle_stream_error(stream));
  made = pull(stream, out, 0);
  expect(axle_stream_clone(stream, &copy) == AXLE_OK, "clone", axle_stream_error(copy));
  finish(stream, 2, 3, out, made);
  finish(copy, 1, 3, out, made);
  axle_stream_free(stream);
  axle_stream_free(copy);
}

static void test_saved(const char* folder) {
  axle_session *session = load(folder, "neighbours.axb"), *other = load(folder, "everything.axb");
  axle_stream *stream = NULL, *fresh = NULL, *another = NULL;
  char state[4096];
  float out[14] = {0};
  float bias[3] = {0};
  int64_t dims[1] = {3}, made;
  size_t size = 0;
  stream = open_stream(session);
  fresh = open_stream(session);
  expect(push(stream, 3, signal) == AXLE_OK, "push", axle_stream_error(stream));
  made = pull(stream, out, 0);
  expect(axle_stream_save(stream, NULL, 0, &size) == AXLE_OK && size > 0 && size < sizeof state, "save",
         axle_stream_error(stream));
  expect(axle_stream_save(stream, state, size - 1, &size) == AXLE_ERROR_USAGE, "too little room", "is no usage error");
  expect(axle_stream_save(stream, state, sizeof state, &size) == AXLE_OK, "save", axle_stream_error(stream));
  expect(axle_stream_restore(fresh, state, size) == AXLE_OK, "restore", axle_stream_error(fresh));
  expect_error(fresh, axle_stream_restore(fresh, state, size - 1), AXLE_ERROR_INPUT,
               "error[E0815]: the saved state is damaged");
  expect(axle_stream_restore(fresh, NULL, 9) == AXLE_ERROR_INPUT, "a state of no bytes", "is no input error");
  ++state[4];
  expect_error(fresh, axle_stream_restore(fresh, state, size), AXLE_ERROR_INPUT,
               "error[E0815]: the saved state is none, or is of another version");
  --state[4];
  expect(axle_set_input(other, "bias", AXLE_F32, 1, dims, bias) == AXLE_OK, "set_input", axle_error(other));
  another = open_stream(other);
  expect_error(another, axle_stream_restore(another, state, size), AXLE_ERROR_INPUT,
               "error[E0815]: the saved state is of another bundle");
  finish(fresh, 4, 3, out, made);
  axle_stream_free(stream);
  axle_stream_free(fresh);
  axle_stream_free(another);
  axle_free(session);
  axle_free(other);
}

static void test_wrong_pushes(const char* folder) {
  axle_session* session = load(folder, "neighbours.axb");
  axle_stream* stream = NULL;
  axle_tensor frames;
  float out[14] = {0};
  float nan[4];
  int64_t dims[2] = {1, 2}, made;
  expect(axle_stream_open(session, 0, &stream) == AXLE_ERROR_INPUT, "pushes of no frames", "are no error");
  expect(push(stream, 1, signal) == AXLE_ERROR_USAGE && axle_stream_state_bytes(stream) == 0,
         "a stream that is not open", "takes frames");
  axle_stream_free(stream);
  stream = open_stream(session);
  expect_error(stream, push(stream, 5, signal), AXLE_ERROR_INPUT,
               "error[E0814]: 5 frames of input `x` in one push: the stream was opened for at most 4");
  expect_error(
      stream, axle_stream_push(stream, 0, AXLE_I16, 2, dims, signal), AXLE_ERROR_INPUT,
      "error[E0803]: frames of input `x` have type i16 [1, 2], and the stream was opened for f32 [~, 2], frames "
      "along axis 0");
  expect(axle_stream_push(stream, 0, AXLE_F32, 1, dims, signal) == AXLE_ERROR_INPUT, "frames of another rank",
         "are taken");
  expect(axle_stream_push(stream, 0, 99, 2, dims, signal) == AXLE_ERROR_INPUT, "an unknown type", "is taken");
  expect(axle_stream_push(stream, 0, AXLE_F32, 2, NULL, signal) == AXLE_ERROR_INPUT, "no sizes", "are taken");
  expect(axle_stream_push(stream, 0, AXLE_F32, 2, dims, NULL) == AXLE_ERROR_USAGE, "no elements", "are taken");
  expect(push(stream, -1, signal) == AXLE_ERROR_INPUT, "a negative number of frames", "is taken");
  expect_error(stream, axle_stream_push(stream, 0, AXLE_F32, 2, NULL, signal), AXLE_ERROR_INPUT,
               "error[E0803]: a push is given a rank but no sizes");
  expect(axle_stream_push(stream, 1, AXLE_F32, 2, dims, signal) == AXLE_ERROR_USAGE, "input 1", "exists");
  expect(axle_stream_pull(stream, 1, &frames) == AXLE_ERROR_USAGE, "output 1", "exists");
  expect(push(stream, 0, NULL) == AXLE_OK, "a push of no frames", axle_stream_error(stream));
  finish(stream, 3, 0, out, 0); /* none of these changed anything */
  expect_error(stream, push(stream, 1, signal), AXLE_ERROR_USAGE, "error[E0810]: the stream has ended: reset it first");
  expect(axle_stream_flush(stream) == AXLE_ERROR_USAGE, "a second flush", "is no usage error");
  /* NaN is only in the results that depend on it. */
  expect(axle_stream_reset(stream) == AXLE_OK, "reset", axle_stream_error(stream));
  nan[0] = (float)NAN;
  nan[1] = nan[2] = nan[3] = 1;
  made = 0;
  expect(push(stream, 2, nan) == AXLE_OK && push(stream, 2, signal) == AXLE_OK, "push", axle_stream_error(stream));
  made = pull(stream, out, made);
  expect(made == 3 && out[0] != out[0] && out[2] != out[2] && out[4] == 5 && out[1] == 2, "what is not a number",
         "strays");
  /* Outputs that are not pulled. */
  expect(axle_stream_reset(stream) == AXLE_OK, "reset", axle_stream_error(stream));
  for (made = 0; made < 100 && push(stream, 4, signal) == AXLE_OK; ++made) {
  }
  expect(made > 0 && made < 100 && strstr(axle_stream_error(stream), "frames of output `out` were not pulled") != NULL,
         "outputs that are not pulled", axle_stream_error(stream));
  axle_stream_free(stream);
  axle_free(session);
}

static void test_several_inputs(const char* folder) {
  axle_session* session = load(folder, "everything.axb");
  axle_stream* stream = NULL;
  float x[96] = {0};
  int64_t bias[1] = {3}, dims[3] = {2, 4, 3};
  expect(axle_stream_open(session, 1, NULL) == AXLE_ERROR_USAGE, "no place for the stream", "is no usage error");
  expect(axle_stream_open(session, 4, &stream) == AXLE_ERROR_USAGE, "a stream without its inputs", "opens");
  expect(strstr(axle_stream_error(stream), "input `bias` : f32 [3] is missing") != NULL, "what is missing",
         axle_stream_error(stream));
  axle_stream_free(stream);
  expect(axle_set_input(session, "bias", AXLE_F32, 1, bias, x) == AXLE_OK, "set_input", axle_error(session));
  stream = open_stream(session);
  expect(axle_stream_push(stream, 2, AXLE_F32, 1, bias, x) == AXLE_ERROR_USAGE, "an input that does not stream",
         "is pushed");
  expect(strstr(axle_stream_error(stream), "does not stream") != NULL, "its error", axle_stream_error(stream));
  expect(axle_stream_push(stream, 0, AXLE_F32, 3, dims, x) == AXLE_OK, "one push ahead", axle_stream_error(stream));
  expect(axle_stream_push(stream, 0, AXLE_F32, 3, dims, x) == AXLE_ERROR_INPUT, "two pushes ahead", "are taken");
  expect(strstr(axle_stream_error(stream), "input `fast` starves: it has 0 frames") != NULL, "which one starves",
         axle_stream_error(stream));
  expect(axle_stream_flush(stream) == AXLE_ERROR_INPUT, "inputs of which one ends early", "are no error");
  axle_stream_free(stream);
  axle_free(session);
}

static void test_without_stream(const char* folder) {
  axle_session *session = load(folder, "doubling.axb"), *none = NULL;
  axle_stream *stream = NULL, *copy = NULL;
  axle_stream_port port;
  size_t size;
  expect(axle_stream_open(session, 1, &stream) == AXLE_ERROR_USAGE, "a bundle without a stream", "opens");
  expect(strncmp(axle_stream_error(stream), "error[E0813]: ", 14) == 0, "E0813", axle_stream_error(stream));
  expect(axle_stream_clone(stream, &copy) == AXLE_ERROR_USAGE && axle_stream_error(copy)[0] != 0, "its clone", "opens");
  expect(axle_stream_input(stream, 0, &port) == AXLE_ERROR_USAGE &&
             axle_stream_save(stream, NULL, 0, &size) == AXLE_ERROR_USAGE,
         "a stream that is not open", "answers");
  axle_stream_free(stream);
  axle_stream_free(copy);
  axle_free(session);
  axle_load_file("/no/such/file.axb", &none);
  expect(axle_stream_open(none, 1, &stream) == AXLE_ERROR_USAGE, "a session without bundle", "opens");
  axle_stream_free(stream);
  axle_free(none);
  axle_stream_free(NULL);
  expect(axle_stream_flush(NULL) == AXLE_ERROR_USAGE && axle_stream_reset(NULL) == AXLE_ERROR_USAGE &&
             axle_stream_state_bytes(NULL) == 0,
         "NULL", "is no usage error");
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  test_stream(arguments[1]);
  test_saved(arguments[1]);
  test_wrong_pushes(arguments[1]);
  test_several_inputs(arguments[1]);
  test_without_stream(arguments[1]);
  if (failures == 0) printf("streams of the C interface do what they say\n");
  return failures == 0 ? 0 : 1;
}
