"""What the tests of the pages share: run the examples of a page, compare, or write them anew with AZ_UPDATE_GOLDEN=1."""
import os
import subprocess
import sys

BIN = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def shown(command, folder, lines=None):
    """What a terminal shows of a command: a list of words, or a line of the shell."""
    words = ["bash", "-c", command] if isinstance(command, str) else command
    done = subprocess.run(words, cwd=folder, input=lines, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=60)
    text = done.stdout
    if lines is not None and not text.endswith("\n"):
        text += "\n"
    return text if done.returncode == 0 else f"{text}[exit code {done.returncode}]\n"


def faults(name, pattern, renewed, shape=lambda text: text):
    """0 where the page `name` says what renewed(match) gives for each of its examples, up to shape; else says what differs."""
    path = os.path.join(ROOT, name)
    with open(path) as file:
        page = file.read()
    now, count = pattern.subn(renewed, page)
    if count == 0:
        print(f"{name} has no example that this test knows")
        return 1
    if os.environ.get("AZ_UPDATE_GOLDEN"):
        with open(path, "w") as file:
            file.write(now)
        return 0
    if shape(now) == shape(page):
        return 0
    for old, new in zip(page.splitlines(), now.splitlines()):
        if shape(old) != shape(new):
            print(f"{name} says\n  {old}\nthe program prints\n  {new}")
            break
    print(f"{name} is out of date: AZ_UPDATE_GOLDEN=1 python3 {os.path.relpath(sys.argv[0], ROOT)} {sys.argv[1]}")
    return 1
