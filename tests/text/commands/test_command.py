"""Each kind of command has the sentences that the model reads."""

from memory_core.text.commands.command import CommandKind, set_phrase
from memory_core.text.commands.parser import parse_command

NEVER_TYPED = {
    CommandKind.FORGET_IN_WORDS,
    CommandKind.PAUSE_IN_WORDS,
    CommandKind.NEAR_MISS,
    CommandKind.CORRECT_NOTE,
}


def test_every_slash_command_has_a_sentence_in_both_languages() -> None:
    """Without one, a message with the command would go out without memories."""
    for kind in set(CommandKind) - NEVER_TYPED:
        english, chinese = (set_phrase(kind, "", is_chinese=zh) for zh in (False, True))
        assert english
        assert chinese
        assert english != chinese


def test_command_in_wide_letters_is_understood() -> None:
    for text in ("／ｏｆｆ 妊娠した", "/ＯＦＦ　妊娠した"):
        command = parse_command(text)
        assert command is not None
        assert command.kind is CommandKind.OFF_THE_RECORD
        assert command.argument == "妊娠した"
    assert parse_command("／ｉｍａｇｉｎｅ a cat") is None


def test_command_with_japanese_words_is_not_answered_in_chinese() -> None:
    for text in ("/off 妊娠した", "/remember 鍵は赤い箱", "/forget 最後のやつ"):
        command = parse_command(text)
        assert command is not None
        assert not command.is_chinese
    command = parse_command("/off 我怀孕了")
    assert command is not None
    assert command.is_chinese
