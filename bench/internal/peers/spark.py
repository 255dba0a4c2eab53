"""Spark in a process of its own for a measurement."""

import glob
import json
import os
import subprocess


def run(folder, script, conf, path, limit):
    """Runs a script with the Python of a folder that has `venv` and `jars`; returns what its last line says in JSON."""
    conf = dict(conf, jars=os.path.join(folder, "jars"))
    with open(path, "w") as f:
        json.dump(conf, f)
    env = dict(os.environ, TZ="UTC")
    env.pop("SPARK_HOME", None)
    jvms = sorted(d for d in glob.glob("/usr/lib/jvm/*17*") if os.path.isdir(d))
    if "JAVA_HOME" not in env and jvms:
        env["JAVA_HOME"] = jvms[0]
    words = [os.path.join(folder, "venv", "bin", "python"), script, path]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=limit)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.splitlines()[-1])
