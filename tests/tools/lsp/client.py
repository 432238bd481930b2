"""A client of the language server that speaks its protocol over a pipe."""
import json
import os
import pathlib
import select
import subprocess
import time

LIMIT_S = 60


class Failed(Exception):
    pass


class Client:
    def __init__(self, axc, folder, encodings=None, initialize=True, **environment):
        self.folder = pathlib.Path(folder)
        self.errors = (self.folder / "stderr").open("wb+")
        self.server = subprocess.Popen([str(axc), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=self.errors, cwd=folder,
                                       env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), **environment})
        self.buffer, self.next, self.notified = b"", 0, []
        self.versions = {}
        if initialize:
            general = {"general": {"positionEncodings": encodings}} if encodings else {}
            self.capabilities = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": general})
            self.notify("initialized", {})

    def raw(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read(self):
        """The next message of the server."""
        end = time.monotonic() + LIMIT_S
        while True:
            head = self.buffer.find(b"\r\n\r\n")
            if head >= 0:
                length = int(self.buffer[:head].split(b":")[1])
                if len(self.buffer) >= head + 4 + length:
                    body = self.buffer[head + 4:head + 4 + length]
                    self.buffer = self.buffer[head + 4 + length:]
                    return json.loads(body)
            if not select.select([self.server.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise Failed("the server is silent")
            got = os.read(self.server.stdout.fileno(), 1 << 16)
            if not got:
                self.errors.seek(0)
                raise Failed(f"the server is gone: exit {self.server.wait()}: {self.errors.read().decode()}")
            self.buffer += got

    def answer(self, method, params):
        self.next += 1
        self.send({"id": self.next, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.next and "method" not in message:
                return message
            self.notified.append(message)

    def request(self, method, params):
        answer = self.answer(method, params)
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']}")
        return answer["result"]

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def uri(self, name):
        return (self.folder / name).as_uri()

    def open(self, name, text):
        self.versions[name] = 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri(name), "languageId": "axle", "version": 1, "text": text}})

    def change(self, name, *changes):
        """Each a whole text, or ((line, character), (line, character), text)."""
        self.versions[name] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri(name), "version": self.versions[name]},
            "contentChanges": [{"text": c} if isinstance(c, str) else {"range": span(*c[:2]), "text": c[2]}
                               for c in changes]})

    def diagnostics(self, name):
        """The errors, warnings and notes that the server published for the last version; `hints` has the rest of them."""
        while True:
            for message in self.notified:
                params = message.get("params", {})
                if message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == self.uri(name) and \
                        params.get("version") == self.versions[name]:
                    self.notified.remove(message)
                    self.hints = [d for d in params["diagnostics"] if d["severity"] == 4]
                    return [d for d in params["diagnostics"] if d["severity"] < 4]
            self.notified.append(self.read())

    def at(self, method, name, line, character, **more):
        return self.request("textDocument/" + method, {
            "textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": character}, **more})

    def close(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        code = self.server.wait(LIMIT_S)
        self.errors.seek(0)
        said = self.errors.read().decode()
        if code or said:
            raise Failed(f"the server exits {code} and says {said!r}")


def span(begin, end):
    return {"start": {"line": begin[0], "character": begin[1]}, "end": {"line": end[0], "character": end[1]}}


def places(r):
    return (r["start"]["line"], r["start"]["character"]), (r["end"]["line"], r["end"]["character"])


def value(hover):
    return hover["contents"]["value"]


def lines_of(text, word, nth=0):
    """The position of a word, (line, character), in a text of characters below U+10000."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(word, at + 1)
    before = text[:at]
    return before.count("\n"), at - (before.rfind("\n") + 1)
