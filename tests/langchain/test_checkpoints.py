"""Runs read from real checkpointers: as verified live, whatever the form of storage, and nothing stored is run."""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import sqlite3
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import ormsgpack
import pytest
from deepagents import create_deep_agent
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES, _messages_delta_reducer
from langgraph.types import Overwrite as HostOverwrite
from pydantic import BaseModel

from receipts_middleware import FormatError, verify_messages, verify_turns
from receipts_middleware.langchain import ReceiptsMiddleware, harvest
from receipts_middleware.langchain.checkpoints import is_checkpointer, list_threads, read_checkpoints, read_thread
from receipts_middleware.langchain.checkpoints.fold import fold_messages
from receipts_middleware.langchain.checkpoints.plain import Overwrite, Snapshot, plain_value
from receipts_middleware.langchain.testing import ScriptedChatModel

POSTGRES = "RECEIPTS_TEST_POSTGRES_URL"

Saving = Callable[[], "BaseCheckpointSaver[str]"]


@tool
def issue_refund(order_id: str) -> dict:
    """Refund an order."""
    return {"status": "failed" if order_id == "13" else "succeeded", "refund_id": f"re_{order_id}"}


def refunds(*orders: str, reply: str = "Refunded order {} [r1 issue_refund].") -> ScriptedChatModel:
    turns: list[object] = []
    for order in orders:
        call = {"name": "issue_refund", "args": {"order_id": order}}
        turns += [{"tool_calls": [call]}, reply.format(order)]
    return ScriptedChatModel(turns=turns)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, BaseCheckpointSaver[str]]]:
    """A source as `read_checkpoints` takes it, and the real saver that writes to it."""
    if request.param == "sqlite":
        path = str(tmp_path / "state.sqlite")
        with SqliteSaver.from_conn_string(path) as saver:
            yield path, saver
        return
    url = os.environ.get(POSTGRES, "")
    if not url:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{POSTGRES} is not set: continuous integration must start a server (.ci/postgres start DIR)")
        pytest.skip(f"{POSTGRES} is not set; start a server with .ci/postgres start DIR")
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver

    schema = f"t_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{schema}"'.encode())
    try:
        source = f"{url}?options=-csearch_path%3D{schema}"
        with PostgresSaver.from_conn_string(source) as saver:
            saver.setup()
            yield source, saver
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'DROP SCHEMA "{schema}" CASCADE'.encode())


def run(agent: object, *texts: str, thread: str) -> dict:
    result = {}
    for text in texts:
        result = agent.invoke({"messages": [("user", text)]}, {"configurable": {"thread_id": thread}})  # type: ignore[attr-defined]
    return result


def test_a_saved_thread_is_verified_as_it_was_live(store) -> None:
    source, saver = store
    live = {}
    for thread, orders in {"b": ("4821", "13"), "a": ("13",)}.items():
        agent = create_agent(
            refunds(*orders), tools=[issue_refund], middleware=[ReceiptsMiddleware()], checkpointer=saver
        )
        live[thread] = run(agent, *(f"Refund {order}." for order in orders), thread=thread)
    assert is_checkpointer(source)
    assert list_threads(source) == ["a", "b"]
    found = read_checkpoints(source)
    assert [(transcript.meta or {})["thread_id"] for transcript in found] == ["a", "b"]
    for transcript in found:
        result = live[(transcript.meta or {})["thread_id"]]
        assert [v.to_dict() for v in verify_turns(transcript)] == [v.to_dict() for v in verify_turns(result)]
        assert not verify_messages(transcript).ok
    (one,) = read_checkpoints(source, thread="b")
    assert one == found[1]
    assert read_thread(source, "c") is None
    with pytest.raises(FormatError, match="no thread 'c' with messages"):
        read_checkpoints(source, thread="c")


def test_messages_that_are_stored_as_deltas_are_put_together(store) -> None:
    source, saver = store
    child = {
        "name": "refunder",
        "description": "Refunds orders.",
        "system_prompt": "You refund orders.",
        "model": refunds("13", reply="Order {} is refunded [r1 issue_refund]."),
        "tools": [issue_refund],
        "middleware": [ReceiptsMiddleware()],
    }
    task = {"name": "task", "args": {"subagent_type": "refunder", "description": "Refund order 13."}}
    model = ScriptedChatModel(turns=[{"tool_calls": [task]}, "Order 13 is refunded.", "As I said."])
    agent = create_deep_agent(model=model, middleware=[ReceiptsMiddleware()], subagents=[child], checkpointer=saver)
    result = run(agent, "Have order 13 refunded.", "Is it?", thread="deep")
    (transcript,) = read_checkpoints(source)
    assert [v.to_dict() for v in verify_turns(transcript)] == [v.to_dict() for v in verify_turns(result)]
    assert [c.to_dict() for c in harvest(transcript).children] == [c.to_dict() for c in harvest(result).children]
    assert verify_turns(transcript)[0].claims[0].receipts == ("r1.1",)


def test_signatures_hold_with_the_thread_and_the_end_of_the_run(store) -> None:
    source, saver = store
    key = b"a key of sixteen bytes and more"
    for thread in ("one", "two"):
        agent = create_agent(
            refunds("4821", "13"),
            tools=[issue_refund],
            middleware=[ReceiptsMiddleware(signing_key=key)],
            checkpointer=saver,
        )
        run(agent, "Refund 4821.", "Refund 13.", thread=thread)
    (transcript,) = read_checkpoints(source, thread="one")
    trust = verify_messages(transcript, signing_key=key, thread="one").trust
    said = [trust[name] for name in ("signatures", "chain", "binding", "tail")]
    assert said == ["valid", "intact", "bound", "complete"]
    assert verify_messages(transcript, signing_key=key, thread="two").trust["binding"] != "bound"


def test_a_file_of_something_else_says_so(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE checkpoints (x)")
    assert is_checkpointer(str(path))
    with pytest.raises(FormatError, match="holds no checkpoints of LangGraph"):
        list_threads(str(path))
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 200)
    with pytest.raises(FormatError, match="cannot be read as a file of checkpoints"):
        list_threads(str(path))
    (tmp_path / "text").write_text("{}")
    assert not is_checkpointer(str(tmp_path / "text"))
    assert not is_checkpointer(str(tmp_path / "none"))
    with pytest.raises(FormatError, match="cannot be opened as SQLite"):
        list_threads(str(tmp_path / "none"))


def test_a_server_that_is_not_there_says_so_without_the_password() -> None:
    with pytest.raises(FormatError, match="cannot be connected to") as raised:
        list_threads("postgresql://someone:very-secret@127.0.0.1:1/x?connect_timeout=2")
    assert "very-secret" not in str(raised.value)
    assert raised.value.__suppress_context__


def test_changed_bytes_of_a_file_raise_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        agent = create_agent(refunds("13"), tools=[issue_refund], middleware=[ReceiptsMiddleware()], checkpointer=saver)
        run(agent, "Refund 13.", thread="t")
    data = path.read_bytes()
    chance = random.Random(7)
    outcomes = Counter()
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(chance.choice([1, 10, 100])):
            changed[chance.randrange(len(data))] = chance.randrange(256)
        for _ in range(3):  # where the tables are defined, and SQLite quotes what it cannot read
            changed[data.index(b"CREATE TABLE") + chance.randrange(400)] = chance.randrange(256)
        path.write_bytes(changed)
        try:
            outcomes[len(read_checkpoints(str(path)))] += 1
        except FormatError:
            outcomes["refused"] += 1
    assert outcomes["refused"] > 10


def _row(path: Path, name: str, parent: str | None, *, kind: str = "msgpack", data: bytes = b"") -> None:
    packed = data or ormsgpack.packb({"channel_values": {}})
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, type, checkpoint) "
            "VALUES ('t', ?, ?, ?, ?)",
            (name, parent, kind, packed),
        )


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A file of a saver without a thread."""
    path = tmp_path / "state.sqlite"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.setup()
    return path


def test_parents_that_go_round_in_a_circle_end(empty: Path) -> None:
    _row(empty, "1", "2")
    _row(empty, "2", "1")
    assert read_thread(str(empty), "t") is None


@pytest.mark.parametrize(
    ("kind", "data", "says"),
    [
        ("pickle", pickle.dumps([1]), "pickled"),
        ("msgpack+aes", b"x", "stored as 'msgpack.aes'"),
        ("msgpack", b"\xc1", "not msgpack"),
        ("json", b"{", "not JSON"),
        ("json", b"[" * 100_000, "not JSON"),
    ],
    ids="pickle encrypted msgpack json deep".split(),
)
def test_what_cannot_be_read_says_why(empty: Path, kind: str, data: bytes, says: str) -> None:
    _row(empty, "1", None, kind=kind, data=data)
    with pytest.raises(FormatError, match=says):
        read_thread(str(empty), "t")


# --- plain data -----------------------------------------------------------------------------------------


class Trap(BaseModel):
    """Says when it is built."""

    built: list[int] = []

    def model_post_init(self, context: object) -> None:
        del context
        BUILT.append(1)


BUILT: list[int] = []


def stored(value: object) -> object:
    return plain_value(*JsonPlusSerializer().dumps_typed(value))


def test_nothing_that_is_stored_is_built_or_imported() -> None:
    kind, data = JsonPlusSerializer().dumps_typed({"x": Trap(built=[7])})
    BUILT.clear()
    assert plain_value(kind, data) == {"x": {"built": [7]}}
    assert BUILT == []
    packed = ormsgpack.packb(("this_module_is_nowhere_else", "Thing", {"a": 1}, "build"))
    for code in range(6):
        assert plain_value("msgpack", ormsgpack.packb(ormsgpack.Ext(code, packed))) == {"a": 1}
    assert plain_value("msgpack", ormsgpack.packb(ormsgpack.Ext(2, ormsgpack.packb(("antigravity", "x", 1))))) == 1
    assert "antigravity" not in sys.modules
    assert plain_value("json", b'{"lc": 2, "type": "constructor", "id": ["os", "system"], "args": ["true"]}') == "true"


def test_messages_are_read_as_their_fields() -> None:
    call = {"name": "send", "args": {"to": "a"}, "id": "c", "type": "tool_call"}
    found = stored([HumanMessage("Hi", id="h"), AIMessage("", tool_calls=[call], id="a")])
    assert isinstance(found, list)
    assert [(item["type"], item["id"]) for item in found] == [("human", "h"), ("ai", "a")]
    assert found[1]["tool_calls"] == [call]


@pytest.mark.parametrize("levels", [40, 5_000])
def test_extensions_within_each_other_end(levels: int) -> None:
    packed = ormsgpack.packb(1)
    for _ in range(levels):
        packed = ormsgpack.packb(ormsgpack.Ext(7, packed))
    value, depth = plain_value("msgpack", packed), 0
    while isinstance(value, Snapshot):
        value, depth = value.value, depth + 1
    assert (value, depth <= 40) == (None, True)


@settings(max_examples=200, deadline=None)
@given(kind=st.sampled_from(["msgpack", "json", "null", "bytes", "other"]), data=st.binary(max_size=60))
def test_no_bytes_raise_anything_else(kind: str, data: bytes) -> None:
    with contextlib.suppress(FormatError):
        plain_value(kind, data)


# --- deltas ---------------------------------------------------------------------------------------------

_MESSAGE = st.builds(
    lambda identity, text: HumanMessage(text, id=identity), st.sampled_from("abcdef"), st.text(max_size=3)
)
_REMOVAL = st.sampled_from("abc").map(lambda identity: RemoveMessage(id=identity))
_WRITE = (
    st.lists(_MESSAGE, max_size=3)
    | st.lists(_REMOVAL, max_size=1)
    | st.lists(_MESSAGE, max_size=2).map(lambda rest: [RemoveMessage(id=REMOVE_ALL_MESSAGES), *rest])
)


@settings(max_examples=200, deadline=None)
@given(writes=st.lists(_WRITE, max_size=6))
def test_deltas_are_put_together_as_the_host_does(writes: list) -> None:
    state = _messages_delta_reducer([], writes)
    found = fold_messages([], [stored(write) for write in writes])
    assert [(m["id"], m["content"]) for m in found if isinstance(m, dict)] == [(m.id, m.content) for m in state]


def test_a_write_can_replace_everything() -> None:
    assert stored(HostOverwrite([1])) == Overwrite([1])
    first, second = {"type": "human", "content": "1"}, {"type": "human", "content": "2"}
    assert fold_messages([first], [[first], Overwrite([second]), first]) == [second, first]
    assert fold_messages(Snapshot([first]), [{"__overwrite__": None}, [second]]) == [second]
    assert fold_messages(None, [None, "text", ("user", "text")]) == ["text", ("user", "text")]
