"""The repository's own C++ files, for the check scripts."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREES = ("base", "games", "mcts", "scheduler", "engine", "bench", "tests")
SUFFIXES = {".h", ".cc", ".cu"}


def source_files(trees=TREES):
    """Paths relative to the root, sorted."""
    for tree in trees:
        for path in sorted((ROOT / tree).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path.relative_to(ROOT)


def without_comments_and_text(text):
    """The code with comments, string and character literals blanked; line breaks stay where they are."""
    out = []
    i = 0
    while i < len(text):
        if text.startswith("//", i):
            end = text.find("\n", i)
            end = len(text) if end < 0 else end
        elif text.startswith("/*", i):
            end = text.find("*/", i)
            end = len(text) if end < 0 else end + 2
        elif text.startswith('R"', i):
            opening = text.find("(", i)
            end = text.find(")" + text[i + 2:opening] + '"', i)
            end = len(text) if end < 0 else end + (opening - i)
        elif text[i] in "\"'" and not (text[i] == "'" and i > 0 and text[i - 1].isalnum()):
            end = i + 1
            while end < len(text) and text[end] != text[i] and text[end] != "\n":
                end += 2 if text[end] == "\\" else 1
            end += 1
        else:
            out.append(text[i])
            i += 1
            continue
        out.append("".join(c if c == "\n" else " " for c in text[i:end]))
        i = end
    return "".join(out)
