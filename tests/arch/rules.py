"""The rules. Each returns a list of sentences, one for each violation; an empty list means that the tree obeys."""

import os
import re
import statistics

import layers
import scan


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def folder_of(path):
    """The layer that a file belongs to: the longest listed prefix."""
    matches = [name for name in layers.LAYERS if path.startswith(name + "/")]
    return max(matches, key=len) if matches else None


def family_of(include):
    for family, prefixes in layers.FAMILIES.items():
        if include.startswith(prefixes):
            return family
    return None


def generated_folder(include):
    for prefix, folder in layers.GENERATED.items():
        if include.startswith(prefix) and include.endswith(".pb.h"):
            return folder
    return None


def below(path, allowed):
    return any(path == entry or path.startswith(entry + "/") for entry in allowed)


def check_include(path, include, layer, own):
    """None, or what is wrong with one include of one file."""
    generated = generated_folder(include)
    if generated:
        if include.endswith(".grpc.pb.h") and "grpc" not in layer.external:
            return "gRPC stubs"
        return None if below(generated, layer.project) else f"generated headers of {generated}"
    if include.split("/")[0] in scan.SOURCE_FOLDERS:
        if include.startswith(own + "/") or below(include, layer.project):
            return None
        return "a layer that it may not use"
    if include.startswith("tests/"):
        return "test code"
    family = family_of(include)
    if family in (None, "absl") or family in layer.external:
        return None
    return f"the library {family}"


def layer_violations(root, torch_folders=()):
    """Includes, transitive ones too, against the table. `torch_folders` use the torch precompiled header, which counts as an include."""
    found = []
    for path in scan.sources(root):
        own = folder_of(path)
        if own is None:
            found.append(f"{path}: stands in no layer of tests/arch/layers.py; add its folder there or move it")
            continue
        layer = layers.LAYERS[own]
        for include in sorted(scan.includes(root, path)):
            wrong = check_include(path, include, layer, own)
            if wrong and not (own == "server/app" or own == "worker/app") or wrong == "test code":
                found.append(f"{path}: reaches {include}, {wrong}; {own} may use {', '.join(layer.project + layer.external) or 'nothing'}")
    for folder in torch_folders:
        own = folder_of(folder + "/x.cc")
        if own and own != "worker/app" and "torch" not in layers.LAYERS[own].external:
            found.append(f"{folder}: is built with the torch precompiled header, but {own} may not use torch")
    return found


# What no program but traind-worker may load; of the libraries that it needs, one copy each, and no second BLAS.
ENGINE_LIBRARIES = ("libtorch", "libc10", "libarrow", "libparquet", "libcuda")
WORKER_LIBRARIES = ("libprotobuf.so", "libgomp.so", "libtorch_cpu.so", "libarrow.so")
OTHER_BLAS = ("libblas", "libopenblas", "libcblas", "liblapack", "libmkl")


def linkage_violations(binary, libraries):
    """`libraries` are the file names that `binary` loads."""
    found = []
    if binary != "traind-worker":
        found += [f"{binary}: loads {name}, which is the worker's" for name in libraries if name.startswith(ENGINE_LIBRARIES)]
    else:
        for name in WORKER_LIBRARIES:
            copies = len([library for library in libraries if library.startswith(name)])
            if copies != 1:
                found.append(f"{binary}: loads {copies} copies of {name}, not one")
        found += [f"{binary}: loads {name}; libtorch_cpu has a BLAS already" for name in libraries if name.startswith(OTHER_BLAS)]
    if binary != "traind":
        found += [f"{binary}: loads {name}; the store belongs to traind" for name in libraries if name.startswith("libsqlite")]
    return found


def token_violations(root):
    found = []
    for path in scan.sources(root):
        code = scan.strip(read(root, path))
        own = folder_of(path) or ""
        rules = dict(layers.BANNED)
        if own.startswith(layers.PURE):
            rules[layers.PURE_BANNED] = ()
        if not path.startswith(layers.MAY_CONSTRUCT_NETWORKS):
            rules[layers.CONSTRUCTION] = ()
        for pattern, allowed in rules.items():
            if path.startswith(tuple(folder + "/" for folder in allowed)):
                continue
            for match in re.finditer(pattern, code):
                line = code.count("\n", 0, match.start()) + 1
                found.append(f"{path}:{line}: '{match.group(0).strip()}' is not allowed in {own or 'this folder'}")
    return found


def size_violations(root):
    found = []
    counts = []
    for path in scan.sources(root):
        text = read(root, path)
        lines = text.count("\n")
        counts.append(lines)
        if lines > layers.MAX_LINES:
            found.append(f"{path}: {lines} lines, at most {layers.MAX_LINES}; split it by idea")
        for name, first, length in scan.functions(text):
            if length > layers.MAX_FUNCTION_LINES:
                found.append(f"{path}:{first}: function {name} has {length} lines, at most {layers.MAX_FUNCTION_LINES}")
    if counts:
        median = statistics.median(counts)
        p90 = sorted(counts)[int(0.9 * (len(counts) - 1))]
        if median > layers.MEDIAN_LINES:
            found.append(f"the median file has {median} lines, at most {layers.MEDIAN_LINES}")
        if p90 > layers.P90_LINES:
            found.append(f"the 90th percentile of file lengths is {p90} lines, at most {layers.P90_LINES}")
    return found


def readme_violations(root):
    found = []
    for folder, _, files in os.walk(root):
        relative = os.path.relpath(folder, root)
        if relative.split(os.sep)[0] not in scan.SOURCE_FOLDERS + ("proto", "tests") or "CMakeLists.txt" not in files:
            continue
        is_library = re.search(r"^traind_library\(", read(root, os.path.join(relative, "CMakeLists.txt")), re.M)
        if (is_library or os.sep not in relative) and "README.md" not in files:
            found.append(f"{relative}: has no README.md")
        elif is_library and "README.md" in files and read(root, os.path.join(relative, "README.md")).count("\n") > 60:
            found.append(f"{relative}/README.md: more than 60 lines")
    return found


def mixed_unit_violations(root, torch_folders):
    """Torch headers and generated proto headers never meet in one translation unit."""
    found = []
    for path in scan.sources(root):
        reached = scan.includes(root, path)
        torch = path.startswith(tuple(folder + "/" for folder in torch_folders)) or any(family_of(i) == "torch" for i in reached)
        protos = [i for i in reached if i.endswith(".pb.h")]
        if torch and protos:
            found.append(f"{path}: includes torch and {protos[0]}")
    return found


def metric_violations(root):
    """Every metric is named traind_<what>_<unit> in base units and has a row in docs/reference/metrics.md."""
    found = []
    page = os.path.join(root, "docs/reference/metrics.md")
    documented = set(re.findall(r"`(traind_\w+)`", read(root, "docs/reference/metrics.md"))) if os.path.exists(page) else set()
    used = set()
    for path in scan.sources(root):
        for name in re.findall(r'"(traind_[a-z0-9_]+)"', read(root, path)):
            used.add(name)
            if name not in documented:
                found.append(f"{path}: metric {name} is not in docs/reference/metrics.md")
            if re.search(r"_(ms|us|ns|sec|kb|mb|gb|milliseconds|minutes|percent)(_total)?$", name):
                found.append(f"{path}: metric {name} is not in a base unit")
    return found + [f"docs/reference/metrics.md: {name} is exported by nothing" for name in sorted(documented - used)]


def reason_violations(root):
    """Every reason and failure cause that an error can carry is in docs/reference/errors.md."""
    path = "docs/reference/errors.md"
    documented = set(re.findall(r"\b[A-Z][A-Z_]{2,}\b", read(root, path))) if os.path.exists(os.path.join(root, path)) else set()
    found = []
    for source in scan.sources(root):
        text = read(root, source)
        # Named ones: the client's own and those of the queue.
        named = source.startswith(("client/", "server/scheduler/"))
        reasons = set(re.findall(r'constexpr (?:absl::string_view|char) k\w+(?:\[\])? = "([A-Z][A-Z_]{3,})"', text)) if named else set()
        for statement in text.split(";"):
            if "WithReason(" in statement:
                reasons.update(re.findall(r'"([A-Z][A-Z_]{3,})"\)*$', statement))
        if source == "common/base/failure.cc":
            reasons.update(re.findall(r'"([A-Z][A-Z_]{2,})"', text))
        found += [f"{source}: {reason} is not in {path}" for reason in sorted(reasons - documented)]
    return found


def twice_violations(root):
    """Every implemented call that changes something has a test, named after it, that makes it twice."""
    calls, changing, bodies, tests = {}, set(), "", ""
    for path in scan.files(root, "proto", (".proto",)):
        text = read(root, path)
        calls.update(re.findall(r"rpc (\w+)\(\s*(\w+)\s*\)", text))
        changing.update(re.findall(r"message (\w+) \{[^}]*\bstring request_id\b", text))
    for path in scan.files(root, "server/api", (".cc", ".h")):
        bodies += read(root, path)
    for path in scan.files(root, "tests/unit/server/api", (".cc",)):
        tests += read(root, path)
    found = []
    for call, request in sorted(calls.items()):
        implemented = re.search(rf"ServerUnaryReactor\*[\s\w:]*\b{call}\(", bodies) and f'"{call}")' not in bodies
        if request in changing and implemented and not re.search(rf"TEST_F\(\w+, {call}Twice", tests):
            found.append(f"tests/unit/server/api: no test {call}Twice… makes this call twice")
    return found
