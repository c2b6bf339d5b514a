# SPDX-License-Identifier: Apache-2.0
"""The lines that docs/add-an-operator.md shows are the repository's own."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TABLES = sorted((ROOT / "torchtitan_npu/csrc/aten").glob("ops_*.inc"))


def test_example_lines_are_real():
    text = (ROOT / "docs/add-an-operator.md").read_text()
    blocks = re.findall(
        r"(?:^`([^`\n]+)`\n\n(?:<!--.*?-->\n)?)?```\w+\n(.*?)```", text, re.S | re.M
    )
    assert len(blocks) == 7
    for name, code in blocks:
        sources = [ROOT / name] if name else TABLES
        assert any(code in source.read_text() for source in sources), code
