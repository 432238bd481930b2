"""`axc` on many programs at once: a file with many bindings is checked in one process, and halved where that one dies."""
import json
import pathlib
import resource
import signal
import struct
import subprocess

SECONDS, BYTES = 20, 2 << 30  # of processor time, and of memory
WAITED = 30  # the wall-clock limit of a process, as a multiple of its limit of processor time


class Crash(Exception):
    """A process that died, hung, or said that it has a bug."""


class Compiler:
    def __init__(self, axc, folder, sanitized=False):
        self.axc, self.folder = pathlib.Path(axc).resolve(), pathlib.Path(folder)
        self.sanitized, self.errors, self.diagnostics = sanitized, [], []
        # The limits are set in this process, and children inherit them: setting them in each child would cost a fork of
        # this process.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, resource.RLIM_INFINITY))

    def call(self, *arguments):
        """Exit code, output and errors; throws `Crash`."""
        child = subprocess.Popen([self.axc, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                 close_fds=False, errors="replace")
        seconds = SECONDS * (10 if self.sanitized else 1)
        try:
            # Processor time, so that other work on the machine does not look like a hang.
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (seconds, seconds + 1))
        except ProcessLookupError:
            pass  # it has ended
        try:
            output, errors = child.communicate(timeout=WAITED * seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise Crash("hangs") from None
        if child.returncode == -signal.SIGXCPU:
            raise Crash("hangs")
        if child.returncode not in (0, 1, 3):
            raise Crash(f"exit {child.returncode} {errors[-300:].strip()}")
        return child.returncode, output, errors

    def check(self, text, *options):
        """The type of each binding that is right, by name; None where an entry is refused."""
        (self.folder / "many.ax").write_text(text)
        code, output, _ = self.call("check", "many.ax", "--format=json", *options)
        answer = json.loads(output)
        self.diagnostics = answer["diagnostics"]
        self.errors = [d["message"] for d in answer["diagnostics"] if d["severity"] == "error"]
        if options and code:
            return None
        return {binding["name"]: binding["type"] for binding in answer["bindings"]}

    def check_many(self, pieces):
        """Types of all bindings of the texts, and by index what the texts died of with which the compiler dies."""
        try:
            return self.check("".join(pieces)), {}
        except Crash as crash:
            if len(pieces) == 1:
                return {}, {0: str(crash)}
        half = len(pieces) // 2
        types, crashes = self.check_many(pieces[:half])
        more, later = self.check_many(pieces[half:])
        return {**types, **more}, {**crashes, **{i + half: crash for i, crash in later.items()}}

    def format(self, text):
        """The text as `axc fmt` lays it out; None where it changes it again."""
        file = self.folder / "laid_out.ax"
        file.write_text(text)
        self.call("fmt", file)
        once = file.read_text()
        self.call("fmt", file)
        return once if file.read_text() == once else None

    def run(self, text, inputs):
        """The outputs of `main` as (shape, values), or the errors of a run that is refused. `inputs`: name -> (shape, values)."""
        (self.folder / "run.ax").write_text(text)
        options = []
        for name, (shape, values) in inputs.items():
            write_npy(self.folder / f"{name}.npy", shape, values)
            options += ["-i", f"{name}={name}.npy"]
        code, output, errors = self.call("run", "run.ax", "--format=json", "-o", "out", "--allow-narrowing", *options)
        if code:
            return output + errors
        outputs = {}
        for name in json.loads(output)["outputs"]:
            outputs[name] = read_npy(self.folder / "out" / f"{name}.npy")
        return outputs


def write_npy(file, shape, values):
    header = repr({"descr": "<f4", "fortran_order": False, "shape": tuple(shape)})
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))


def read_npy(file):
    data = file.read_bytes()
    length, = struct.unpack("<H", data[8:10])
    header = data[10:10 + length].decode()
    shape = tuple(int(n) for n in header.split("'shape': (")[1].split(")")[0].replace(" ", "").split(",") if n)
    kind = {"<f4": "f", "<i8": "q", "<f8": "d", "<i4": "i", "|b1": "?"}[header.split("'descr': '")[1].split("'")[0]]
    count = (len(data) - 10 - length) // struct.calcsize(kind)
    return shape, list(struct.unpack(f"<{count}{kind}", data[10 + length:]))
