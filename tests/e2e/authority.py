# SPDX-License-Identifier: Apache-2.0
"""Authorities, and what they sign for clients, made by `openssl`."""

import datetime
import subprocess

CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256"]
CLIENT = "keyUsage=digitalSignature\nextendedKeyUsage=clientAuth\n"
SERVER = "keyUsage=digitalSignature\nextendedKeyUsage=serverAuth\n"
UNNAMED = "keyUsage=digitalSignature\n"  # says nothing about who may use it
AUTHORITY = "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign\n"
# Of `openssl ca`, which signs for other times than now.
LEDGER = """\
[ca]
default_ca = here
[here]
database = {0}.index
new_certs_dir = {1}
rand_serial = yes
unique_subject = no
policy = any
[any]
organizationName = optional
commonName = optional
"""


def openssl(*arguments):
    command = ["openssl"] + [str(argument) for argument in arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def moment(days):
    """So many days from now, as `openssl ca` takes it."""
    then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
    return then.strftime("%Y%m%d%H%M%SZ")


class Identity:
    """A certificate with its chain, and its key, in files."""

    def __init__(self, cert, key):
        self.cert, self.key = cert, key


class Authority:
    """Signs; `cert` is what a file of --client-ca holds."""

    def __init__(self, folder, name, parent=None):
        self.folder, self.name, self.parent = folder, name, parent
        self.cert, self.key = folder / (name + ".crt"), folder / (name + ".key")
        if parent is None:
            openssl(
                "req", "-x509", *CURVE, "-days", 30, "-subj", "/CN=" + name,
                "-keyout", self.key, "-out", self.cert,
            )  # fmt: skip
        else:
            signed = parent.sign(name, "/CN=" + name, AUTHORITY)
            self.cert, self.key = signed.cert, signed.key

    def pem(self):
        return self.cert.read_text()

    def sign(self, name, subject, extensions=CLIENT, days=10, at=0):
        """A leaf, or an authority below this one, with what is between it and the root. It is
        valid for so many days from now, or from the day `at` on."""
        base = self.folder / ("%s-%s" % (self.name, name))
        key, wanted, cert = (base.with_suffix(end) for end in (".key", ".csr", ".crt"))
        base.with_suffix(".ext").write_text(extensions)
        openssl(
            "req", "-new", *CURVE, "-subj", subject, "-multivalue-rdn",
            "-keyout", key, "-out", wanted,
        )  # fmt: skip
        if at:
            self._sign_later(base, days, at)
        else:
            openssl(
                "x509", "-req", "-sha256", "-in", wanted, "-CA", self.cert, "-CAkey", self.key,
                "-CAcreateserial", "-days", days, "-extfile", base.with_suffix(".ext"),
                "-out", cert,
            )  # fmt: skip
        if self.parent is not None and extensions != AUTHORITY:
            cert.write_text(cert.read_text() + self.pem())
        return Identity(cert, key)

    def _sign_later(self, base, days, at):
        """As `x509 -req` does it, which knows no other day than this one."""
        base.with_suffix(".index").touch()
        base.with_suffix(".cnf").write_text(LEDGER.format(base, self.folder))
        openssl(
            "ca", "-batch", "-notext", "-preserveDN", "-md", "sha256",
            "-config", base.with_suffix(".cnf"), "-cert", self.cert, "-keyfile", self.key,
            "-startdate", moment(at), "-enddate", moment(at + days),
            "-extfile", base.with_suffix(".ext"),
            "-in", base.with_suffix(".csr"), "-out", base.with_suffix(".crt"),
        )  # fmt: skip
