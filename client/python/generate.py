"""Generates the types and the operations of the client from the API's document."""

import json
import keyword
import re
import textwrap

HEADER = "# Generated from the API's document by generate.py.\n"

# Sessions are for browsers. The stream is written by hand.
LEFT_OUT = {"Session", "Stream", "Document"}

METHODS = ("get", "post", "put", "patch", "delete")


def generate(text):
    """Returns the generated modules by the names of their files."""
    document = json.loads(text)
    return {"types.py": Types(document).write(), "_operations.py": Operations(document).write()}


def resolve(document, item):
    """Follows a reference to a component."""
    while "$ref" in item:
        target = document
        for token in item["$ref"].removeprefix("#/").split("/"):
            target = target[token]
        item = target
    return item


def quote(text, indent):
    """Returns a docstring."""
    escaped = text.replace("\\", "\\\\").replace('"""', "'''")
    lines = [line for part in escaped.split("\n") for line in textwrap.wrap(part, 100) or [""]]
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""\n'
    return f'{indent}"""' + "\n".join(f"{indent}{line}".rstrip() for line in lines).lstrip() + f'\n{indent}"""\n'


class Types:
    """The schemas as types."""

    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.out = {}
        self.aliases = []  # after the types that they name

    def write(self):
        for name, schema in self.schemas.items():
            self.define(name, schema)
        head = HEADER + '"""The objects of the API. Times are texts in RFC 3339."""\n\n'
        head += "from __future__ import annotations\n\nfrom decimal import Decimal\n"
        head += "from typing import Any, Literal, NotRequired, TypeAlias, TypedDict\n\n"
        head += "Number: TypeAlias = int | float | Decimal\n"
        return head + "".join(f"\n\n{text}" for text in [*self.out.values(), *self.aliases])

    def define(self, name, schema):
        """Defines a named type."""
        if "properties" not in schema:
            self.aliases.append(f"{name}: TypeAlias = {self.type_of(name, schema)}\n")
            return
        self.out[name] = ""  # before the types of its members
        required = schema.get("required", [])
        members = {}
        for member, of in schema["properties"].items():
            text = self.type_of(name + camel(member), of)
            members[member] = text if member in required else f"NotRequired[{text}]"
        about = quote(schema["description"], "    ") if "description" in schema else ""
        if all(member.isidentifier() and not keyword.iskeyword(member) for member in members):
            lines = [f"    {member}: {text}\n" for member, text in members.items()]
            self.out[name] = f"class {name}(TypedDict):\n{about}" + ("".join(lines) or ("" if about else "    pass\n"))
            return
        lines = [f"        {json.dumps(member)}: {json.dumps(text)},\n" for member, text in members.items()]
        self.out[name] = f'{name} = TypedDict(\n    "{name}",\n    {{\n' + "".join(lines) + "    },\n)\n"

    def type_of(self, name, schema):
        """Returns the type of a schema. name is that of a type that has to be defined for it."""
        if "$ref" in schema:
            return schema["$ref"].rsplit("/", 1)[1]
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return " | ".join(dict.fromkeys(self.type_of(name, of) for of in schema[key]))
        if "enum" in schema:
            values = [value for value in schema["enum"] if value is not None]
            literal = "Literal[" + ", ".join(map(repr, values)) + "]"
            return literal + (" | None" if None in schema["enum"] else "")
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return " | ".join(self.simple(name, kind, schema) for kind in kinds) or "Any"

    def simple(self, name, kind, schema):
        match kind:
            case "object" if "properties" in schema:
                self.define(name, schema)
                return name
            case "object":
                of = schema.get("additionalProperties")
                return f"dict[str, {self.type_of(name, of) if isinstance(of, dict) else 'Any'}]"
            case "array":
                return f"list[{self.type_of(name + 'Item', schema['items'])}]"
        return {"string": "str", "integer": "int", "number": "Number", "boolean": "bool", "null": "None"}[kind]


def camel(name):
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"\W|_", name))


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def argument(name):
    name = snake(name)
    return name + "_" if keyword.iskeyword(name) else name


class Operations:
    """The operations as methods, once for Client and once for AsyncClient."""

    def __init__(self, document):
        self.document = document
        self.types = Types(document)
        self.schemas = document["components"]["schemas"]

    def write(self):
        head = HEADER + "from __future__ import annotations\n\nfrom collections.abc import AsyncIterator, Iterator\n"
        head += "from typing import Any, Literal, Unpack\nfrom urllib.parse import quote\n\nfrom . import types\n"
        head += "from ._call import CallOptions, Upload\nfrom ._file import AsyncFile, File\n\n\n"
        head += 'def _quote(value: str) -> str:\n    if value in ("", ".", ".."):\n'
        head += '        raise ValueError(f"{value!r} is not an id")  # a proxy would remove it, and call another operation\n'
        head += '    return quote(value, safe="")\n'
        base = "    {0}def _call(self, method: str, path: str, query: dict[str, Any], body: Any, options: CallOptions, answer: str) -> Any:\n"
        base += "        raise NotImplementedError\n\n"
        pages = "    def _pages(self, path: str, query: dict[str, Any], options: CallOptions) -> {0}Iterator[Any]:\n"
        pages += "        raise NotImplementedError\n"
        text = head
        for name, prefix, kind in (("Operations", "", ""), ("AsyncOperations", "async ", "Async")):
            about = quote("The operations of the API, which a client sends.", "    ")
            text += f"\n\nclass {name}:\n{about}\n" + base.format(prefix) + pages.format(kind)
            for path, method, operation in self.list():
                text += "\n" + self.method(path, method, operation, prefix, kind)
        return text

    def list(self):
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item and not LEFT_OUT.intersection(item[method]["tags"]):
                    yield path, method, item[method]

    def hint(self, schema):
        """Returns the type of a schema, as seen from the module of the operations."""
        text = self.types.type_of("", schema)
        return re.sub(r"\b[A-Z]\w*\b", lambda m: f"types.{m[0]}" if m[0] in self.schemas or m[0] == "Number" else m[0], text)

    def method(self, path, method, operation, prefix, kind):
        name = snake(operation["operationId"])
        places = re.findall(r"\{(\w+)\}", path)
        query = [q for q in (resolve(self.document, p) for p in operation.get("parameters", [])) if q["in"] == "query"]
        answer, decode = self.answer(operation, kind)
        body = self.body(operation)
        positional = [f"{argument(place)}: str" for place in places] + ([f"body: {body}"] if body else [])
        named = [f"{argument(q['name'])}: {self.hint(q['schema'])} | None = None" for q in query]
        signature = ", ".join(["self", *positional, *(["*"] if named else []), *named, "**options: Unpack[CallOptions]"])
        filled = re.sub(r"\{(\w+)\}", lambda m: f"{{_quote({argument(m[1])})}}", path)
        address = f'f"{filled}"' if places else f'"{path}"'
        values = "{" + ", ".join(f'"{q["name"]}": {argument(q["name"])}' for q in query) + "}"
        about = quote(operation["summary"] + "\n\n" + operation["description"], "        ")
        call = f'{prefix.replace("async", "await")}self._call("{method.upper()}", {address}, {values}, {"body" if body else "None"}, options, "{decode}")'
        text = f"    {prefix}def {name}({signature}) -> {answer}:\n{about}"
        text += f"        {call}\n" if answer == "None" else f"        answer: {answer} = {call}\n        return answer\n"
        if any(q["name"] == "cursor" for q in query):
            text += "\n" + self.iterator(name, signature, address, values, answer, kind)
        return text

    def iterator(self, name, signature, address, values, answer, kind):
        item = self.hint(self.schemas[answer.removeprefix("types.")]["properties"]["data"]["items"])
        about = quote(f"Iterates over all pages of {name}. limit is the size of a page.", "        ")
        return f"    def all_{name.removeprefix('list_')}({signature}) -> {kind}Iterator[{item}]:\n{about}        return self._pages({address}, {values}, options)\n"

    def body(self, operation):
        if "requestBody" not in operation:
            return ""
        content = resolve(self.document, operation["requestBody"])["content"]
        if "multipart/form-data" in content:
            return "Upload"
        if "application/json" not in content:
            return "str | bytes"
        hint = self.hint(content["application/json"]["schema"])
        required = operation["requestBody"].get("required")
        return hint if required else f"{hint} | None = None"

    def answer(self, operation, kind):
        """Returns the type of what is answered, and how it is read."""
        hints = []
        for status, answer in operation["responses"].items():
            if not status.startswith("2"):
                continue
            content = resolve(self.document, answer).get("content", {})
            if "application/json" in content:
                hints.append(self.hint(content["application/json"]["schema"]))
            elif content:
                return f"{kind}File", "file"
        if not hints:
            return "None", "nothing"
        return " | ".join(dict.fromkeys(hints)), "json"
