"""Samples of the real formats; skipped where they are not there, since they are no part of this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from receipts_middleware.core.errors import FormatError
from receipts_middleware.core.verify import verify_replies
from receipts_middleware.readers.registry import read_transcripts

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "transcripts" / "formats"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="samples are not here")

#: File, source, and of each transcript: messages, calls, results, declared errors, turns with text; counted by hand.
SAMPLES = [
    ("inspect_ai_eval_log/browser.cut.json", "inspect", [(10, 4, 4, 0, 1)]),
    ("invariant_explorer_jsonl/trace_args_forms.jsonl", "invariant", [(3, 1, 0, 0, 0), (3, 1, 0, 0, 0)]),
    ("openai_chat_tau_bench/gpt-4o-airline.first2.json", "tau_bench", [(32, 8, 8, 0, 7), (12, 0, 0, 0, 5)]),
    ("openai_chat_no_ids_pyrepr_args/assertions-agent.first1.json", "tau_bench", [(23, 6, 6, 0, 5)]),
    ("tau2_bench_simulation/grok-4-fast.first1.json", "tau_bench", [(27, 8, 8, 0, 5)]),
    ("plain_text_display_tau_fewshot/retail.first2.jsonl", "plain_text", [(19, 4, 4, 0, 5), (23, 5, 5, 0, 6)]),
]


@pytest.mark.parametrize(("file", "source", "counts"), SAMPLES, ids=[row[0].partition("/")[0] for row in SAMPLES])
def test_sample(file: str, source: str, counts: list[tuple[int, ...]]) -> None:
    found = read_transcripts((FOLDER / file).read_bytes())
    assert {transcript.source for transcript in found} == {source}
    seen = []
    for transcript in found:
        calls = [call for message in transcript.messages for call in message.calls]
        results = [message.result for message in transcript.messages if message.result is not None]
        turns = sum(m.role == "assistant" and bool(m.text.strip()) for m in transcript.messages)
        errors = sum(result.error is True for result in results)
        seen.append((len(transcript.messages), len(calls), len(results), errors, turns))
        list(verify_replies(transcript))
    assert seen == counts


def test_a_sample_of_spans_that_are_of_no_model_says_so() -> None:
    path = FOLDER / "otel_genai_spans" / "open-agent-traces.test-traces.json"
    with pytest.raises(FormatError, match="no span is of a model call or a tool"):
        read_transcripts(path.read_bytes())
