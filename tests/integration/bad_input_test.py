"""What users get wrong: every answer is a sentence, nothing is created, nothing crashes."""

import json
import os
import signal
import socket
import stat
import subprocess
import time
import unittest

import cluster
from cluster import MARKET, SHORT
from lifecycle_test import WithCluster

HEADER = "Date,Open,High,Low,Close,Volume\n"


def days(count, first=0):
    """Rows of a rising market, one a weekday-free day from 2001-01-01 on."""
    rows = []
    for i in range(first, first + count):
        month, day = divmod(i % 336, 28)
        rows.append(f"{2001 + i // 336}-{month + 1:02}-{day + 1:02},{100 + i},{102 + i},{99 + i},{101 + i},1000\n")
    return rows


class BadSpecs(WithCluster):
    def rejected(self, text, *parts, args=()):
        done = self.cluster.ctl("submit", "-f", "-", *args, stdin=text)
        self.assertEqual(3, done.returncode, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual([], self.cluster.jobs())
        return done.stderr

    def test_all_errors_come_together(self):
        self.rejected(
            "display_name: x\nenv: synthetic\ndqn: {gamma: 1.5, learning_rat: 1, batch_size: -1, hidden: many}\nresources: {slots: 0}\n",
            "dqn.gamma", "dqn.learning_rat", "learning_rate", "dqn.batch_size", "dqn.hidden", "resources.slots")

    def test_what_only_the_daemon_sees_comes_with_the_rest(self):
        self.rejected(MARKET.replace("STOCKS_GOOGL", "NOTHING") + "labels: {a: 1, B!: 2}\nnothing: 1\n", "NOTHING.csv", "nothing", "labels")

    def test_impossible_slots(self):
        done = self.cluster.ctl("submit", "-f", "-", "--set", "resources.slots=9", stdin=SHORT)
        self.assertIn(done.returncode, (3, 6), done.stderr)
        self.assertIn("needs 9 slots", done.stderr)
        self.assertEqual([], self.cluster.jobs())

    def test_missing_file_and_file_outside_the_roots(self):
        self.rejected(MARKET.replace("STOCKS_GOOGL", "NOTHING"), "data.sources[0].path", "NOTHING.csv")
        self.rejected(MARKET.replace("market:STOCKS_GOOGL.csv", "/etc/hostname"), "data.sources[0].path", "data_roots")
        self.rejected(MARKET.replace("market:STOCKS_GOOGL.csv", "market:../NOTICE.md"), "data.sources[0].path")

    def test_not_yaml_empty_and_unknown_task(self):
        self.rejected("{{{{", "stdin")
        self.rejected("", "empty")
        self.rejected("display_name: x\n", "dqn")
        self.rejected("display_name: x\nppo: {}\n", "ppo")
        self.rejected("\x00\x01\x02")

    def test_set_of_an_unknown_field(self):
        self.rejected(SHORT, "dqn.nothing", args=("--set", "dqn.nothing=1"))


class NoData(WithCluster):
    def test_an_environment_without_data_passes_the_data_check(self):
        self.cluster.ok("validate", "-f", "-", "--data", stdin=SHORT)


class BadData(WithCluster):
    def run_job(self, rows, *parts):
        path = os.path.join(self.cluster.data, "x.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(rows))
        text = MARKET.replace("market:STOCKS_GOOGL.csv", "data:x.csv").replace(
            "{train: 2y, test: 1y, first_test: 2012-01-01, max_folds: 2}", "{train: 400, test: 100, max_folds: 1}")
        validated = self.cluster.ctl("validate", "-f", "-", "--data", stdin=text)
        self.assertNotEqual(0, validated.returncode)
        name = self.cluster.submit(text)
        self.assertEqual(10, self.cluster.ctl("wait", name).returncode)
        job = self.cluster.job(name)
        self.assertEqual(("FAILED", "DATA", 1), (job["state"], job["failureCause"], len(job["attempts"])))
        for part in parts:
            self.assertIn(part, job["error"])
            self.assertIn(part, validated.stderr)

    def test_missing_column(self):
        self.run_job([HEADER.replace("Close", "Klose")] + days(600), "x.csv", "lose")

    def test_unsorted(self):
        rows = [HEADER] + days(600)
        rows[10], rows[11] = rows[11], rows[10]
        self.run_job(rows, "x.csv", "row 12")

    def test_nan_price(self):
        rows = [HEADER] + days(600)
        rows[99] = rows[99].replace(rows[99].split(",")[4], "nan")
        self.run_job(rows, "x.csv", "row 100", "Close")

    def test_too_few_rows(self):
        self.run_job([HEADER] + days(50), "50")

    def test_bytes_that_are_no_text(self):
        with open(os.path.join(self.cluster.data, "gz.csv"), "wb") as file:
            file.write(bytes(range(256)) * 40)
        job = MARKET.replace("market:STOCKS_GOOGL.csv", "data:gz.csv")
        begin = time.monotonic()
        done = self.cluster.ctl("validate", "-f", "-", "--data", stdin=job)
        self.assertEqual(3, done.returncode, done.stderr)
        self.assertIn("data:gz.csv", done.stderr)
        self.assertLess(time.monotonic() - begin, 15)
        name = self.cluster.submit(job)
        done = self.cluster.ctl("wait", name)
        self.assertEqual(10, done.returncode, done.stderr)
        self.assertIn("data:gz.csv", self.cluster.job(name)["error"])

    def test_empty_and_binary_files(self):
        self.run_job([], "x.csv")
        self.run_job([HEADER], "x.csv")
        self.run_job(["\0\1\2\3" * 50], "x.csv")


class BadStart(unittest.TestCase):
    def setUp(self):
        self.cluster = cluster.Cluster()
        self.addCleanup(self.cluster.close)

    def refused(self, parts, **where):
        done = subprocess.run(self.cluster.command(**where), capture_output=True, text=True, timeout=30, check=False)
        self.assertNotEqual(0, done.returncode)
        self.assertGreater(done.returncode, 0, "ended by a signal")
        for part in parts:
            self.assertIn(part, done.stderr)
        return done.stderr

    def test_second_daemon_on_the_same_state(self):
        self.cluster.start()
        self.refused([self.cluster.state], socket=os.path.join(self.cluster.root, "other"))
        self.cluster.ok("get", "jobs")

    def test_socket_taken_by_another_daemon(self):
        self.cluster.start()
        self.refused([self.cluster.socket], state=os.path.join(self.cluster.root, "other"))
        self.cluster.ok("get", "jobs")

    def test_socket_path_too_long(self):
        self.refused(["at most 107 bytes"], socket="/tmp/" + "x" * 200)

    def test_stale_socket_is_replaced(self):
        stale = socket.socket(socket.AF_UNIX)
        stale.bind(self.cluster.socket)
        stale.close()
        self.cluster.start()
        self.cluster.ok("get", "jobs")

    def test_bad_configuration(self):
        self.cluster.write("traind.yaml", "slotz: {cpu: 1}\nhttp: {port: 99999}\n")
        self.refused(["slotz", "http.port"])

    def test_state_is_a_file(self):
        self.refused(["file", "--state"], state=self.cluster.write("file", "x"))

    def test_state_cannot_be_written(self):
        # Nobody can make a folder there, root neither.
        self.refused(["/proc/traind", "--state"], state="/proc/traind")

    def test_database_that_was_removed(self):
        self.cluster.start()
        self.cluster.ok("wait", self.cluster.submit(SHORT))
        for name in ("traind.db", "traind.db-wal"):
            os.remove(os.path.join(self.cluster.state, name))
        self.assertNotEqual(0, self.cluster.ctl("submit", "-f", "-", stdin=SHORT).returncode)
        self.cluster.process.wait(timeout=10)
        self.assertIn("traind.db was removed", self.cluster.logged())
        # A new one would take the jobs' folders for strays.
        self.refused(["jobs/", "traind.db"])
        self.assertTrue(os.listdir(os.path.join(self.cluster.state, "jobs")))

    def test_output_that_cannot_be_written(self):
        self.cluster.start()
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([os.path.join(cluster.BIN, "trainctl"), "init", "dqn"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(1, done.returncode)
        self.assertIn("cannot be written", done.stderr)
        name = self.cluster.submit(MARKET)
        self.cluster.ok("wait", name)
        pipe = os.path.join(self.cluster.root, "pipe")
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
            self.cluster.ok("artifact", "get", name, "report.json", "-O", pipe)
            self.assertIn("verdict", json.loads(reader.stdout.read()))
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode), "the pipe was replaced by a file")

    def test_interrupt_while_a_job_file_is_read(self):
        process = subprocess.Popen([os.path.join(cluster.BIN, "trainctl"), "submit", "-f", "-"], stdin=subprocess.PIPE)
        # It reads its stdin now, or is about to.
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(130, process.wait(timeout=10))
        process.stdin.close()

    def test_full_disk_refuses_jobs_and_keeps_the_rest(self):
        self.cluster.write("traind.yaml", "limits: {disk_reserve: 4096TiB}\nhttp: {port: 0}\n")
        self.cluster.start()
        done = self.cluster.ctl("submit", "-f", "-", stdin=SHORT)
        self.assertEqual(8, done.returncode, done.stderr)
        self.assertEqual([], self.cluster.jobs())

    def test_print_config_shows_the_effective_values(self):
        done = subprocess.run(self.cluster.command("--print-config"), capture_output=True, text=True, timeout=30, check=True)
        self.assertIn("slots:", done.stdout)
        self.assertIn(self.cluster.state, done.stdout)

    def test_unreachable_daemon(self):
        done = self.cluster.ctl("get", "jobs")
        self.assertEqual(7, done.returncode)
        self.assertIn(self.cluster.socket, done.stderr)


class Http(WithCluster):
    def get(self, path):
        from urllib.request import urlopen
        with open(os.path.join(self.cluster.state, "http"), encoding="utf-8") as file:
            address = file.read().strip()
        with urlopen(f"http://{address}{path}", timeout=10) as response:
            return response.read().decode()

    def test_metrics_discovery_and_health(self):
        name = self.cluster.submit(cluster.LONG)
        self.cluster.wait_state(name, "RUNNING")
        self.assertIn("ok", self.get("/healthz").lower())
        metrics = self.get("/metrics")
        for part in ("traind_build_info", 'traind_jobs{kind="dqn",state="RUNNING"} 1', "process_resident_memory_bytes"):
            self.assertIn(part, metrics)
        self.assertNotIn('job="', metrics)
        targets = cluster.until(lambda: json.loads(self.get("/sd")), what="a scrape target")
        self.assertEqual(name.split("/")[1], targets[0]["labels"]["job_id"])
        from urllib.request import urlopen
        with urlopen(f"http://{targets[0]['targets'][0]}/metrics", timeout=10) as response:
            self.assertIn("traind_train_", response.read().decode())


if __name__ == "__main__":
    unittest.main(verbosity=2)
