"""Settings of consolidation: the background work of the language model on the memories."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .section import PositiveCount, Section


class AutoApprove(StrEnum):
    OFF = "off"
    INSIGHTS = "insights"
    ALL = "all"


class ConsolidationSettings(Section):
    """Background work of the language model: summaries and other derived memories."""

    enabled: bool = Field(
        default=False,
        description="Let the language model work on the memories in the background, while nobody "
        "chats. It reads what was said, and writes derived memories.",
    )
    workers: str = Field(
        default="observations,contradictions,insights,session_summary,window_summary,"
        "exchange_summary",
        description="The background work to do, separated by commas, the most important first: "
        "observations, contradictions, insights, exchange_summary, session_summary, "
        "window_summary (only with ltm_context.strategy summarize or combined), or "
        "package.module:Class for your own class.",
    )
    quiet_s: Annotated[float, Field(ge=0.0, le=86_400.0)] = Field(
        default=20.0,
        description="Seconds after the last message before background work begins. A new message "
        "stops it.",
    )
    max_tokens: Annotated[int, Field(ge=-1, le=1_000_000)] = Field(
        default=600,
        description="Maximum tokens of one answer in background work; -1: the server's own limit. "
        "Models that reason first need a few thousand.",
    )
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = Field(
        default=0.0, description="Sampling temperature of background work."
    )
    max_attempts: PositiveCount = Field(
        default=5,
        description="How often a job is tried on different occasions. After that it rests until "
        "Work now, the command consolidate --retry or a change of the model's settings.",
    )
    summary_min_letters: PositiveCount = Field(
        default=200,
        description="Exchanges with fewer letters get no summary: they are short enough.",
    )
    summary_max_letters: PositiveCount = Field(
        default=400, description="Maximum letters of the summary of an exchange."
    )
    session_summary_max_letters: PositiveCount = Field(
        default=600,
        description="Maximum letters of the summary of a session, or of a part of a long chat, "
        "without its keywords.",
    )
    summarize_after_messages: PositiveCount = Field(
        default=40,
        description="Messages of a chat beyond this number, counted from its end, are summarised "
        "in blocks of ten exchanges, if ltm_context.strategy is summarize or combined.",
    )
    observation_max_facts: PositiveCount = Field(
        default=6, description="Maximum number of facts taken from one exchange."
    )
    contradiction_max_known: PositiveCount = Field(
        default=12,
        description="Maximum number of known facts with which the new ones of an exchange are "
        "compared.",
    )
    insight_min_observations: PositiveCount = Field(
        default=6,
        description="How many new facts about a person or thing there have to be before insights "
        "are drawn from them.",
    )
    insight_max_count: PositiveCount = Field(
        default=5, description="Maximum number of insights written at once."
    )
    auto_approve: AutoApprove = Field(
        default=AutoApprove.OFF,
        description="What becomes a note for every prompt without being asked about: nothing (off),"
        " insights, or all that would be proposed in the review (all).",
    )
    proposal_min_times: PositiveCount = Field(
        default=3,
        description="A fact that was said this often is proposed as a note for every prompt.",
    )
    audit_log: bool = Field(
        default=True,
        description="Log each call of the model in user_data/logs/model_calls.jsonl: time, job, "
        "model, ids, tokens and outcome, without texts.",
    )
    audit_texts: bool = Field(
        default=False,
        description="Log also what was asked and answered, with keys, card numbers, e-mail "
        "addresses and telephone numbers hidden. This text stays when a memory is forgotten.",
    )
