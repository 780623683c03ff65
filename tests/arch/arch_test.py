"""Architecture tests: the tree obeys its rules, and each rule fails on a planted violation.

usage: arch_test.py SOURCE BUILD
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layers
import rules
import scan

SOURCE, BUILD = (os.path.realpath(path) for path in sys.argv[1:3])


def torch_folders():
    """Source folders whose targets use the torch precompiled header, from the compile commands."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    found = set()
    for entry in commands:
        if "traind_torch_pch" in entry["command"] and "CMakeFiles/traind_torch_pch" not in entry.get("output", entry["command"]):
            output = entry["command"].split(" -o ")[1].split()[0]
            found.add(output.split("/CMakeFiles/")[0])
    return sorted(folder for folder in found if not folder.startswith("tests"))


class Tree(unittest.TestCase):
    maxDiff = None

    def check(self, violations):
        self.assertEqual([], violations, "\n" + "\n".join(violations))

    def test_layers(self):
        self.check(rules.layer_violations(SOURCE, torch_folders()))

    def test_tokens_and_construction(self):
        self.check(rules.token_violations(SOURCE))

    def test_sizes(self):
        self.check(rules.size_violations(SOURCE))

    def test_readmes(self):
        self.check(rules.readme_violations(SOURCE))

    def test_metrics_are_documented(self):
        self.check(rules.metric_violations(SOURCE))

    def test_reasons_are_documented(self):
        self.check(rules.reason_violations(SOURCE))

    def test_changing_calls_are_made_twice(self):
        self.check(rules.twice_violations(SOURCE))

    def test_torch_and_protos_apart(self):
        self.check(rules.mixed_unit_violations(SOURCE, torch_folders()))


class Linkage(unittest.TestCase):
    """What the binaries load."""

    def libraries(self, binary):
        path = os.path.join(BUILD, "bin", binary)
        out = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
        return [line.split()[0] for line in out.splitlines() if line.strip()]

    def test_binaries(self):
        for binary in ("traind", "traind-shim", "trainctl", "traind-worker"):
            self.assertEqual([], rules.linkage_violations(binary, self.libraries(binary)))


class Planted(unittest.TestCase):
    """Each rule against a small tree that breaks it."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def assert_found(self, violations, part):
        self.assertTrue(any(part in violation for violation in violations), f"{part!r} is not in {violations}")

    def test_forbidden_includes(self):
        planted = [
            ("server/domain/job.cc", "grpcpp/grpcpp.h"),
            ("server/api/api.cc", "sqlite3.h"),
            ("server/scheduler/a.cc", "traind/v1/job.pb.h"),
            ("worker/agent/agent.cc", "torch/types.h"),
            ("worker/rl/rl.cc", "traind/v1/job.pb.h"),
            ("worker/shim/main.cc", "grpcpp/grpcpp.h"),
            ("client/lib/client.cc", "torch/types.h"),
            ("common/base/base.cc", "google/protobuf/message.h"),
            ("worker/envs/env.cc", "arrow/api.h"),
        ]
        for path, include in planted:
            self.write(path, f'#include "{include}"\n')
        violations = rules.layer_violations(self.root)
        for path, include in planted:
            self.assert_found(violations, f"{path}: reaches {include}")

    def test_transitive_include(self):
        self.write("server/store/job_store.h", '#include "server/store/rows.h"\n')
        self.write("server/store/rows.h", '#include "sqlite3.h"\n')
        self.write("server/api/api.cc", '#include "server/store/job_store.h"\n')
        self.assert_found(rules.layer_violations(self.root), "server/api/api.cc: reaches sqlite3.h")

    def test_layer_above(self):
        self.write("server/api/x.h", "")
        self.write("common/rpc/rpc.cc", '#include "server/api/x.h"\n')
        self.assert_found(rules.layer_violations(self.root), "common/rpc/rpc.cc: reaches server/api/x.h")

    def test_unlisted_folder(self):
        self.write("server/extra/x.cc", "")
        self.assert_found(rules.layer_violations(self.root), "server/extra/x.cc")

    def test_torch_header_by_target(self):
        self.assert_found(rules.layer_violations(self.root, ["worker/agent"]), "worker/agent: is built with the torch")
        self.write("worker/rl/mixed.cc", '#include "traind/v1/job.pb.h"\n')
        self.assert_found(rules.mixed_unit_violations(self.root, ["worker/rl"]), "worker/rl/mixed.cc")

    def test_construction_elsewhere(self):
        self.write("worker/envs/a.cc", "auto layer = torch::nn::Linear(3, 4);\n")
        self.write("worker/app/b.cc", "torch::optim::Adam adam(parameters);\n")
        self.write("worker/envs/c.cc", "at::_fused_adam_(a, b);\n")
        self.write("worker/models/fine.cc", "auto layer = torch::nn::Linear(3, 4);\n")
        violations = rules.token_violations(self.root)
        for part in ("worker/envs/a.cc:1", "worker/app/b.cc:1", "worker/envs/c.cc:1"):
            self.assert_found(violations, part)
        self.assertEqual(3, len(violations), violations)

    def test_tokens(self):
        # One of each; a rule of layers.py without a line here fails the test.
        planted = {
            "server/api/now.cc": "absl::Time t = absl::Now();",
            "server/api/chrono.cc": "auto t = std::chrono::steady_clock::now();",
            "server/api/sleep.cc": "absl::SleepFor(absl::Seconds(1));",
            "client/lib/env.cc": 'auto x = getenv("HOME");',
            "server/launcher/shell.cc": 'system("ls");',
            "common/base/copy.cc": "strcpy(a, b);",
            "server/store/sync.cc": "void F() { fsync(3); }",
            "server/launcher/start.cc": "execve(path, a, b);",
            "server/store/lock.cc": "std::mutex m;",
            "server/store/absl.cc": "absl::Mutex m;",
            "server/app/open.cc": "auto c = grpc::InsecureServerCredentials();",
            "worker/rl/clip.cc": "torch::nn::utils::clip_grad_norm_(p, 1);",
            "worker/rl/load.cc": 'dlopen("x.so", 1);',
            "server/scheduler/thread.cc": "std::thread t;",
            "worker/envs/module.cc": 'register_module("x", y);',
        }
        for path, line in planted.items():
            self.write(path, "// absl::Now() fsync(3) in a comment\nconst char* text = \"getenv(1)\";\n" + line + "\n")
        violations = rules.token_violations(self.root)
        for path in planted:
            self.assert_found(violations, path + ":3")
        self.assertEqual(len(planted), len(violations), violations)
        self.assertEqual(len(planted), len(layers.BANNED) + 2, "a banned token has no planted violation")

    def test_linkage(self):
        worker = ["libprotobuf.so.32", "libgomp.so.1", "libtorch_cpu.so", "libarrow.so.2600"]
        self.assertEqual([], rules.linkage_violations("traind-worker", worker))
        self.assert_found(rules.linkage_violations("traind-worker", worker + ["libgomp-1.so", "libgomp.so.2"]), "2 copies of libgomp.so")
        self.assert_found(rules.linkage_violations("traind-worker", worker[1:]), "0 copies of libprotobuf.so")
        self.assert_found(rules.linkage_violations("traind-worker", worker + ["libopenblas.so.0"]), "libopenblas.so.0")
        self.assert_found(rules.linkage_violations("traind", ["libtorch_cpu.so"]), "libtorch_cpu.so")
        self.assert_found(rules.linkage_violations("trainctl", ["libarrow.so.2600"]), "libarrow.so.2600")
        self.assert_found(rules.linkage_violations("traind-shim", ["libsqlite3.so.0"]), "libsqlite3.so.0")
        self.assertEqual([], rules.linkage_violations("traind", ["libsqlite3.so.0"]))

    def test_sizes(self):
        self.write("common/base/long.cc", "int x;\n" * (layers.MAX_LINES + 1))
        self.write("common/base/long2.cc", "int x;\n" * (layers.P90_LINES + 1))
        body = "  Step();\n" * (layers.MAX_FUNCTION_LINES + 1)
        self.write("common/base/f.cc", f"namespace a {{\nint Name(int b) {{\n{body}}}\n}}\n")
        violations = rules.size_violations(self.root)
        self.assert_found(violations, "common/base/long.cc: 601 lines")
        self.assert_found(violations, "common/base/f.cc:2: function Name has")
        self.assert_found(violations, "the median file")
        self.assert_found(violations, "90th percentile")

    def test_metrics(self):
        self.write("docs/reference/metrics.md", "| `traind_gone_total` | `traind_good_seconds` |")
        self.write("server/http/a.cc", 'Add("traind_good_seconds"); Add("traind_bad_ms");')
        violations = rules.metric_violations(self.root)
        for part in ("traind_bad_ms is not in docs", "traind_bad_ms is not in a base unit", "traind_gone_total is exported by nothing"):
            self.assert_found(violations, part)
        self.assertEqual(3, len(violations), violations)

    def test_reasons(self):
        self.write("docs/reference/errors.md", "| GOOD_REASON | KNOWN_CAUSE |")
        self.write("server/api/a.cc", 'return WithReason(absl::InternalError("GOOD"), "GOOD_REASON"); return WithReason(E("x"), "BAD_REASON");')
        self.write("client/lib/b.h", 'inline constexpr char kOther[] = "OTHER_REASON";')
        self.write("common/base/failure.cc", '{"KNOWN_CAUSE", "LOST_CAUSE"}')
        violations = rules.reason_violations(self.root)
        for part in ("BAD_REASON", "OTHER_REASON", "LOST_CAUSE"):
            self.assert_found(violations, part)
        self.assertEqual(3, len(violations), violations)

    def test_calls_made_once(self):
        self.write("proto/a.proto", "rpc Make(MakeRequest) returns (A);\nrpc Pause(PauseRequest) returns (A);\nrpc Get(GetRequest) returns (A);\n"
                                    "rpc Drop(DropRequest) returns (A);\nmessage MakeRequest {\n  string request_id = 1;\n}\n"
                                    "message DropRequest { string request_id = 1; }\nmessage PauseRequest { string request_id = 1; }\n"
                                    "message GetRequest { string name = 1; }\n")
        self.write("server/api/a.h", "grpc::ServerUnaryReactor* Make(int);\ngrpc::ServerUnaryReactor* Pause(int);\n"
                                     "grpc::ServerUnaryReactor* Get(int);\ngrpc::ServerUnaryReactor* Drop(int);\n")
        self.write("server/api/a.cc", 'return AnswerUnimplemented(context, "Pause");')
        self.write("tests/unit/server/api/a_test.cc", "TEST_F(A, DropTwiceDropsOnce) {}")
        violations = rules.twice_violations(self.root)
        self.assert_found(violations, "MakeTwice")
        self.assertEqual(1, len(violations), violations)

    def test_readme(self):
        self.write("common/base/CMakeLists.txt", "traind_library(NAME common_base)\n")
        self.assert_found(rules.readme_violations(self.root), "common/base: has no README.md")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
