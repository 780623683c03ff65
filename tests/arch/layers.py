"""The layer table of docs/design/architecture.md as data.

A folder may include its own files, the project folders and files in `project`, and the external families in `external`; the standard
library and Abseil always. A folder that is not listed fails.
"""

from dataclasses import dataclass, field

# Family → prefixes of include names.
FAMILIES = {
    "absl": ("absl/",),
    "arrow": ("arrow/", "parquet/"),
    "cli": ("CLI/",),
    "cuda": ("cuda", "nccl", "cublas"),
    "grpc": ("grpcpp/", "grpc/", "grpc++/"),
    "gtest": ("gtest/", "gmock/"),
    "httplib": ("httplib.h",),
    "json": ("nlohmann/",),
    "openssl": ("openssl/",),
    "prometheus": ("prometheus/",),
    "protobuf": ("google/",),
    "re2": ("re2/",),
    "sqlite": ("sqlite3",),
    "torch": ("torch/", "ATen/", "c10/"),
    "yaml": ("yaml-cpp/",),
}

# Generated headers: prefix of the include name → pseudo folder.
GENERATED = {
    "traind/v1/": "proto/traind/v1",
    "traind/internal/v1/": "proto/traind/internal/v1",
    "traind/config/v1/": "proto/traind/config/v1",
    "traind/options/v1/": "proto/traind/options/v1",
    "google/rpc/": "proto/google/rpc",
    "inference/": "proto/inference",
}


@dataclass(frozen=True)
class Layer:
    project: tuple = ()
    external: tuple = field(default=())


PROTOS = ("proto/traind/v1", "proto/traind/config/v1", "proto/traind/options/v1")
ENGINE = ("common/base", "common/stats", "common/os", "common/ckpt", "common/obs", "worker/task", "worker/data", "worker/envs",
          "worker/models", "worker/train", "worker/rl", "worker/supervised", "worker/parallel")

LAYERS = {
    "common/base": Layer(),
    "common/stats": Layer(),
    "common/os": Layer(("common/base",), ("openssl",)),
    "common/obs": Layer(("common/base", "common/os"), ("prometheus", "httplib", "json")),
    "common/ckpt": Layer(("common/base", "common/os"), ("json",)),
    "common/fault": Layer(("common/base", "common/os")),
    "common/spec": Layer(("common/base",) + PROTOS, ("protobuf", "yaml", "json", "re2", "openssl")),
    "common/rpc": Layer(("common/base", "common/os", "common/obs", "proto/google/rpc"), ("grpc", "protobuf")),
    "server/domain": Layer(("common/base", "common/stats")),
    "server/scheduler": Layer(("common/base", "server/domain")),
    "server/store": Layer(("common/base", "common/os", "server/domain"), ("sqlite", "json")),
    "server/launcher": Layer(("common/base", "common/os", "server/domain"), ("json",)),
    "server/supervisor": Layer(("common/base", "common/os", "common/obs", "common/ckpt", "server/domain", "server/scheduler",
                                "server/store/job_store.h", "server/launcher")),
    "server/api": Layer(("common/base", "common/os", "common/obs", "common/ckpt", "common/spec", "common/rpc", "server/domain",
                         "server/store/job_store.h", "server/supervisor/supervisor.h", "server/supervisor/worker_sessions.h",
                         "proto/traind/internal/v1") + PROTOS, ("grpc", "protobuf", "json")),
    "server/http": Layer(("common/base", "common/os", "common/obs", "server/domain", "server/store/job_store.h",
                          "server/supervisor/supervisor.h", "server/supervisor/worker_sessions.h"), ("prometheus", "json")),
    "server/app": Layer(("common", "server") + PROTOS, ("grpc", "protobuf", "cli")),
    "worker/task": Layer(("common/base", "common/os")),
    "worker/shim": Layer(("common/base", "common/os"), ("json",)),
    "worker/agent": Layer(("common", "worker/task", "proto/traind/v1", "proto/traind/internal/v1"), ("grpc", "protobuf", "json", "prometheus")),
    "worker/data": Layer(ENGINE, ("arrow", "json", "openssl")),
    "worker/envs": Layer(ENGINE, ("torch", "json")),
    "worker/models": Layer(ENGINE, ("torch", "json")),
    "worker/train": Layer(ENGINE, ("torch", "json")),
    "worker/rl": Layer(ENGINE, ("torch", "json")),
    "worker/supervised": Layer(ENGINE, ("torch", "json")),
    "worker/parallel": Layer(ENGINE, ("torch",)),
    "worker/app": Layer(("common/base", "common/os", "common/obs", "worker"), ("cli",)),
    "client/lib": Layer(("common/base", "common/spec", "common/rpc", "proto/traind/v1"), ("grpc", "protobuf", "openssl")),
    "client/trainctl": Layer(("common/base", "common/os", "common/spec", "common/rpc", "client/lib") + PROTOS, ("cli", "json", "protobuf", "grpc")),
    "tools": Layer(("common/base", "common/spec") + PROTOS, ("protobuf",)),
}

# Networks and optimisers come from these folders only.
MAY_CONSTRUCT_NETWORKS = ("worker/models", "worker/train", "worker/rl", "worker/supervised")
CONSTRUCTION = r"torch::nn::(?!Module\b|init\b|functional\b|utils\b)[A-Z]\w*|torch::optim::\w+|register_module\s*\(|_fused_(adam|adamw|sgd)_"

# Token → folders that may hold it (prefixes). Checked outside comments and strings.
BANNED = {
    r"\babsl::Now\s*\(": ("common/base",),
    r"\bstd::chrono::(system|steady)_clock::now": ("common/base",),
    r"\bsleep_for\b|\babsl::SleepFor\b|\busleep\s*\(|\bnanosleep\s*\(": (),
    r"\bgetenv\s*\(": (),
    r"\bsystem\s*\(|\bpopen\s*\(": (),
    r"\bstrcpy\s*\(|\bsprintf\s*\(": (),
    r"\bf(data)?sync\s*\(": ("common/os",),
    r"\bfork\s*\(|\bexecve?p?\s*\(|\bposix_spawnp?\s*\(": ("common/os", "worker/shim"),
    r"\bstd::(mutex|condition_variable|shared_mutex|recursive_mutex)\b": ("common/base",),
    r"\babsl::Mutex\b": (),
    r"\bInsecureServerCredentials\b": (),
    r"\bclip_grad_norm_\b": (),
    r"\bdlopen\s*\(": ("worker/gpu", "worker/parallel"),
}
# Pure layers hold neither threads nor clock reads.
PURE = ("server/domain", "server/scheduler")
PURE_BANNED = r"\bstd::(thread|jthread|async)\b|\bSystemClock\b|\bMutex\b"

MEDIAN_LINES, P90_LINES, MAX_LINES, MAX_FUNCTION_LINES = 120, 350, 600, 50
