"""Packet capture as the reference: when each request and response passed, by the kernel's timestamps at the site's end
of the wire.

The site runs in a separate network namespace that a pair of virtual Ethernet devices connects, and tcpdump captures at
the site's end. A request is stamped when it arrives there, a response when it leaves. Neither Swell nor the site uses
these timestamps: Swell's own are taken at the other end, when the response arrives.
"""

import os
import re
import signal
import struct
import subprocess
import time
from dataclasses import dataclass

# Capture only packets that open a connection or carry data: bare acknowledgements would be half of all packets.
FILTER = "tcp port {port} and (tcp[tcpflags] & tcp-syn != 0 or ip[2:2] - ((ip[0] & 0xf) << 2) - ((tcp[12] & 0xf0) >> 2) != 0)"
SNAP_BYTES = 192
NANOSECOND_MAGIC = 0xA1B23C4D
CHANGE_CIPHER, APPLICATION_DATA = 0x14, 0x17


class Apart:
    """A network namespace, reachable through a pair of virtual devices, for the duration of a `with` block."""

    device, host, near = "swell1", "10.231.7.2", "10.231.7.1"

    def __init__(self):
        self.name = f"swell{os.getpid()}"
        self.inside = ["ip", "netns", "exec", self.name]

    def __enter__(self):
        inner = ["ip", "-n", self.name]
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        try:
            for command in [["ip", "link", "add", "swell0", "type", "veth", "peer", "name", self.device, "netns", self.name],
                            ["ip", "addr", "add", f"{self.near}/30", "dev", "swell0"], ["ip", "link", "set", "swell0", "up"],
                            [*inner, "addr", "add", f"{self.host}/30", "dev", self.device], [*inner, "link", "set", self.device, "up"],
                            [*inner, "link", "set", "lo", "up"]]:
                subprocess.run(command, check=True)
        except subprocess.CalledProcessError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # Deleting the namespace, which holds one device of the pair, removes both.
        subprocess.run(["ip", "netns", "del", self.name], check=True)


class Capture:
    """tcpdump for the duration of a `with` block; afterwards its capture is in a file."""

    def __init__(self, folder, port, device, inside=()):
        self.path = os.path.join(folder, "packets.pcap")
        # The 256 MB buffer holds packets while the tool, the site and tcpdump compete for two processors.
        self.command = [*inside, "tcpdump", "-i", device, "-n", "-Z", "root", "--time-stamp-precision=nano", "-s", str(SNAP_BYTES), "-B", "262144", "-w", self.path,
                        FILTER.format(port=port)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        while "listening on" not in (line := self.process.stderr.readline()):
            if not line:
                raise RuntimeError(f"tcpdump did not start to capture: {' '.join(self.command)}")
        return self

    def __exit__(self, *_):
        # The kernel delivers captured packets once a second.
        time.sleep(1.5)
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate()[1]
        count = lambda what: sum(int(number) for number in re.findall(rf"(\d+) packets? {what}", said))
        self.captured, self.dropped = count("captured"), count("dropped by kernel") + count("dropped by interface")


@dataclass
class Exchange:
    """Timestamps of a request and its response on the wire, in nanoseconds since the epoch."""

    port: int
    sent_ns: int
    # When the connection was opened; set for the first request of a connection only.
    opened_ns: int | None
    id: str | None
    answered_ns: int | None = None

    def took_ns(self):
        """Duration of the exchange, including the connect if a connection was opened for it."""
        return self.answered_ns - (self.sent_ns if self.opened_ns is None else self.opened_ns)


def packets(path):
    """Yield the timestamp and the bytes of each packet in a capture file with nanosecond timestamps."""
    with open(path, "rb") as file:
        head = file.read(24)
        if struct.unpack("<I", head[:4])[0] != NANOSECOND_MAGIC or struct.unpack("<I", head[20:24])[0] != 1:
            raise ValueError("not a capture of Ethernet with nanosecond stamps")
        data = file.read()
    at, record = 0, struct.Struct("<IIII")
    while at + 16 <= len(data):
        seconds, nanoseconds, length, _ = record.unpack_from(data, at)
        yield seconds * 1_000_000_000 + nanoseconds, data[at + 16:at + 16 + length]
        at += 16 + length


def segments(path, port):
    """Yield (timestamp, client port, whether from the client, flags, sequence number, data length, captured data)."""
    for stamp, packet in packets(path):
        ip = (packet[14] & 0xF) * 4
        total, = struct.unpack_from("!H", packet, 16)
        source, target, sequence = struct.unpack_from("!HHI", packet, 14 + ip)
        tcp = (packet[14 + ip + 12] >> 4) * 4
        yield (stamp, source if target == port else target, target == port, packet[14 + ip + 13], sequence, total - ip - tcp, packet[14 + ip + tcp:])


class Connection:
    def __init__(self, opened_ns):
        self.opened_ns, self.exchange = opened_ns, None
        self.asked_to, self.answered_to, self.ciphers = None, None, False


def is_later(sequence, than):
    """Compare sequence numbers, which wrap around."""
    return than is None or 0 < (sequence - than) % 2**32 < 2**31


def exchanges(path, port, tls):
    """Return all exchanges in order of their requests, and the number of retransmitted segments.

    TLS hides the ids: there, the first record after the handshake begins the first request, and so on. A response ends
    with the last data before the next request.
    """
    connections, found, again = {}, [], 0
    for stamp, peer, asks, flags, sequence, length, data in segments(path, port):
        if flags & 0x02:
            if asks and not flags & 0x10:
                connections[peer] = Connection(stamp)
            continue
        connection = connections.get(peer)
        if connection is None or length == 0:
            continue
        if asks:
            if not is_later(sequence + length, connection.asked_to):
                again += 1
                continue
            connection.asked_to = sequence + length
            begins = data[:1] == bytes([APPLICATION_DATA]) and connection.ciphers if tls else data[:4] == b"GET "
            connection.ciphers |= data[:1] == bytes([CHANGE_CIPHER])
            if begins:
                name = None if tls else id_in(data)
                connection.exchange = Exchange(peer, stamp, connection.opened_ns, name)
                connection.opened_ns = None
                found.append(connection.exchange)
        elif not is_later(sequence + length, connection.answered_to):
            again += 1
        else:
            connection.answered_to = sequence + length
            if connection.exchange:
                connection.exchange.answered_ns = stamp
    return [exchange for exchange in found if exchange.answered_ns], again


def id_in(request):
    line = request.split(b" ", 2)[1].decode()
    return line.rsplit("id=", 1)[1] if "id=" in line else None


def by_id(found, site_rows):
    """Return exchanges by id. Where TLS hides the ids, the site's record gives the requests of each connection in order;
    none of the times in that record is used."""
    if all(exchange.id is not None for exchange in found):
        return {exchange.id: exchange for exchange in found}
    order, named = {}, {}
    for row in sorted(site_rows, key=lambda row: int(row["arrival_ns"])):
        order.setdefault(int(row["peer_port"]), []).append(row["id"])
    places = {}
    for exchange in found:
        place = places.get(exchange.port, 0)
        places[exchange.port] = place + 1
        names = order.get(exchange.port, [])
        if place < len(names):
            named[names[place]] = exchange
    return named
