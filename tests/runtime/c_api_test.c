/* Tests the C interface in C: this file is compiled as C99, and linked with only the runtime.
 * usage: runtime_c_api_test FOLDER, with doubling.axb, of  x : f32 [n, 2] -> f32 [n, 2]  that doubles x. */
#include "runtime/axle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what, const char* detail) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "FAILED: %s: %s\n", what, detail);
}

static void expect_text(const char* actual, const char* wanted) { expect(strcmp(actual, wanted) == 0, wanted, actual); }

static void run_once(axle_session* session, int64_t n) {
  float x[8] = {1, -2, 3, 4, 5, 6, 7, 8};
  int64_t dims[2];
  axle_tensor out;
  int64_t i;
  dims[0] = n;
  dims[1] = 2;
  expect(axle_set_input(session, "x", AXLE_F32, 2, dims, x) == AXLE_OK, "set_input", axle_error(session));
  expect(axle_run(session) == AXLE_OK, "run", axle_error(session));
  expect(axle_get_output(session, 0, &out) == AXLE_OK, "get_output", axle_error(session));
  expect(out.elem == AXLE_F32 && out.rank == 2 && out.dims[0] == n && out.dims[1] == 2, "the output's type", "differs");
  expect(out.bytes == (size_t)(n * 2) * sizeof(float), "the output's bytes", "differ");
  for (i = 0; i < n * 2; ++i) expect(((const float*)out.data)[i] == 2 * x[i], "an element", "differs");
}

static void test_session(const char* path) {
  axle_session* session = NULL;
  axle_tensor out;
  int64_t dims[2] = {2, 3};
  float x[6] = {0};
  expect(axle_load_file(path, &session) == AXLE_OK, "load", axle_error(session));
  expect(axle_input_count(session) == 1 && axle_output_count(session) == 1, "counts", "differ");
  expect_text(axle_input_name(session, 0), "x");
  expect_text(axle_input_type(session, 0), "f32 [n, 2]");
  expect_text(axle_output_name(session, 0), "out");
  expect_text(axle_output_type(session, 0), "f32 [n, 2]");
  expect(axle_input_name(session, 1) == NULL && axle_output_type(session, 9) == NULL, "names out of range",
         "are not NULL");
  expect_text(axle_error(session), "");

  expect(axle_run(session) == AXLE_ERROR_USAGE, "a run without input", "is no usage error");
  expect_text(axle_error(session), "error[E0801]: input `x` : f32 [n, 2] is missing");
  expect(axle_get_output(session, 0, &out) == AXLE_ERROR_USAGE, "an output before a run", "is no usage error");
  expect(axle_set_input(session, "y", AXLE_F32, 2, dims, x) == AXLE_ERROR_USAGE, "an unknown input",
         "is no usage error");
  expect_text(axle_error(session), "error[E0802]: there is no input `y`");
  expect(axle_set_input(session, "x", 99, 2, dims, x) == AXLE_ERROR_INPUT, "an unknown element type",
         "is no input error");
  expect(axle_set_input(session, "x", AXLE_F32, 17, dims, x) == AXLE_ERROR_INPUT, "rank 17", "is no input error");
  expect(axle_set_input(session, "x", AXLE_F32, 2, dims, x) == AXLE_OK, "set_input", axle_error(session));
  expect(axle_bind(session) == AXLE_ERROR_INPUT, "a wrong size", "is no input error");
  expect_text(axle_error(session), "error[E0803]: input `x` has type f32 [2, 3], expected f32 [n, 2]");
  dims[0] = -1;
  expect(axle_set_input(session, "x", AXLE_F32, 2, dims, x) == AXLE_ERROR_INPUT, "a negative size",
         "is no input error");

  run_once(session, 3);
  expect(axle_set_threads(session, 0) == AXLE_ERROR_USAGE, "no thread", "is no usage error");
  expect_text(axle_error(session), "error[E0812]: 0 threads: a session has 1 or more");
  expect(axle_set_threads(session, -1) == AXLE_ERROR_USAGE, "fewer than no threads", "is no usage error");
  expect(axle_set_threads(NULL, 1) == AXLE_ERROR_USAGE, "threads of no session", "is no usage error");
  expect(axle_set_threads_polling(session, 2, 50) == AXLE_OK, "threads that poll", axle_error(session));
  expect(axle_set_threads(session, 2) == AXLE_OK, "threads", axle_error(session));
  run_once(session, 3);
  run_once(session, 4);
  run_once(session, 0);
  expect(axle_get_output(session, 1, &out) == AXLE_ERROR_USAGE, "output 1", "is no usage error");
  axle_free(session);
}

static void test_memory(const char* path) {
  FILE* file = fopen(path, "rb");
  char* bytes = malloc(1 << 16);
  size_t size = file == NULL || bytes == NULL ? 0 : fread(bytes + 1, 1, (1 << 16) - 1, file);
  axle_session* session = NULL;
  expect(size > 0, "reading the bundle", path);
  expect(axle_load_memory(bytes + 1, size, &session) == AXLE_OK, "load from memory, not aligned", axle_error(session));
  run_once(session, 2);
  axle_free(session);
  expect(axle_load_memory(bytes + 1, size - 1, &session) == AXLE_ERROR_BUNDLE, "a short bundle", "is no bundle error");
  expect(strncmp(axle_error(session), "error[E0704]: ", 14) == 0, "E0704", axle_error(session));
  expect(axle_run(session) == AXLE_ERROR_USAGE && axle_input_count(session) == 0, "a session without bundle", "runs");
  axle_free(session);
  if (file != NULL) fclose(file);
  free(bytes);
}

int main(int count, char** arguments) {
  axle_session* session = NULL;
  char path[4096];
  if (count != 2) return 2;
  snprintf(path, sizeof path, "%s/doubling.axb", arguments[1]);
  test_session(path);
  test_memory(path);
  expect(axle_load_file("/no/such/file.axb", &session) == AXLE_ERROR_BUNDLE, "a missing file", "is no bundle error");
  expect(strncmp(axle_error(session), "error[E0701]: /no/such/file.axb: ", 33) == 0, "E0701", axle_error(session));
  axle_free(session);
  axle_free(NULL);
  expect(axle_run(NULL) == AXLE_ERROR_USAGE && axle_load_file("x", NULL) == AXLE_ERROR_USAGE, "NULL",
         "is no usage error");
  expect(axle_bundle_version() == 3, "the version", "is not 3");
  if (failures == 0) printf("the C interface does what it says\n");
  return failures == 0 ? 0 : 1;
}
