/* Reads one digit with the runtime as a C library: read_digit BUNDLE, where `axc build examples/digits/digits.ax` made
 * BUNDLE. After `cmake --install build/release --prefix DIR`, and with DIR/lib/pkgconfig in PKG_CONFIG_PATH:
 *
 *   cc read_digit.c $(pkg-config --cflags --libs axle) -o read_digit
 */
#include <axle/axle.h>
#include <stdio.h>
#include <string.h>

static const char* const drawing[8] = {
    " .==+#= ", " .@@@%+ ", " :@.    ", " -@@%.  ", " -*=%-  ", "    #=  ", "  %#@.  ", "  *@+   ",
};

static int failed(axle_session* session) {
  fprintf(stderr, "%s\n", axle_error(session));
  axle_free(session);
  return 1;
}

int main(int argc, char** argv) {
  static const char levels[] = " .:-=+*#%@"; /* from 0 to 1 */
  static const int64_t dims[4] = {1, 8, 8, 1};
  float pixels[64];
  axle_session* session = NULL;
  axle_tensor out;
  const float* probabilities;
  int i, best = 0;

  for (i = 0; i < 64; ++i) pixels[i] = (float)(strchr(levels, drawing[i / 8][i % 8]) - levels) / 9;
  if (argc != 2) return 2;
  if (axle_load_file(argv[1], &session) != AXLE_OK) return failed(session);
  if (axle_set_input(session, "images", AXLE_F32, 4, dims, pixels) != AXLE_OK) return failed(session);
  if (axle_run(session) != AXLE_OK || axle_get_output(session, 0, &out) != AXLE_OK) return failed(session);

  probabilities = out.data;
  for (i = 0; i < 10; ++i) {
    if (probabilities[i] > probabilities[best]) best = i;
  }
  for (i = 0; i < 8; ++i) printf("%s\n", drawing[i]);
  printf("reads as %d, probability %.3f\n", best, (double)probabilities[best]);
  axle_free(session);
  return 0;
}
