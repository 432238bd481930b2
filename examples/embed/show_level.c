/* Shows how loud samples of 16 bits on stdin are, while they arrive: show_level BUNDLE, where `axc build level.ax -o
 * level.axb` made BUNDLE. After `cmake --install build/release --prefix DIR`, and with DIR/lib/pkgconfig in
 * PKG_CONFIG_PATH:
 *
 *   cc show_level.c $(pkg-config --cflags --libs axle) -o show_level
 *   arecord -t raw -f S16_LE -r 16000 | ./show_level level.axb
 */
#include <axle/axle.h>
#include <stdint.h>
#include <stdio.h>

enum { most = 1600 }; /* samples in one push */

static int failed(axle_session* session, axle_stream* stream) {
  fprintf(stderr, "%s\n", stream != NULL ? axle_stream_error(stream) : axle_error(session));
  axle_stream_free(stream);
  axle_free(session);
  return 1;
}

/* A bar for each new frame of the output. */
static void show(axle_stream* stream) {
  static const char bar[] = "########################################";
  axle_tensor levels;
  int64_t i;
  if (axle_stream_pull(stream, 0, &levels) != AXLE_OK) return;
  for (i = 0; i < levels.dims[0]; ++i) {
    const float level = ((const float*)levels.data)[i];
    printf("%.4f %.*s\n", (double)level, (int)(level * 40), bar);
  }
  fflush(stdout);
}

int main(int argc, char** argv) {
  axle_session* session = NULL;
  axle_stream* stream = NULL;
  axle_stream_port output;
  static unsigned char bytes[2 * most];
  static float samples[most];
  size_t got, i;

  if (argc != 2) return 2;
  if (axle_load_file(argv[1], &session) != AXLE_OK) return failed(session, NULL);
  if (axle_stream_open(session, most, &stream) != AXLE_OK) return failed(session, stream);
  axle_free(session); /* the stream goes on without it */
  session = NULL;
  if (axle_stream_output(stream, 0, &output) != AXLE_OK) return failed(session, stream);
  printf("%d levels for %d samples, known %d samples after their first\n", (int)output.frames, (int)output.stride,
         (int)output.delay);

  while ((got = fread(bytes, 2, most, stdin)) > 0) {
    const int64_t dims[1] = {(int64_t)got};
    for (i = 0; i < got; ++i) samples[i] = (float)(int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8) / 32768;
    if (axle_stream_push(stream, 0, AXLE_F32, 1, dims, samples) != AXLE_OK) return failed(session, stream);
    show(stream);
  }
  if (axle_stream_flush(stream) != AXLE_OK) return failed(session, stream);
  show(stream);
  axle_stream_free(stream);
  return 0;
}
