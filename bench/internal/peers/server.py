"""A firn server of its own for a measurement."""

import os
import socket
import subprocess
import time

import wire


class Server:
    """Serves the Hadoop catalog b of a folder for as long as the block lasts."""

    def __init__(self, binary, work, warehouse, flags=(), settings=""):
        self.config, self.port, self.work = os.path.join(work, "firn.yaml"), free_port(), work
        self.words = [binary, "serve", "--config", self.config, "--listen", "127.0.0.1:%d" % self.port, *flags]
        self.text = "catalogs:\n  b:\n    type: hadoop\n    warehouse: file://%s\n%s" % (warehouse, settings)

    def __enter__(self):
        with open(self.config, "w") as f:
            f.write(self.text)
        with open(os.path.join(self.work, "firn.log"), "w") as log:
            self.process = subprocess.Popen(self.words, stderr=log)
        self.pid = self.process.pid
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def connect(self, limit):
        for _ in range(600):
            try:
                return wire.Connection(self.port, limit)
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise RuntimeError("firn does not listen")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
