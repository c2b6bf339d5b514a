# SPDX-License-Identifier: Apache-2.0
"""Measurements of the product against its peers, in one run: `python -m bench --help`.

Each bench is a module with `run(options) -> Result`; its figures are held to targets.toml.
"""
