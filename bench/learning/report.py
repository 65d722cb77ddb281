"""Report: Markdown tables of an experiment's results, ready for docs/results.md. Pure functions."""
from criteria import first_lasting, median


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def count(number: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:g}"


def markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(line) + " |" for line in (header, *rows)]
    lines.insert(1, "|---|" + "--:|" * (len(header) - 1))
    return "\n".join(lines) + "\n"


def perfect_from(repeat: dict) -> str:
    """Where the yardstick's curve becomes perfect to stay; empty without a curve."""
    point = first_lasting(repeat["curve"], lambda at: at.get("perfect", False))
    if point is None:
        return "not" if repeat["curve"] else ""
    return f"{duration(point['elapsed_s'])}, {count(point['evaluations'])}"


def repeats_table(result: dict) -> str:
    """A row a repeat and one of medians. "perfect from": time and evaluations, by the yardstick's curve where it ever is."""
    repeats = result["repeats"]
    checks = [check["name"] for check in repeats[0]["checks"] if check["name"] != "wall-clock"]
    curves = any(point.get("perfect") for repeat in repeats for point in repeat["curve"])
    header = ["seed", "wall-clock", "CPU", "games", "evaluations", *["perfect from"] * curves, *checks, "passed"]
    rows = []
    for repeat in repeats:
        found = {check["name"]: check["found"] for check in repeat["checks"]}
        rows.append([str(repeat["seed"]), duration(repeat["wall_s"]), duration(repeat["cpu_s"]), count(repeat["games"]),
                     count(repeat["evaluations"]), *[perfect_from(repeat)] * curves,
                     *(found[name] for name in checks), "yes" if repeat["passed"] else "no"])
    if len(repeats) > 1:
        def middle(key):
            return median([repeat[key] for repeat in repeats])
        passed = sum(repeat["passed"] for repeat in repeats)
        rows.append(["median", duration(middle("wall_s")), duration(middle("cpu_s")), count(middle("games")),
                     count(middle("evaluations")), *[""] * curves, *("" for _ in checks),
                     f"{passed} of {len(repeats)}"])
    return markdown(header, rows)


def heading(result: dict) -> str:
    """What was run, where, and what was asked."""
    machine = result["machine"]
    where = f"{machine['cores']} cores of {machine['cpu']}, {machine['memory_gib']} GiB"
    where += f", {machine['gpu']}" if machine["gpu"] else ", no GPU"
    busy = max(repeat["load_before"] for repeat in result["repeats"])
    return (f"## {result['title']}\n`{result['command']}`, commit {result['commit']}; {where}; load before the runs at most "
            f"{busy:.1f}.\nTarget: {result['target']} in {duration(result['limit_s'])}.\n")


def text(result: dict) -> str:
    return heading(result) + "\n" + repeats_table(result)
