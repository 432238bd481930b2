/* Axle's C interface: load a bundle, give it inputs, run it, read its outputs. The stable surface of the runtime; C99.
 *
 *   axle_session* session = NULL;
 *   if (axle_load_file("digits.axb", &session) != AXLE_OK) { fprintf(stderr, "%s\n", axle_error(session)); ... }
 *   int64_t dims[4] = {1, 8, 8, 1};
 *   axle_set_input(session, "images", AXLE_F32, 4, dims, pixels);
 *   axle_run(session);
 *   axle_tensor scores;
 *   axle_get_output(session, 0, &scores);
 *   axle_free(session);
 *
 * Every function that can fail returns a status. A load returns a session even if it fails, so that the text of the
 * error can be read; this session must be freed too. It is NULL only if there was no memory for it; all functions
 * accept a NULL session and treat it as one that failed to load. A session is used by one thread at a time. Strings and
 * tensors belong to the session.
 */
#ifndef AXLE_H
#define AXLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct axle_session axle_session;
typedef struct axle_stream axle_stream;

/* Element types; the numbers are stable. */
typedef enum {
  AXLE_F16 = 0,
  AXLE_BF16 = 1,
  AXLE_F32 = 2,
  AXLE_F64 = 3,
  AXLE_I8 = 4,
  AXLE_I16 = 5,
  AXLE_I32 = 6,
  AXLE_I64 = 7,
  AXLE_U8 = 8,
  AXLE_U16 = 9,
  AXLE_U32 = 10,
  AXLE_U64 = 11,
  AXLE_BOOL = 12
} axle_elem;

typedef enum {
  AXLE_OK = 0,
  AXLE_ERROR_BUNDLE = 1, /* the file is not a bundle, is damaged or contradicts itself */
  AXLE_ERROR_USAGE = 2,  /* an input or output is missing or unknown, or a call comes too early */
  AXLE_ERROR_INPUT = 3,  /* an input of the wrong rank, size or element type */
  AXLE_ERROR_GUARD = 4,  /* a fact about sizes does not hold */
  AXLE_ERROR_RUN = 5,    /* an integer division by zero, an index out of range */
  AXLE_ERROR_LIMIT = 6   /* not enough memory */
} axle_status;

/* The largest rank of a tensor. */
#define AXLE_MAX_RANK 16

/* Dense, row-major, the last dimension fastest. */
typedef struct {
  int32_t elem; /* an axle_elem */
  int32_t rank;
  int64_t dims[AXLE_MAX_RANK];
  const void* data; /* may be NULL where a dimension is 0 */
  size_t bytes;
} axle_tensor;

/* The version of the bundles that this library reads. */
uint32_t axle_bundle_version(void);

/* Maps the file; its weights are used in place, so it must not change while the session lives. */
axle_status axle_load_file(const char* path, axle_session** session);

/* `bytes` must stay unchanged while the session lives. They are copied if they do not begin at a multiple of 64. */
axle_status axle_load_memory(const void* bytes, size_t size, axle_session** session);

void axle_free(axle_session* session);

/* The last error of this session: its code and message, then lines with places and notes. Empty if there was none. */
const char* axle_error(const axle_session* session);

/* Names and types of the model (`frames`, `f32 [n, 40]`). NULL for an index out of range. */
size_t axle_input_count(const axle_session* session);
size_t axle_output_count(const axle_session* session);
const char* axle_input_name(const axle_session* session, size_t index);
const char* axle_input_type(const axle_session* session, size_t index);
const char* axle_output_name(const axle_session* session, size_t index);
const char* axle_output_type(const axle_session* session, size_t index);

/* Sets the address of an input's elements. `axle_run` reads them in place: they must stay valid until then, aligned for
 * their type. `elem` is an axle_elem, `dims` has `rank` entries. An unknown name and an impossible shape are errors
 * here; `axle_bind` checks the shape against the model and the other inputs. */
axle_status axle_set_input(axle_session* session, const char* name, int32_t elem, int32_t rank, const int64_t* dims,
                           const void* data);

/* Checks the inputs against the model and each other, and plans memory. Needed only to see errors and output shapes
 * before a run: `axle_run` binds by itself when a shape has changed. */
axle_status axle_bind(axle_session* session);

/* Sets the most threads of a run, including the calling one. Without this call it is the number that the bundle was
 * planned for, or 1. A run never has more threads than the process may use processors. The outputs have the same bits
 * for any number. Less than 1 is an error, and so is more than 1 in a program that is linked without threads. The
 * threads start with the next bind, which plans memory for them, and end with the session. */
axle_status axle_set_threads(axle_session* session, int threads);

/* The same, and sets how long threads poll for the next run before they sleep: 0 at first, at most 100000. Polling
 * takes processor time, but saves the microseconds that the system needs to wake them. */
axle_status axle_set_threads_polling(axle_session* session, int threads, int microseconds);

/* Computes the outputs. Allocates nothing when the shapes are those of the last run. */
axle_status axle_run(axle_session* session);

/* After a bind: the type and shape of an output. After a run also its elements, valid until the next run, bind or free.
 */
axle_status axle_get_output(axle_session* session, size_t index, axle_tensor* tensor);

/* ---- streams: a model with streamed inputs (`~T`) on a sequence that arrives frame by frame
 *
 *   axle_stream* stream = NULL;
 *   if (axle_stream_open(session, 16, &stream) != AXLE_OK) { fprintf(stderr, "%s\n", axle_stream_error(stream)); ... }
 *   while (...) {
 *     axle_stream_push(stream, 0, AXLE_F32, 2, dims, samples);
 *     axle_stream_pull(stream, 0, &words);
 *   }
 *   axle_stream_flush(stream);
 *   axle_stream_pull(stream, 0, &words);
 *   axle_stream_free(stream);
 *
 * Whatever the number of frames in each push, the frames that are pulled from an output together are that output of a
 * run on the whole sequence. Inputs and outputs have the session's indices.
 *
 * A session has any number of streams. They share its weights, and outlive it; the bytes that it was loaded from must
 * stay. A stream is used by one thread at a time, different streams by different threads at the same time. Opening one
 * uses the session, and cloning one uses the stream that is cloned. A stream computes in the thread that calls.
 *
 * All functions accept a NULL stream and treat it as one that failed to open. */

/* Opens a stream. Inputs that do not stream must have been set, and are copied. An input that streams must be set only
 * if it has open sizes besides that along the stream; that size and its elements are ignored. One push has at most
 * `max_frames` frames of the first streamed input, and as many of another one as correspond to these. All memory is
 * allocated here. Like a load, this sets a stream even if it fails, which must be freed; NULL only if there was no
 * memory for it. */
axle_status axle_stream_open(axle_session* session, int64_t max_frames, axle_stream** stream);

void axle_stream_free(axle_stream* stream);

/* The last error of this stream, as axle_error(). */
const char* axle_stream_error(const axle_stream* stream);

/* How an input or output streams. */
typedef struct {
  int32_t axis; /* along which its frames come; -1: an input that does not stream */
  /* In the long run `frames` frames for `stride` ones of the first streamed input. */
  uint64_t frames, stride;
  /* Of an output, in frames of the first streamed input: how much later than its own first input frame one of its
   * frames is known, at most. */
  uint64_t delay;
  uint64_t done; /* frames that were pushed, or computed, since the sequence began */
} axle_stream_port;
axle_status axle_stream_input(axle_stream* stream, size_t input, axle_stream_port* port);
axle_status axle_stream_output(axle_stream* stream, size_t output, axle_stream_port* port);

/* The memory that must be kept between pushes, and all other memory. Both are fixed when the stream is opened. */
size_t axle_stream_state_bytes(const axle_stream* stream);
size_t axle_stream_arena_bytes(const axle_stream* stream);

/* Takes frames of an input, and computes the frames that they decide. The elements are copied. Allocates nothing,
 * locks nothing and makes no system call, unless it fails. A push that is refused because of its frames, or because
 * outputs were not pulled, changes nothing. Several streamed inputs are pushed separately; one may be ahead of another
 * by the frames of one push, and the error names the one that starves. */
axle_status axle_stream_push(axle_stream* stream, size_t input, int32_t elem, int32_t rank, const int64_t* dims,
                             const void* data);

/* The frames of an output that were computed since it was pulled, perhaps none. Their elements are valid until the next
 * call that changes the stream. */
axle_status axle_stream_pull(axle_stream* stream, size_t output, axle_tensor* frames);

/* Ends the sequence, and computes the last frames. A sequence that a run on the whole of it refuses is an error here.
 * Afterwards only a reset, or a restore, lets frames in. */
axle_status axle_stream_flush(axle_stream* stream);

/* Begins a new sequence. */
axle_status axle_stream_reset(axle_stream* stream);

/* Saves everything that later frames depend on, except inputs that do not stream: a stream of the same bundle whose
 * inputs have the same sizes can continue from there. Sets `size` to the number of bytes, and writes them if `capacity`
 * is enough; if not, that is an error unless `bytes` is NULL. */
axle_status axle_stream_save(axle_stream* stream, void* bytes, size_t capacity, size_t* size);

/* Restores a saved state. Bytes that are damaged, or of another bundle, version or sizes, are an error; then the stream
 * is as before. */
axle_status axle_stream_restore(axle_stream* stream, const void* bytes, size_t size);

/* Makes an independent stream in the same state. Sets a stream even if it fails, like axle_stream_open(). */
axle_status axle_stream_clone(axle_stream* stream, axle_stream** copy);

#ifdef __cplusplus
}
#endif

#endif
