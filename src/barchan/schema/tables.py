"""Tables: the frozen models a scene consists of, and the choice of one of several by name.

A table refuses unknown fields and names the known ones. Several tables may stand for one field, told apart by a name
(`law = "hertz"`, `kind = "lattice"`): `Choice` picks the class when a scene is read, so that a part registered by a
script a moment ago is accepted like the others. All problems of a scene are collected and told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic._internal._model_construction import ModelMetaclass
from pydantic_core import InitErrorDetails, core_schema

from barchan.errors import SceneError
from barchan.schema.fields import Parameter, describe, parameters, sentences
from barchan.schema.problems import fault, findings, located, moved, shown, unknown_field, unknown_name


class TableType(ModelMetaclass):
    """Makes construction in Python raise the same SceneError as reading a file does."""

    def __call__(cls, *arguments: Any, **fields: Any) -> Any:
        try:
            return super().__call__(*arguments, **fields)
        except ValidationError as error:
            raise SceneError(findings(error, cls.__name__)) from None


class Table(BaseModel, metaclass=TableType):
    """A frozen set of fields. Where it is one of several, `key` is its name and `tag()` the field that says it."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    key: ClassVar[str] = ""
    flat: ClassVar[str] = ""  # a field that is a named table whose own fields stand beside the others

    @classmethod
    def tag(cls) -> str:
        """The field that names the table in a scene."""
        return "kind"

    @model_validator(mode="wrap")
    @classmethod
    def _collect(cls, data: Any, handler: ModelWrapValidatorHandler[Any]) -> Any:
        """Check the fields, and tell unknown ones along with all other problems."""
        if not isinstance(data, Mapping):
            return handler(data)
        known, fields = list(cls.model_fields), dict(data)
        flat = cls.flat if isinstance(fields.get(cls.flat), str) else ""
        if flat:
            inner = {name: fields.pop(name) for name in list(fields) if name not in known}
            fields[flat] = {flat: fields[flat], **inner}
        elif cls.flat and cls.flat not in fields:  # whose fields the others are, nobody can say
            fields = {name: value for name, value in fields.items() if name in known}
        problems = [unknown_field(name, fields.pop(name), known) for name in list(fields) if name not in known]
        try:
            made = handler(fields)
        except ValidationError as error:
            problems += moved(error, lambda place: place[1:] if flat and place[:1] == (flat,) else place, known)
        problems += cls.across(fields)
        if problems:
            raise ValidationError.from_exception_data(cls.__name__, problems)
        return made

    @classmethod
    def across(cls, fields: Mapping[str, Any]) -> list[InitErrorDetails]:
        """Problems between the fields, which are given as they came in, sound or not."""
        return []

    def to_dict(self, *, full: bool = True) -> Any:
        """The table as TOML knows it: plain dicts, lists and numbers in SI; not `full` leaves out the defaults."""
        plain: dict[str, Any] = {self.tag(): self.key} if self.key else {}
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if value is None:
                continue
            if not full and value == field.get_default(call_default_factory=True, validated_data=self.__dict__):
                continue
            if name == self.flat:
                plain |= value.to_dict(full=full)
            else:
                plain[name] = _plain(value, full)
        return plain

    @classmethod
    def summary(cls) -> str:
        """The first line of its docstring."""
        return (cls.__doc__ or "").strip().split("\n")[0]

    @classmethod
    def described_fields(cls) -> list[Parameter]:
        """Every field with its unit, default and sentence, and those of tables in it."""
        return list(parameters(cls.model_json_schema()))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        described = handler(schema)
        table = handler.resolve_ref_schema(described)
        describe(cls, table)
        if cls.flat:
            own = table.pop("properties")
            required = table["required"]
            choices = own.pop(cls.flat)["oneOf"]
            merged = [
                {
                    **choice,
                    "properties": {**own, **choice["properties"]},
                    "required": [*required, *(name for name in choice["required"] if name != cls.flat)],
                }
                for choice in choices
                if "properties" in choice
            ]
            table.clear()
            named = {cls.flat: {"type": "string", "description": sentences(cls).get(cls.flat, "")}}
            table.update({"title": cls.__name__, "description": (cls.__doc__ or "").strip(), "oneOf": merged})
            table.update({"properties": {**named, **own}, "required": required})
        return described


class Absent(Table):
    """A table of a kind that nobody here knows, kept as it was written."""

    named_by: str  # the field that names the kind
    name: str
    fields: dict[str, Any]

    def to_dict(self, *, full: bool = True) -> dict[str, Any]:
        """The table as it was written."""
        return {self.named_by: self.name, **self.fields}


@dataclass(frozen=True)
class Bare:
    """A short form: a value of one of these types stands for a table with this one field."""

    table: type[Table]
    field: str
    types: tuple[type, ...]


@dataclass(frozen=True)
class Choice:
    """Metadata of a field: a table that is one of several, told apart by a name in its field `tag`.

    In a scene it is a table with the tag and the fields of the chosen class; the name alone, as a string, will do
    where the defaults will do. In Python an instance is taken as it is. A name that nobody knows is an error, but where
    the context of the validation has the noun among its `spared` ones: then it stands for an `Absent` table.
    """

    options: Callable[[], Mapping[str, type[Table]]]
    noun: str
    tag: str = "kind"
    bare: Bare | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(
            self.chosen, serialization=core_schema.plain_serializer_function_ser_schema(lambda table: table.to_dict())
        )

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        choices: list[dict[str, Any]] = []
        for name, option in self.options().items():
            described = dict(handler.resolve_ref_schema(handler(option.__pydantic_core_schema__)))
            describe(option, described)  # which the handler of another schema does not do
            named = {self.tag: {"const": name}, **described.get("properties", {})}
            choices.append({**described, "properties": named, "required": [self.tag, *described.get("required", [])]})
            if self.bare and option is self.bare.table:
                choices.append(named[self.bare.field])
        simple = [c["properties"][self.tag]["const"] for c in choices if c.get("required") == [self.tag]]
        if simple:
            choices.append({"enum": simple})
        return {"oneOf": choices}

    def chosen(self, value: Any, info: ValidationInfo) -> Table:
        """The instance that a table, a name, a short form or an instance stands for."""
        options = self.options()
        if isinstance(value, Table):
            if options.get(value.key) is type(value):
                return value
            raise fault(f"{type(value).__name__} is not among the {self.noun}", f"known: {', '.join(options)}")
        if self.bare and isinstance(value, self.bare.types):
            return self._short(value, info)
        if isinstance(value, str):
            value = {self.tag: value}
        if not isinstance(value, Mapping):
            raise fault(shown(value), f"must be a table with {self.tag} = one of {', '.join(options)}")
        fields = dict(value)
        name = fields.pop(self.tag, None)
        if isinstance(name, str) and name not in options and self.noun in (info.context or {}).get("spared", ()):
            return Absent(named_by=self.tag, name=name, fields=fields)
        if not isinstance(name, str) or name not in options:
            missing = fault("missing", f"must be one of {', '.join(options) or 'none'}")
            error = missing if name is None else unknown_name(name, self.noun, options)
            raise ValidationError.from_exception_data(self.noun, [located(error, (self.tag,), name)])
        return options[name].model_validate(fields, context=info.context)

    def _short(self, value: Any, info: ValidationInfo) -> Table:
        assert self.bare is not None
        try:
            return self.bare.table.model_validate({self.bare.field: value}, context=info.context)
        except ValidationError as error:
            raise ValidationError.from_exception_data(self.noun, moved(error, lambda place: place[1:])) from None


def among(*tables: type[Table]) -> Callable[[], Mapping[str, type[Table]]]:
    """The options of a choice among classes that are all known here."""
    known = {table.key: table for table in tables}
    return lambda: known


def _plain(value: Any, full: bool) -> Any:
    if isinstance(value, Table):
        return value.to_dict(full=full)
    if isinstance(value, Mapping):
        return {name: _plain(item, full) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item, full) for item in value]
    return value
