#!/usr/bin/env python3
"""Time from start to the first connection, and memory when idle, of firn serve.

usage: bench/start/measure.py BINARY [BINARY ...]   (Linux)
"""
import socket
import subprocess
import sys
import tempfile
import time

RUNS = 5


def run(binary, folder):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    start = time.monotonic()
    p = subprocess.Popen([binary, "serve", "--listen", f"127.0.0.1:{port}", "--data-dir", folder], stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                with socket.create_connection(("127.0.0.1", port), 0.1) as c:
                    c.recv(4)
                break
            except OSError:
                time.sleep(0.001)
        ready = (time.monotonic() - start) * 1000
        time.sleep(2)
        status = dict(line.split(":", 1) for line in open(f"/proc/{p.pid}/status"))
        ticks = sum(map(int, open(f"/proc/{p.pid}/stat").read().split()[13:15]))
        return ready, ticks * 10, int(status["VmRSS"].split()[0]) / 1024, int(status["RssAnon"].split()[0]) / 1024
    finally:
        p.terminate()
        p.wait()


for binary in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as folder:
        results = sorted(run(binary, folder) for _ in range(RUNS))
    ready, cpu, rss, anon = results[RUNS // 2]
    print(f"{binary}: ready {ready:.0f} ms (median of {RUNS}), processor {cpu} ms, resident {rss:.0f} MB, of which its own {anon:.0f} MB")
