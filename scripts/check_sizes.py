#!/usr/bin/env python3
"""Checks the hard numbers of the style guide: lines of headers, sources, functions and programs, columns."""

import re
import sys

from source_files import ROOT, source_files, without_comments_and_text

HEADER_LINES = 200
SOURCE_LINES = 400
FUNCTION_LINES = 70
PROGRAM_LINES = 120  # the file with main
COLUMNS = 120        # of comments; clang-format keeps code at 100

# "path" or "path function" and why it may be larger.
ALLOWED = {}

CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def functions(text):
    """(name, first line, lines) of every function body that is not inside another."""
    code = without_comments_and_text(text)
    code = re.sub(r"(?m)^[ \t]*#(?:.*\\\n)*.*$", lambda m: "\n" * m.group().count("\n"), code)
    stack, begin, line = [], None, 1
    statement = ""
    for char in code:
        if char == "{":
            inside = any(kind == "function" for kind, _, _ in stack)
            is_container = CONTAINER.search(statement.split("(")[0]) is not None
            is_function = not inside and not is_container and ")" in statement
            name = re.search(r"([~\w:]+(?:operator\W+)?)\s*\(", statement)
            stack.append(("function" if is_function else "other", begin or line, name.group(1) if name else "?"))
            statement, begin = "", None
        elif char == "}":
            if stack:
                kind, first, name = stack.pop()
                if kind == "function":
                    yield name, first, line - first + 1
            statement, begin = "", None
        elif char == ";":
            statement, begin = "", None
        else:
            if begin is None and not char.isspace():
                begin = line
            statement += char
        if char == "\n":
            line += 1


def faults_of(path):
    text = (ROOT / path).read_text()
    lines = text.splitlines()
    limit = SOURCE_LINES
    if path.suffix == ".h" and not path.name.endswith("_inl.h"):
        limit = HEADER_LINES
    if path.match("engine/apps/*_main.cc"):
        limit = PROGRAM_LINES
    if len(lines) > limit and str(path) not in ALLOWED:
        yield f"{path}: {len(lines)} lines, at most {limit}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield f"{path}:{number}: {len(line)} columns, at most {COLUMNS}"
    for name, first, count in functions(text):
        if count > FUNCTION_LINES and f"{path} {name}" not in ALLOWED:
            yield f"{path}:{first}: function {name} has {count} lines, at most {FUNCTION_LINES}"


def main():
    faults = [fault for path in source_files() for fault in faults_of(path)]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    print(f"check_sizes: {len(faults)} fault(s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
