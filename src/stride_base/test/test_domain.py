"""The ROS domain of the environment."""

import pytest

from stride_base.domain import check_domain
from stride_base.errors import ConfigError


@pytest.mark.parametrize("text", ["", "0", "7", "232"])
def test_a_domain(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    check_domain()


@pytest.mark.parametrize("text", ["abc", "-1", "233", "9999", "1.5", " 1", "²"])
def test_what_is_no_domain_is_refused_in_one_sentence(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    with pytest.raises(ConfigError, match=r"'ROS_DOMAIN_ID' is .*; expected an integer from 0"):
        check_domain()
