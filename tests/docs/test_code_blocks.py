# SPDX-License-Identifier: Apache-2.0
"""The Python in the documents runs.

The blocks of one document run in order in one process, as a reader would type them. A block after
`<!-- not run: reason -->` is left out.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?P<skip><!-- not run: .+? -->\n)?^```python\n(?P<code>.*?)^```$", re.M | re.S)
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[str]:
    return [found["code"] for found in BLOCK.finditer(text) if not found["skip"]]


def with_code() -> list[str]:
    names = (path.relative_to(ROOT).as_posix() for path in DOCUMENTS)
    return [name for name in names if blocks((ROOT / name).read_text())]


@pytest.mark.parametrize("document", with_code())
def test_the_python_of_a_document_runs(document, run_python):
    done = run_python("-c", "\n".join(blocks((ROOT / document).read_text())))
    assert done.returncode == 0, done.stderr


def test_blocks_are_found_and_marked_ones_left_out():
    text = "a\n```python\nx = 1\n```\n<!-- not run: needs a card -->\n```python\ny = 1\n```\n"
    assert blocks(text + "```bash\nls\n```\n") == ["x = 1\n"]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(path):
    for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text()):
        if not re.match(r"[a-z]+:", link):
            assert (path.parent / link).exists(), f"{path.name} links to {link}"


def test_commands_of_the_documents_are_verbs_of_the_makefile():
    verbs = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for path in DOCUMENTS:
        named = set(re.findall(r"(?:^|`)make ([a-z-]+)", path.read_text(), re.M))
        assert named <= verbs, path
