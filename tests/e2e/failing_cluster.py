# SPDX-License-Identifier: Apache-2.0
"""A cluster of a test's own whose API server fails on demand, and is well again behind the
test. (pytest finds the fixtures in a file that imports them.)"""

import pytest
from fixpoint_cluster import definitions
from standin.cluster import Cluster


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path / "cluster")
    made.need_standin().folder.mkdir(exist_ok=True)
    made.load(*definitions())
    yield made
    made.close()


@pytest.fixture
def standin(cluster):
    yield cluster.standin
    cluster.standin.faults.clear()
    cluster.standin.thaw()
    cluster.standin.http.stop_listening()  # it is there again, whatever happened
    cluster.standin.reappear()
