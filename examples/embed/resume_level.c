/* Shows how loud samples of 16 bits on stdin are, and goes on where an earlier run stopped: resume_level BUNDLE STATE,
 * where STATE is a file that this program writes, and reads where it is there. `resume_level BUNDLE STATE end` ends the
 * sequence. Compiled as show_level.c is:
 *
 *   arecord -d 10 -t raw -f S16_LE -r 16000 | ./resume_level level.axb level.state
 *   arecord -d 10 -t raw -f S16_LE -r 16000 | ./resume_level level.axb level.state end
 */
#include <axle/axle.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 1600 }; /* samples in one push */

static int failed(axle_session* session, axle_stream* stream) {
  fprintf(stderr, "%s\n", stream != NULL ? axle_stream_error(stream) : axle_error(session));
  axle_stream_free(stream);
  axle_free(session);
  return 1;
}

/* Goes on from the state in a file, if it is there. */
static int restore(axle_stream* stream, const char* path) {
  FILE* file = fopen(path, "rb");
  void* state = NULL;
  long size = 0;
  int isRestored = 0;
  if (file == NULL) return 1;
  if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0)
    state = malloc((size_t)size);
  if (state != NULL && fread(state, 1, (size_t)size, file) == (size_t)size)
    isRestored = axle_stream_restore(stream, state, (size_t)size) == AXLE_OK;
  else
    perror(path);
  fclose(file);
  free(state);
  return isRestored;
}

/* The number of bytes grows as frames come, up to a bound. */
static int save(axle_stream* stream, const char* path) {
  FILE* file = NULL;
  void* state = NULL;
  size_t size = 0, written = 0;
  if (axle_stream_save(stream, NULL, 0, &size) != AXLE_OK) return 0;
  state = malloc(size);
  if (state != NULL && axle_stream_save(stream, state, size, &size) == AXLE_OK) file = fopen(path, "wb");
  if (file != NULL) {
    written = fwrite(state, 1, size, file);
    if (fclose(file) != 0) written = 0;
  }
  if (written != size) perror(path);
  free(state);
  return written == size;
}

static void show(axle_stream* stream) {
  axle_tensor levels;
  int64_t i;
  if (axle_stream_pull(stream, 0, &levels) != AXLE_OK) return;
  for (i = 0; i < levels.dims[0]; ++i) printf("%.4f\n", (double)((const float*)levels.data)[i]);
  fflush(stdout);
}

int main(int argc, char** argv) {
  axle_session* session = NULL;
  axle_stream* stream = NULL;
  static unsigned char bytes[2 * most];
  static float samples[most];
  size_t got, i;

  if (argc != 3 && argc != 4) return 2;
  if (axle_load_file(argv[1], &session) != AXLE_OK) return failed(session, NULL);
  if (axle_stream_open(session, most, &stream) != AXLE_OK) return failed(session, stream);
  axle_free(session); /* the stream goes on without it */
  session = NULL;
  if (!restore(stream, argv[2])) return failed(session, stream);

  while ((got = fread(bytes, 2, most, stdin)) > 0) {
    const int64_t dims[1] = {(int64_t)got};
    for (i = 0; i < got; ++i) samples[i] = (float)(int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8) / 32768;
    if (axle_stream_push(stream, 0, AXLE_F32, 1, dims, samples) != AXLE_OK) return failed(session, stream);
    show(stream);
  }
  if (argc == 3) {
    if (!save(stream, argv[2])) return failed(session, stream);
  } else {
    if (axle_stream_flush(stream) != AXLE_OK) return failed(session, stream);
    show(stream);
    remove(argv[2]);
  }
  axle_stream_free(stream);
  return 0;
}
