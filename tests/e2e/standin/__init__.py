# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a Kubernetes API server (see README.md)."""
