"""The base of every section of settings, and the types that several of them use."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.fields import FieldInfo

MAX_COUNT = 1_000_000_000
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
PositiveCount = Annotated[int, Field(ge=1, le=MAX_COUNT)]
Folder = Annotated[str, Field(pattern=r"^[^\x00]*$", json_schema_extra={"format": "folder"})]
Seconds = Annotated[float, Field(gt=0.0, le=3600.0)]


OWN_CLASS = "package.module:Class"


def kind_field(*kinds: str) -> FieldInfo:
    """Returns the constraint of a setting whose value is one of these names or names a class."""
    names: list[JsonValue] = [*kinds, OWN_CLASS]
    found: FieldInfo = Field(
        pattern=rf"^({'|'.join(kinds)}|[^:\s]+:[^\W\d]\w*)$", json_schema_extra={"kinds": names}
    )
    return found


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
