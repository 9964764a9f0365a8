"""Builds the wheel (PEP 517). It needs nothing but Python, because the package is pure Python.

The types and operations are generated from the API's document while the wheel is built.

    python3 build_backend.py FOLDER    writes the wheel into FOLDER and prints its name
"""

import base64
import hashlib
import pathlib
import sys
import tomllib
import zipfile

import generate

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "apiserver" / "openapi" / "openapi.json"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    name, version = project["name"], project["version"]
    files = {f"assay/{path.name}": path.read_bytes() for path in sorted((HERE / "src" / "assay").iterdir()) if path.is_file()}
    for module, text in generate.generate(DOCUMENT.read_text()).items():
        files[f"assay/{module}"] = text.encode()
    info = f"{name}-{version}.dist-info"
    files[f"{info}/METADATA"] = describe(project).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/LICENSE"] = (HERE / "LICENSE").read_bytes()
    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)  # without a time, so that builds are equal
    return wheel


def describe(project):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (HERE / project["readme"]).read_text()


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(build_wheel(folder))
