from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from srt.io.errors import UserError
from srt.io.yaml_config import read_config
from srt.llm.config import EndpointConfig, Price
from srt.llm.endpoint.client import EndpointClient
from srt.llm.llm_errors import EndpointFault


@pytest.mark.parametrize("url", ["http://localhost:8000/v1", "https://api.openai.com/v1", "http://[::1]:80/v1/"])
def test_addresses(url: str) -> None:
    assert EndpointConfig(base_url=url).base_url == (url,)
    both = EndpointConfig.model_validate({"base_url": [url, "http://b/v1"], "in_flight": 8})
    assert (both.base_url, both.address, both.at_once) == ((url, "http://b/v1"), f"{url} and 1 more", 16)


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "ftp://host", "http://", "http://host:99999/v1", "http://h:x", "http://a b", "http://h?x=1"],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(ValidationError):
        EndpointConfig(base_url=url)
    with pytest.raises(ValidationError):
        EndpointConfig(base_url=["http://h/v1", url])


@pytest.mark.parametrize(
    "fields",
    [
        {"base_url": "http://user:sk-secret@host/v1"},
        {"base_url": "https://sk-secret@host/v1"},
        {"base_url": "ftp://user:sk-secret@host/v1"},
        {"base_url": "user:sk-secret@host/v1"},
        {"base_url": "http://host/v1?api-version=1&key=sk-secret"},
        {"base_url": "http://host/v1#sk-secret"},
        {"base_url": "http://host/v1", "api_key_env": "sk-secret"},
        {"base_url": "http://host/v1", "api_key_env": ""},
    ],
)
def test_a_key_in_its_place_is_refused_and_not_repeated(fields: dict[str, object], tmp_path: Path) -> None:
    """It would be in messages and manifests, and aiohttp raises for a user in an address that has a key as well."""
    (tmp_path / "e.yaml").write_text(yaml.safe_dump(fields))
    with pytest.raises(UserError, match=r"base_url|api_key_env") as raised:
        read_config(EndpointConfig, tmp_path / "e.yaml")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"base_url": []}, "base_url"),
        ({"base_url": ["http://h/v1", "http://h/v1/"]}, "http://h/v1 is given twice"),
        ({"base_url": ["http://h/v1", "http://g/v1"], "batch": {}}, "batch: .* one address"),
    ],
)
def test_what_is_no_fleet(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        EndpointConfig.model_validate(fields)


@pytest.mark.parametrize(
    "field",
    [{"in_flight": 0}, {"timeout_s": 0}, {"retries": -1}, {"structured": "xml"}, {"max_side": 1}, {"inflight": 3}],
)
def test_the_config_is_closed(field: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        EndpointConfig(base_url="http://h", **field)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "field",
    [{"unforeseen_tokens": -1}, {"input": -1}, {"input": float("inf")}, {"input": float("nan")}, {"output": "x"}],
)
def test_prices(field: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Price(**{"input": 1.0, "output": 1.0, **field})  # type: ignore[arg-type]


def test_no_unforeseen_tokens_is_not_believed() -> None:
    assert Price(input=1.0, output=1.0, unforeseen_tokens=0) == Price(input=1.0, output=1.0)


def test_a_key_that_no_header_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_KEY", "ключ")
    with pytest.raises(EndpointFault, match="FAKE_KEY"):
        EndpointClient(EndpointConfig(base_url="http://h", api_key_env="FAKE_KEY"))
