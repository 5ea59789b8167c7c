"""Vectors in the binary form of pgvector's type halfvec: half precision, most significant first."""

from dataclasses import dataclass

import numpy as np
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

from ...providers.embedders.base import Vectors
from .connection import Connection

_TYPE = "SELECT 'halfvec'::regtype::oid::int8, 'halfvec[]'::regtype::oid::int8"
_HEADER = 4  # the width in two bytes, and two that are 0


@dataclass(frozen=True, slots=True)
class HalfVector:
    """A vector as a value of a query."""

    data: bytes

    @classmethod
    def of(cls, row: Vectors) -> "HalfVector":
        header = len(row).to_bytes(2, "big") + bytes(2)
        return cls(header + row.astype(">f2").tobytes())


def decoded(data: bytes) -> Vectors:
    """Returns a vector of a query's binary result as float32."""
    found: Vectors = np.frombuffer(data, ">f2", offset=_HEADER).astype(np.float32)
    return found


def register_half_vectors(connection: Connection) -> None:
    """Lets this connection take vectors, alone and in lists."""
    oid, array_oid = connection.execute(_TYPE).fetchone()
    adapters = connection.adapters
    adapters.types.add(TypeInfo("halfvec", oid, array_oid))
    dumper = type("HalfVectorDumper", (_HalfVectorDumper,), {"oid": oid})
    adapters.register_dumper(HalfVector, dumper)


class _HalfVectorDumper(Dumper):  # type: ignore[misc,unused-ignore]  # untyped without the extra
    format = Format.BINARY

    def dump(self, obj: HalfVector) -> bytes:
        return obj.data
