"""How a call is refused."""

import re

import pytest


def refused(words, call, error=ValueError):
    """Check that a call raises `error` with these words, not what pybind11 says of arguments."""
    with pytest.raises(error, match=re.escape(words)) as caught:
        call()
    assert "incompatible" not in str(caught.value)
