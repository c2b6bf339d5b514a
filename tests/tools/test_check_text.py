# SPDX-License-Identifier: Apache-2.0
"""The text check finds each kind of breach, and nothing in a clean file."""

import pytest

from tools.check_text import SPDX, problems

HEAD = f"# {SPDX}\n"


def test_a_clean_file_has_no_problem():
    assert list(problems("a.py", (HEAD + "x = 1\n").encode())) == []
    assert list(problems("a.md", b"# Title\n")) == []
    assert list(problems("empty.py", b"")) == []


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (HEAD + "x = 1", 2, "no newline"),
        (HEAD + "x = 1\n\n", 3, "blank line"),
        (HEAD + "x = 1 \n", 2, "space at the end"),
        ("x = 1\n", 1, "lack SPDX"),
        (HEAD + "<" * 7 + " mine\n", 2, "merge conflict"),
        (HEAD + 'path = "' + "/ro" + 'ot/data"\n', 2, "one machine only"),
        (HEAD + "#" * 300_000 + "\n", 1, "the limit is"),
    ],
)
def test_a_breach_is_found_at_its_line(text, line, what):
    found = list(problems("a.py", text.encode()))
    assert [number for number, _ in found] == [line]
    assert what in found[0][1]
