# SPDX-License-Identifier: Apache-2.0
"""The stand-in by hand: serves until it is interrupted."""

import argparse
import pathlib
import sys
import tempfile
import threading

from . import documents
from .server import Standin


def main():
    parser = argparse.ArgumentParser(prog="python3 -m standin", description=__doc__)
    parser.add_argument("paths", nargs="*", help="YAML or JSON to load: files, folders")
    parser.add_argument("--port", type=int, default=0, help="default: any free one")
    parser.add_argument(
        "--folder", help="for certificates and kubeconfigs (default: a new one)"
    )
    parser.add_argument(
        "--user",
        action="append",
        default=[],
        help="a further kubeconfig, for " "a user NAME or a service account NAMESPACE:NAME",
    )
    options = parser.parse_args()
    folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="standin-"))
    standin = Standin(folder, options.port)
    standin.load(*documents.of_files(*options.paths))
    print("serving %s" % standin.url)
    print("export KUBECONFIG=%s" % standin.kubeconfig)
    for user in options.user:
        namespace, _, name = user.rpartition(":")
        who = "system:serviceaccount:%s:%s" % (namespace, name) if namespace else name
        print("export KUBECONFIG=%s  # %s" % (standin.kubeconfig_for(who), who))
    sys.stdout.flush()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        standin.close()


if __name__ == "__main__":
    main()
