#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fixpoint beside `limit`, alternately under wrk, as ratios of one run.

`limit` (limit.c) answers a constant with the same libraries: the most this stack
can do. Machines are shared and noisy, so only the ratios mean something. All
servers run on one core, wrk on another where there is one. Nothing but the
loopback address is used, and every process ends with the program.

Without an option all scenarios are measured. Exit status: 0; 1 where a figure of
the table is not met, something regressed, grows worse than linearly or does not
scale, or could not be measured; 2 where what is asked for cannot be meant."""

import argparse
import datetime
import functools
import json
import os
import pathlib
import signal
import statistics
import sys
import tempfile
import time

import api_server
import compare
import curves
import external
import report
import scaling
import table
import wrk
from scenarios import SCENARIOS
from servers import Failed, Misused, fixpoint, limit, make_certificate

ROOT = pathlib.Path(__file__).resolve().parents[2]


def count(text):
    """A number of at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than one")
    return number


def arguments():
    words = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("./dev bench", description=__doc__, formatter_class=words)
    path = {"type": pathlib.Path, "metavar": "FILE"}
    what = parser.add_mutually_exclusive_group()
    add = what.add_argument
    add("--table", action="store_true", help="only the figures that Fixpoint promises")
    add("--curves", action="store_true", help="how cost grows with work, and the pictures")
    add("--scaling", action="store_true", help="from one core to two")
    add("--create", action="store_true", help="only what is added to a create (see --creates)")
    add("--list", action="store_true", help="the names of the scenarios")
    add("--from", dest="saved", help="the scenarios of a saved run; nothing is measured", **path)
    add = parser.add_argument
    add("--only", default="", metavar="TEXT", help="scenarios or curves whose name has this")
    add("--quick", action="store_true", help="a short try: few scenarios, one round of a second")
    number = {"type": count, "metavar": "N"}
    add("--rounds", help="of each server (default 3)", **number)
    add("--times", default=1, help="the whole --table so often (default 1)", **number)
    add("--seconds", help="of each run of wrk (default 4)", **number)
    add("--creates", help="of Pods in a round, of each webhook (default 200)", **number)
    add("--json", help="of the figures (default build/bench*.json)", **path)
    add("--markdown", action="store_true", help="print the result as a table of Markdown, too")
    add("--compare", help="with a saved run of the scenarios", **path)
    percent = {"type": float, "metavar": "PERCENT", "default": 10}
    add("--threshold", help="that it may get worse by (default 10)", **percent)
    path["metavar"] = "DIR"
    add("--pictures", help="of curves (default docs/performance, --quick: build)", **path)
    add("--build", default=ROOT / "build/release", help="(default build/release)", **path)
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.seconds = options.seconds or (1 if options.quick else 4)
    pictures = ROOT / ("build" if options.quick else "docs") / "performance"
    options.pictures = options.pictures or pictures
    options.creates = options.creates or (20 if options.quick else 200)
    return options


def save(options, kind, found):
    """Beside what tells under which circumstances."""
    path = options.json or ROOT / f"build/bench{kind}.json"
    about = {
        "when": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "rounds": options.rounds,
        "seconds": options.seconds,
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"about": about, **found}, indent=1) + "\n")


# ---- scenarios ------------------------------------------------------------------------


def measure_scenario(scenario, certificate, folder, options):
    """{"fixpoint": [figures of each round], "limit": [...]}"""
    policies, review = scenario.write(folder)
    load = wrk.Load(review, scenario.connections, options.seconds, scenario.reconnect)
    with fixpoint(options.build, certificate, policies) as ours:
        with limit(options.build, certificate) as theirs:
            servers = {"fixpoint": ours, "limit": theirs}
            return wrk.alternate(servers, load, options.rounds)


def wanted(options):
    """(scenarios, is external data among them)"""
    named = [one for one in SCENARIOS if options.only in one.name]
    if options.quick and not options.only:
        return [one for one in named if one.quick], False
    return named, options.only in external.NAME


def attempt(name, measure):
    """What it gives, and True; told where it cannot be measured, and the others go on."""
    try:
        return measure(), True
    except Misused:
        raise
    except Failed as failed:
        print(f"{name}\n  not measured: {failed}", flush=True)
        return None, False


def measure_scenarios(options):
    """({name: result}, of external data or None, could all be measured)"""
    scenarios, with_external = wanted(options)
    results, outside, complete = {}, None, True
    print(report.HEAD)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        certificate = make_certificate(folder)
        for one in scenarios:
            measure = functools.partial(measure_scenario, one, certificate, folder, options)
            result, good = attempt(one.name, measure)
            complete = complete and good
            if good:
                results[one.name] = result
                print(report.scenario(one.name, result), flush=True)
        if with_external:
            how = certificate, folder, options.rounds, options.seconds
            measure = functools.partial(external.measure, options.build, *how)
            outside, good = attempt(external.NAME, measure)
            complete = complete and good
            if good:
                print(external.text(outside))
    print(report.LEGEND)
    return results, outside, complete


def read(path):
    try:
        return json.loads(path.read_text())["scenarios"]
    except (OSError, ValueError, KeyError) as wrong:
        raise Failed(f"{path} is no saved run of the scenarios: {wrong}") from None


def run_scenarios(options):
    before = read(options.compare) if options.compare else None  # it may be written over
    complete = True
    if options.saved:
        saved = read(options.saved).items()
        results = {name: one for name, one in saved if options.only in name}
        for name, result in results.items():
            print(report.scenario(name, result))
    else:
        results, outside, complete = measure_scenarios(options)
        save(options, "", {"scenarios": results, "external": outside})
    if options.markdown:
        print("\n" + report.markdown(results))
    if before is not None:
        text, is_worse = compare.report(
            compare.changes(before, results), options.threshold / 100
        )
        print("\n" + text)
        complete = complete and not is_worse
    return complete


# ---- the other modes ------------------------------------------------------------------


def measure_table(options):
    how = options.build, options.rounds, options.seconds, options.creates
    found, notes = table.measure(*how)
    print("\n".join([table.text(found), *notes]), flush=True)
    return found, notes


def run_table(options):
    measured = []
    for turn in range(options.times):
        if options.times > 1:
            print(f"{turn + 1} of {options.times}", flush=True)
        one, good = attempt("the table", functools.partial(measure_table, options))
        if good:
            measured.append(one)
            plain = [{"table": table.plain(found), "notes": notes} for found, notes in measured]
            save(options, "-table", {"tables": plain})
    tables = [found for found, _ in measured]
    if options.times > 1:
        print(table.text_of_all(tables, options.times))
    if options.markdown:
        for found in tables:
            print("\n" + table.markdown(found))
        if options.times > 1:
            print("\n" + table.markdown_of_all(tables, options.times))
    return len(tables) == options.times and all(map(table.all_met, tables))


def run_curves(options):
    found = curves.measure(options.build, options.pictures, options.quick, options.only)
    print(curves.text(found))
    print(f"the pictures are in {options.pictures}")
    if options.markdown:
        print("\n" + curves.markdown(found))
    save(options, "-curves", {"curves": found})
    steep = curves.too_steep(found)
    if steep:
        print(f"bench: worse than linear: {', '.join(steep)}")
    lacking = curves.incomplete(found, options.quick, options.only)
    if lacking:
        print(f"bench: not all points were measured: {', '.join(lacking)}")
    return bool(found) and not steep and not lacking


def run_scaling(options):
    print(scaling.HEAD)
    found = scaling.measure(options.build, options.rounds, options.seconds, options.quick)
    print(scaling.LEGEND)
    if options.markdown:
        print("\n" + scaling.markdown(found))
    save(options, "-scaling", {"scaling": found})
    bad = list(scaling.bad(found))
    for one in bad:
        print(f"bench: {one}")
    return not bad


def run_create(options):
    how = options.rounds, options.creates
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            found = api_server.measure(options.build, make_certificate(folder), folder, *how)
    except api_server.Skipped as skipped:
        raise Misused(skipped) from None
    print(api_server.text(found))
    if options.markdown:
        print("\n" + api_server.markdown(found))
    save(options, "-create", {"create": found})
    return table.ADDED.is_met(statistics.median(api_server.added_on_reference(found)))


def run_list(_):
    print("\n".join([*(one.name for one in SCENARIOS), external.NAME]))
    return True


def run(options):
    """True: all is well."""
    modes = {
        run_list: options.list,
        run_table: options.table,
        run_curves: options.curves,
        run_scaling: options.scaling,
        run_create: options.create,
    }
    chosen = [mode for mode, is_wanted in modes.items() if is_wanted]
    return (chosen or [run_scenarios])[0](options)


def end_on(number, _):
    """Ends what was started, too: a signal by itself would not."""
    sys.exit(128 + number)


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_on)
    began = time.monotonic()
    try:
        good = run(arguments())
        sys.stdout.flush()
    except BrokenPipeError:  # who read this had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        good = False
    except (Failed, OSError) as failed:
        print(f"bench: {failed}", file=sys.stderr)
        sys.exit(2 if isinstance(failed, Misused) else 1)
    minutes, seconds = divmod(round(time.monotonic() - began), 60)
    print(f"bench: took {minutes} min {seconds} s", file=sys.stderr)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
