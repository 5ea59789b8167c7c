"""Settings of the guard, which looks at words before they are written down."""

from pydantic import Field

from ..domain.private_parts import GuardAction, GuardRules, PrivatePart
from .section import Section

_ACTIONS = (
    "keep: store it as it is. redact: store it with a mark in place of the found part. skip: do "
    "not store the message and its answer. ask: hold both back until you decide in the review."
)


class GuardSettings(Section):
    """The action for each kind of private part in new messages and notes."""

    keys: GuardAction = Field(
        default=GuardAction.KEEP,
        description=f"New words with something like an API key. {_ACTIONS}",
    )
    cards: GuardAction = Field(
        default=GuardAction.KEEP,
        description=f"New words with the number of a credit or debit card. {_ACTIONS}",
    )
    emails: GuardAction = Field(
        default=GuardAction.KEEP, description=f"New words with an e-mail address. {_ACTIONS}"
    )
    phones: GuardAction = Field(
        default=GuardAction.KEEP,
        description=f"New words with something like a telephone number. {_ACTIONS}",
    )

    @property
    def rules(self) -> GuardRules:
        return GuardRules(
            actions={
                PrivatePart.KEY: self.keys,
                PrivatePart.CARD: self.cards,
                PrivatePart.EMAIL: self.emails,
                PrivatePart.PHONE: self.phones,
            }
        )
