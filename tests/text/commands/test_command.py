"""Each kind of command has the sentences that the model reads."""

from memory_core.text.commands.command import CommandKind, set_phrase

NEVER_TYPED = {CommandKind.FORGET_IN_WORDS, CommandKind.NEAR_MISS}


def test_every_slash_command_has_a_sentence_in_both_languages() -> None:
    """Without one, a message with the command would go out without memories."""
    for kind in set(CommandKind) - NEVER_TYPED:
        english, chinese = (set_phrase(kind, "", is_chinese=zh) for zh in (False, True))
        assert english
        assert chinese
        assert english != chinese
