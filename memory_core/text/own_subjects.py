"""The parts of the user's life about which questions are asked and statements made."""

from enum import StrEnum


class OwnSubject(StrEnum):
    """The part of the user's life that a message asks for."""

    NAME = "name"
    PEOPLE = "people"
    PETS = "pets"
    HOME = "home"
    ORIGIN = "origin"
    AGE = "age"
    BIRTHDAY = "birthday"
    WORK = "work"
    HOBBIES = "hobbies"
    TASTES = "tastes"
    DISLIKES = "dislikes"
    HEALTH = "health"
    TRAVEL = "travel"
    PLANS = "plans"
