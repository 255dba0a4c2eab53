"""A MySQL client of the standard library, that can count rows without keeping them."""

import socket
import struct

TEXT_41, SECURE, PLUGIN = 0x200, 0x8000, 0x80000


class Error(Exception):
    """The server's error: its number and message."""


class Connection:
    def __init__(self, port, timeout):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.stream = self.socket.makefile("rb", 1 << 20)
        self.sequence = 0
        self.packet()
        self.send(struct.pack("<IIB23x", TEXT_41 | SECURE | PLUGIN, 1 << 24, 45) + b"root\0\0mysql_native_password\0")
        answer = self.packet()
        if answer[0] == 0xFE:
            self.send(b"")
            answer = self.packet()
        check(answer)

    def close(self):
        self.stream.close()
        self.socket.close()

    def send(self, payload):
        self.socket.sendall(struct.pack("<I", len(payload))[:3] + bytes([self.sequence]) + payload)

    def packet(self):
        """The next packet, of any length."""
        payload = b""
        while True:
            head = self.exactly(4)
            size = int.from_bytes(head[:3], "little")
            self.sequence = (head[3] + 1) & 255
            part = self.exactly(size)
            if size < 0xFFFFFF:
                return payload + part if payload else part
            payload += part

    def exactly(self, size):
        data = self.stream.read(size)
        if len(data) < size:
            raise EOFError("the server has closed the connection")
        return data

    def query(self, text, keep=True):
        """Names and types of the columns, and the rows as lists of bytes or None; only their number unless they are kept."""
        self.sequence = 0
        self.send(b"\x03" + text.encode())
        answer = check(self.packet())
        if answer[0] == 0:
            return [], []
        columns = [column(self.packet()) for _ in range(number(answer, 0)[0])]
        self.packet()
        rows, count = [], 0
        while True:
            payload = check(self.packet())
            if payload[0] == 0xFE and len(payload) < 9:
                return columns, rows if keep else count
            count += 1
            if keep:
                rows.append(cells(payload))


def check(payload):
    if payload[0] == 0xFF:
        raise Error("%d: %s" % (int.from_bytes(payload[1:3], "little"), payload[9:].decode(errors="replace")))
    return payload


def number(payload, at):
    """A length-encoded number, None for NULL, and where it ends."""
    first = payload[at]
    if first < 0xFB:
        return first, at + 1
    if first == 0xFB:
        return None, at + 1
    size = {0xFC: 2, 0xFD: 3, 0xFE: 8}[first]
    return int.from_bytes(payload[at + 1:at + 1 + size], "little"), at + 1 + size


def cells(payload):
    row, at = [], 0
    while at < len(payload):
        size, at = number(payload, at)
        row.append(None if size is None else payload[at:at + size])
        at += size or 0
    return row


def column(payload):
    """Name and type code of a column definition."""
    at, parts = 0, []
    for _ in range(6):
        size, at = number(payload, at)
        parts.append(payload[at:at + size])
        at += size
    return parts[4].decode(), payload[at + 1 + 2 + 4]
