"""A server on loopback that keeps the requests of clients, for the comparisons beside it."""

import socketserver
import threading
from typing import NamedTuple


class Request(NamedTuple):
    """A request as it came: names of headers in lower case and in their order, the body without chunks."""

    method: str
    target: str
    headers: list
    body: bytes


class Recorder(socketserver.StreamRequestHandler):
    """Reads requests of a connection; a subclass answers each."""

    def handle(self):
        try:
            while request := self.read():
                self.wfile.write(self.answer(request))
        except (OSError, ValueError):
            pass

    def read(self):
        """Return the next request, none at the end of the connection."""
        line = self.rfile.readline().decode("latin1")
        if not line:
            return None
        method, target, _ = line.split(" ", 2)
        headers = []
        while (field := self.rfile.readline()) not in (b"\r\n", b""):
            name, _, value = field.decode("latin1").partition(":")
            headers.append((name.strip().lower(), value.strip()))
        known = dict(headers)
        if known.get("expect", "").lower() == "100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = b""
        if "content-length" in known:
            body = self.rfile.read(int(known["content-length"]))
        elif known.get("transfer-encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        return Request(method, target, headers, body)

    def answer(self, request):
        """Return the bytes of a response."""
        raise NotImplementedError


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def start(handler):
    """Serve with that handler in a thread and return the port."""
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]
