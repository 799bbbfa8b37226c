# SPDX-License-Identifier: Apache-2.0
"""python3 -m hostile ATTACK PORT CERTIFICATE [N [idle]]: an attack on a server of this
machine.

Says `ready` on a line of its own at full strength, goes on until its input ends, or for
five minutes, and then says what it did, as JSON."""

import json
import os
import resource
import sys
import threading
import time

from hostile.attackers import ATTACKS
from hostile.line import Target

LONGEST = 300


def main(name, port, certificate, n=0, idle=""):
    if idle:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    attack = ATTACKS[name](Target(int(port), certificate), int(n))

    def wait_for_the_end():
        sys.stdin.read()
        attack.ending = True

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    deadline = time.monotonic() + LONGEST
    attack.prepare()
    print("ready", flush=True)
    while not attack.ending and time.monotonic() < deadline:
        attack.step()
    attack.end()
    print(json.dumps(attack.counts), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
