"""A traind of the test's own: real binaries, a temporary state folder, a unix socket. Everything it started is gone after close()."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

SOURCE = os.path.realpath(os.environ["TRAIND_SOURCE"])
BIN = os.path.join(os.path.realpath(os.environ["TRAIND_BUILD"]), "bin")


def processes_with(text):
    """Pids of live processes whose command line holds `text`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read().replace(b"\0", b" ").decode(errors="replace")
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if text in command and state != "Z" and int(pid) != os.getpid():
            found.append(int(pid))
    return found


def until(condition, timeout=30.0, what="the condition"):
    """Polls `condition` until it is true; returns its value."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come true within {timeout} s")


class Cluster:
    def __init__(self, config="", slots=1):
        self.root = tempfile.mkdtemp(prefix="traind-it-")
        self.data = os.path.join(self.root, "data")
        os.mkdir(self.data)
        self.state = os.path.join(self.root, "state")
        self.socket = os.path.join(self.root, "s")
        self.log = os.path.join(self.root, "traind.log")
        self.config = self.write("traind.yaml", f"""\
data_roots: {{data: {self.data}, market: {SOURCE}/tests/data/market, examples: {SOURCE}/examples}}
http: {{port: 0}}
slots: {{cpu: {slots}}}
workers: {{stop_grace: 5s}}
{config}""")
        self.process = None

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def command(self, *extra, state=None, socket=None):
        return [os.path.join(BIN, "traind"), "--config", self.config, "--state", state or self.state, "--socket", socket or self.socket, *extra]

    def start(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log)
        until(lambda: self.process.poll() is not None or self.ctl("version").returncode == 0, what="traind's start")
        if self.process.poll() is not None:
            raise AssertionError(f"traind ended with {self.process.returncode}: {self.logged()}")
        return self

    def logged(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)

    def close(self):
        try:
            if self.process and self.process.poll() is None:
                for job in self.jobs():
                    if job["state"] not in ("SUCCEEDED", "FAILED", "CANCELLED"):
                        self.ctl("cancel", job["name"])
                        self.ctl("wait", job["name"], "--timeout", "30s")
                self.stop()
            # A shim goes a moment after its worker has said goodbye.
            deadline = time.monotonic() + 5
            while (left := processes_with(self.root)) and time.monotonic() < deadline:
                time.sleep(0.05)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            assert not left, f"processes left behind: {left}\n{self.logged()}"
        finally:
            shutil.rmtree(self.root, ignore_errors=True)

    def ctl(self, *args, stdin=None, timeout=120, cwd=None):
        """Runs trainctl; returns the finished process with text outputs."""
        environment = dict(os.environ, TRAINCTL_ADDRESS=self.socket)
        return subprocess.run([os.path.join(BIN, "trainctl"), *args], input=stdin, env=environment, capture_output=True, text=True,
                              timeout=timeout, check=False, cwd=cwd or self.root)

    def ok(self, *args, **kwargs):
        """As ctl, but must succeed; returns stdout."""
        done = self.ctl(*args, **kwargs)
        assert done.returncode == 0, f"trainctl {' '.join(args)} ended with {done.returncode}: {done.stderr}{done.stdout}\n{self.logged()}"
        return done.stdout

    def submit(self, text, *args):
        """Submits a job file given as text; returns the job's name."""
        return self.ok("submit", "-f", "-", "-o", "name", *args, stdin=text).strip()

    def job(self, name):
        return json.loads(self.ok("get", "job", name, "-o", "json"))

    def jobs(self):
        return json.loads(self.ok("get", "jobs", "-o", "json"))

    def wait_state(self, name, *states, timeout=60):
        return until(lambda: (job := self.job(name))["state"] in states and job, timeout, f"{name} in {states}")


# A job that trains for seconds, one that trains until it is cancelled, and a market job over real data.
SHORT = """\
display_name: short
env: synthetic
dqn: {steps: 3000, warmup_steps: 200, evaluation_steps: 1000, hidden: [16]}
"""
LONG = """\
display_name: long
env: synthetic
dqn: {steps: 100000000, hidden: [16]}
"""
MARKET = """\
display_name: market
data:
  sources: [{path: "market:STOCKS_GOOGL.csv"}]
walk_forward: {train: 2y, test: 1y, first_test: 2012-01-01, max_folds: 2}
dqn: {steps: 2000, warmup_steps: 200, hidden: [16]}
"""
