"""Reads the source tree: files, includes, functions. Pure functions of a root folder, so that tests can plant violations in a copy."""

import os
import re
import subprocess

SOURCE_FOLDERS = ("common", "server", "worker", "client", "tools")


def files(root, top, endings):
    """Paths of all files below root/top with one of these endings, relative to root."""
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(os.path.join(root, top)) for name in names if name.endswith(endings))


def sources(root):
    """Paths of all C++ files of the product, relative to root."""
    return sorted(path for top in SOURCE_FOLDERS for path in files(root, top, (".h", ".cc")))


def includes(root, path):
    """Every header that `path` reaches: project headers in full, others by name.

    One preprocessor pass that knows no folder but the root: what it does not find there, -MG lists by its name and goes on.
    """
    command = ["g++", "-MM", "-MG", "-nostdinc", "-std=c++20", "-I", root, "-x", "c++", os.path.join(root, path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{path}: the preprocessor failed: {done.stderr.strip()}")
    words = done.stdout.replace("\\\n", " ").split()[2:]
    return {os.path.relpath(word, root) if word.startswith(root) else word for word in words}


def strip(text):
    """The text without comments and with empty string literals; line numbers stay."""
    pattern = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'')
    return pattern.sub(lambda m: ('""' if m.group(0)[0] in 'R"' else "") + "\n" * m.group(0).count("\n"), text)


def functions(text):
    """(name, first line, number of lines) of each function body that stands in a namespace or class."""
    found = []
    stack = []  # (is function, line of the head, name)
    head_start = 0
    line = 1
    head_line = 1
    clean = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group(0).count("\n"), strip(text), flags=re.M)
    for at, char in enumerate(clean):
        if char == "\n":
            line += 1
        elif char in ";{}":
            head = clean[head_start:at].strip()
            if char == "{":
                inside = any(is_function for is_function, _, _ in stack)
                is_function = not inside and bool(re.search(r"\)\s*(const|noexcept|override|final|->[^{]*|:[^:].*|[A-Z_]+\([^)]*\)|\s)*$", head, re.S)) \
                    and not re.match(r"(namespace|class|struct|enum|union|extern)\b", head) and "(" in head
                name = re.search(r"([\w:~]+)\s*\(", head)
                stack.append((is_function, head_line, name.group(1) if name else ""))
            elif char == "}" and stack:
                is_function, first, name = stack.pop()
                if is_function:
                    found.append((name, first, line - first + 1))
            head_start = at + 1
            head_line = line
        if not clean[head_start:at + 1].strip():
            head_line = line
    return found
