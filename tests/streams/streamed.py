"""What tests of `axrun stream` share: commands, tensors in files, and the comparison of chunks with a whole sequence."""
import json
import math
import struct
import subprocess
import sys

CHUNKS = ("1", "3", "1,4,2", "random:1", "random:2", "1000000", None)
ELEMENTS = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "|b1": "?", "|u1": "B", "|i1": "b"}


def expect(condition, what):
    if not condition:
        sys.exit(what)


def run(*words, status=0, stdin=None):
    """Standard output, or both outputs where failure is expected."""
    done = subprocess.run([str(word) for word in words], capture_output=True, input=stdin)
    text, errors = done.stdout.decode(), done.stderr.decode()
    expect(done.returncode == status, f"{' '.join(map(str, words))}\nexit {done.returncode}, not {status}\n{text}{errors}")
    return text + errors if status else text


def read(path):
    """The shape and the elements of a tensor."""
    data = path.read_bytes()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:end], {})
    letter = ELEMENTS[header["descr"]]
    return header["shape"], struct.unpack(f"<{(len(data) - end) // struct.calcsize(letter)}{letter}", data[end:])


def write(path, shape, values):
    """Writes an f32 tensor."""
    header = str({"descr": "<f4", "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}f", *values))


def frames_of(shape, values, axis, count):
    """The first `count` frames along an axis: their shape and elements."""
    inner = math.prod(shape[axis + 1:])
    row = shape[axis] * inner
    kept = [value for at in range(0, len(values), row) for value in values[at:at + count * inner]] if row else []
    return (*shape[:axis], count, *shape[axis + 1:]), kept


def difference(expected, got):
    """How two tensors differ; none if they are equal up to rounding."""
    if expected[0] != got[0]:
        return f"the shape is {got[0]}, not {expected[0]}"
    if any(abs(a - b) > 1e-5 + 1e-4 * abs(a) for a, b in zip(expected[1], got[1])):
        return "the values differ"
    return None


def output_in(folder):
    """The only tensor that was written to a folder, which is empty then."""
    [path] = folder.glob("*.npy")
    tensor = read(path)
    path.unlink()
    return tensor


def stated(what, axc, words, facts):
    """Checks what `--stream` states of a model with one output."""
    outputs = json.loads(run(axc, *words, "--stream", "--format=json"))["stream"]["outputs"]
    found = [(output["delay"], output["stride"]) for output in outputs]
    expect(found == [(facts["delay"], facts["stride"])], f"{what}: {found} is stated, not {facts}")


def check_chunks(what, axrun, bundle, values, expected, scratch, delay=None, chunks=CHUNKS):
    """Checks that any chunks give the output; chunks of 1 see the delay. Returns the bytes of state."""
    for chunk in chunks:
        words = [axrun, "stream", bundle, *values, "-o", scratch, "--format=json", *(["--chunk", chunk] if chunk else [])]
        seen = json.loads(run(*words))["stream"]
        wrong = difference(expected, output_in(scratch))
        expect(not wrong, f"{what} in chunks of {chunk}: {wrong}")
        expect(delay is None or chunk != "1" or seen["delay"] == delay, f"{what}: a delay of {seen['delay']} is seen, not {delay}")
    return seen["state_bytes"]
