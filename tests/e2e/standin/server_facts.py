# SPDX-License-Identifier: Apache-2.0
"""What the server says about itself: its version, and the page of metrics, as much of it as
tells the feature gates apart from the thousands of lines around them."""

VERBS = ("APPLY", "DELETE", "GET", "LIST", "PATCH", "POST", "PUT", "WATCH")
BUCKETS = [str(0.005 * step) for step in range(1, 60)] + ["+Inf"]


def version(minor):
    """The answer of /version in release 1.`minor`."""
    return {
        "major": "1",
        "minor": str(minor),
        "gitVersion": "v1.%s.0-standin" % minor,
        "gitCommit": "0",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "go1.23.5",
        "compiler": "gc",
        "platform": "linux/amd64",
    }


def _durations():
    name = "apiserver_request_duration_seconds"
    yield "# HELP %s [STABLE] Response latency distribution in seconds." % name
    yield "# TYPE %s histogram" % name
    for verb in VERBS:
        for bucket in BUCKETS:
            yield '%s_bucket{group="",resource="pods",verb="%s",le="%s"} 7' % (name, verb, bucket)


def metrics(gates):
    """The page /metrics. gates: feature gate -> whether it is on."""
    name = "kubernetes_feature_enabled"
    lines = list(_durations())
    if gates:
        lines.append("# HELP %s [BETA] This metric records the data about the stage." % name)
        lines.append("# TYPE %s gauge" % name)
    for gate, on in sorted(gates.items()):
        lines.append('%s{name="%s",stage="BETA"} %d' % (name, gate, on))
    lines.append("process_start_time_seconds 1.73e+09")
    return ("\n".join(lines) + "\n").encode()
