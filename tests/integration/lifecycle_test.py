"""Jobs from submit to the end, through the real binaries."""

import json
import os
import signal
import subprocess
import unittest
import uuid

import cluster
from cluster import LONG, MARKET, SHORT


class WithCluster(unittest.TestCase):
    config = ""
    slots = 1

    def setUp(self):
        self.cluster = cluster.Cluster(self.config, self.slots)
        self.addCleanup(self.cluster.close)
        self.cluster.start()


class EndToEnd(WithCluster):
    def test_market_job_trains_and_reports(self):
        name = self.cluster.submit(MARKET)
        self.assertEqual(0, self.cluster.ctl("wait", name).returncode)
        job = self.cluster.job(name)
        self.assertEqual("SUCCEEDED", job["state"])
        for fact in ("weights_sha256", "config_sha256", "data_fingerprint", "verdict"):
            self.assertTrue(job["result"].get(fact), fact)

        artifacts = self.cluster.ok("artifact", "list", name)
        for artifact in ("report.json", "positions.csv", "ingest.json"):
            self.assertIn(artifact, artifacts)
        report = json.loads(self.cluster.ok("artifact", "get", name, "report.json"))
        self.assertEqual(2, len(report["folds"]))
        stitched = report["stitched"]["equal_weight"]
        for strategy in ("policy", "buy_and_hold", "flat", "random", "sign"):
            for figure in ("net_return", "cagr", "sharpe", "sortino", "max_drawdown", "max_drawdown_bars", "calmar", "turnover",
                           "cost_drag", "exposure", "hit_rate", "profit_factor", "cvar_5", "psr"):
                self.assertIn(figure, stitched[strategy])
        self.assertAlmostEqual(1, sum(action["share"] for action in report["actions"]["all"]))
        self.assertEqual(report, json.loads(self.cluster.ok("describe", name, "-o", "json"))["report"])
        self.assertEqual(0, stitched["flat"]["net_return"])
        self.assertIn("best baseline", report["verdict"]["sentence"])
        self.assertEqual(1, len(report["next_positions"]))
        positions = self.cluster.ok("artifact", "get", name, "positions.csv").splitlines()
        self.assertEqual("time,instrument,fold,position,fill,cost,equity", positions[0])
        self.assertGreater(len(positions), 400)
        self.assertIn(report["verdict"]["sentence"], self.cluster.ok("describe", name))

        self.assertIn("checkpoint", self.cluster.ok("ckpt", "list", name).lower())
        metrics = self.cluster.ok("metrics", name)
        self.assertIn("loss", metrics)
        self.assertIn("CREATED", self.cluster.ok("events", name))

    def test_same_seed_same_weights_other_seed_others(self):
        hashes = []
        for seed in (3, 3, 4):
            name = self.cluster.submit(SHORT, "--set", f"seed={seed}")
            self.assertEqual(0, self.cluster.ctl("wait", name).returncode)
            hashes.append(self.cluster.job(name)["result"]["weights_sha256"])
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_values_come_from_defaults_hyper_file_and_set_in_that_order(self):
        hyper = self.cluster.write("hyper.json", json.dumps({"learning_rate": 0.002, "gamma": 0.5, "batch_size": 16}))
        text = SHORT.replace("hidden: [16]", "hidden: [16], gamma: 0.6, batch_size: 20")
        name = self.cluster.submit(text, "--hyperopt", hyper, "--set", "dqn.batch_size=24")
        dqn = self.cluster.job(name)["spec"]["dqn"]
        self.assertEqual((0.002, 0.6, 24), (dqn["learningRate"], dqn["gamma"], int(dqn["batchSize"])))

    def test_follow_shows_plain_lines_and_ends_with_the_state(self):
        done = self.cluster.ctl("submit", "-f", "-", "--follow", stdin=SHORT)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("SUCCEEDED", done.stdout + done.stderr)
        self.assertNotIn("\r", done.stdout + done.stderr)

    def test_logs_hold_what_the_worker_said(self):
        name = self.cluster.submit(SHORT)
        followed = self.cluster.ok("logs", name, "-f")
        self.assertTrue(followed)
        self.assertEqual(followed, self.cluster.ok("logs", name))


class Trials(WithCluster):
    def trials(self, *args):
        """Runs the market job; returns its name and its results."""
        name = self.cluster.submit(MARKET, *args)
        self.assertEqual(0, self.cluster.ctl("wait", name).returncode)
        return name, self.cluster.job(name)["result"]

    def test_runs_on_the_same_data_are_counted_for_good(self):
        name, first = self.trials()
        self.assertEqual("1", first["trials"])
        self.assertAlmostEqual(float(first["psr"]), float(first["dsr"]), places=5)
        self.assertIn("after 1 trial on these data", self.cluster.ok("describe", name))
        self.cluster.ok("delete", name)
        self.assertEqual(0, self.cluster.stop())
        self.cluster.start()
        other, second = self.trials("--set", "dqn.gamma=0.5")
        self.assertEqual(first["data_fingerprint"], second["data_fingerprint"])
        self.assertEqual("2", second["trials"])
        self.assertLess(float(second["dsr"]), float(second["psr"]))
        self.assertIn("after 2 trials on these data", self.cluster.ok("describe", other))
        _, again = self.trials()
        self.assertEqual("2", again["trials"])
        self.assertEqual(first["sharpe_per_bar"], again["sharpe_per_bar"])


class Cancel(WithCluster):
    def test_pending(self):
        running = self.cluster.submit(LONG)
        waiting = self.cluster.submit(LONG)
        self.cluster.wait_state(running, "STARTING", "RUNNING")
        self.cluster.ok("cancel", waiting)
        self.assertEqual("CANCELLED", self.cluster.job(waiting)["state"])
        self.assertEqual(11, self.cluster.ctl("wait", waiting).returncode)

    def test_just_submitted(self):
        name = self.cluster.submit(LONG)
        self.cluster.ok("cancel", name)
        self.assertEqual(11, self.cluster.ctl("wait", name, "--timeout", "30s").returncode)

    def test_running_twice_and_ended(self):
        name = self.cluster.submit(LONG)
        self.cluster.wait_state(name, "RUNNING")
        self.cluster.ok("cancel", name)
        self.cluster.ok("cancel", name)
        self.assertEqual(11, self.cluster.ctl("wait", name, "--timeout", "30s").returncode)
        self.cluster.ok("cancel", name)
        self.assertEqual("CANCELLED", self.cluster.job(name)["state"])
        # The slot is free again.
        self.assertEqual(0, self.cluster.ctl("wait", self.cluster.submit(SHORT)).returncode)

    def test_delete_is_for_ended_jobs(self):
        name = self.cluster.submit(LONG)
        self.assertEqual(6, self.cluster.ctl("delete", name).returncode)
        self.cluster.ok("cancel", name)
        self.cluster.ctl("wait", name, "--timeout", "30s")
        self.cluster.ok("delete", name)
        self.assertEqual(4, self.cluster.ctl("get", "job", name).returncode)
        folder = os.path.join(self.cluster.state, "jobs", name.split("/")[1])
        cluster.until(lambda: not os.path.exists(folder), what="the job folder's end")


class Queue(WithCluster):
    def test_two_jobs_on_one_slot_with_the_reason(self):
        first = self.cluster.submit(LONG)
        self.cluster.wait_state(first, "RUNNING")
        second = self.cluster.submit(LONG)
        cluster.until(lambda: self.cluster.job(second).get("stateMessage"), what="a reason")
        message = self.cluster.job(second)["stateMessage"]
        for part in ("needs 1 slot", "0 free", first, "position 1"):
            self.assertIn(part, message)
        self.assertIn("WAITING_FOR_SLOTS", self.cluster.ok("queue"))
        self.cluster.ok("cancel", first)
        self.cluster.wait_state(second, "RUNNING")

    def test_request_id_sent_twice_makes_one_job(self):
        request = str(uuid.uuid4())
        first = self.cluster.submit(LONG, "--request-id", request)
        second = self.cluster.submit(LONG, "--request-id", request)
        self.assertEqual(first, second)
        self.assertEqual(1, len(self.cluster.jobs()))
        other = self.cluster.ctl("submit", "-f", "-", "--request-id", request, stdin=SHORT)
        self.assertEqual(6, other.returncode, other.stderr)


class Restart(WithCluster):
    def test_between_two_jobs(self):
        first = self.cluster.submit(SHORT)
        self.assertEqual(0, self.cluster.ctl("wait", first).returncode)
        before = self.cluster.job(first)
        self.assertEqual(0, self.cluster.stop())
        self.cluster.start()
        self.assertEqual(before, self.cluster.job(first))
        self.assertEqual(0, self.cluster.ctl("wait", self.cluster.submit(SHORT)).returncode)

    def test_while_training_the_worker_goes_on(self):
        name = self.cluster.submit(LONG)
        self.cluster.wait_state(name, "RUNNING")
        workers = cluster.processes_with("traind-worker")
        self.assertEqual(0, self.cluster.stop())
        self.assertEqual(workers, cluster.processes_with("traind-worker"))
        self.cluster.start()
        self.cluster.wait_state(name, "RUNNING")
        self.assertEqual(1, len(self.cluster.job(name)["attempts"]))
        self.cluster.ok("cancel", name)
        self.assertEqual(11, self.cluster.ctl("wait", name, "--timeout", "30s").returncode)

    def test_killed_worker_is_started_again(self):
        name = self.cluster.submit(LONG)
        self.cluster.wait_state(name, "RUNNING")
        for pid in cluster.processes_with("traind-worker"):
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                if file.read().strip() == "traind-worker":
                    os.kill(pid, signal.SIGKILL)
        cluster.until(lambda: len(self.cluster.job(name)["attempts"]) == 2, what="a second attempt")
        job = self.cluster.wait_state(name, "RUNNING")
        self.assertEqual("CRASHED", job["attempts"][0]["failureCause"])

    def test_wait_survives_a_restart(self):
        name = self.cluster.submit(LONG)
        self.cluster.wait_state(name, "RUNNING")
        environment = dict(os.environ, TRAINCTL_ADDRESS=self.cluster.socket)
        waiting = subprocess.Popen([os.path.join(cluster.BIN, "trainctl"), "wait", name], env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        self.addCleanup(waiting.stderr.close)
        self.addCleanup(waiting.kill)
        # It has found the daemon before that goes away.
        self.assertTrue(waiting.stderr.readline())
        self.assertEqual(0, self.cluster.stop())
        self.cluster.start()
        self.cluster.ok("cancel", name)
        self.assertEqual(11, waiting.wait(timeout=30))


if __name__ == "__main__":
    unittest.main(verbosity=2)
