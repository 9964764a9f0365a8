"""Builds the wheel and the source distribution (PEP 517). It needs nothing but Python, because the package is pure Python.

The types and operations are generated from the API's document while the wheel is built. The same
sources and Python give the same bytes.

    python3 build_backend.py FOLDER [VERSION]    writes both into FOLDER and prints their names
"""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import sys
import tarfile
import tomllib
import zipfile

import generate

HERE = pathlib.Path(__file__).resolve().parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, version=None):
    project = read_project(version)
    name, version = project["name"], project["version"]
    files = {f"assay/{path.name}": path.read_bytes() for path in list_modules()}
    for module, text in generate.generate(find_document().read_text()).items():
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


def build_sdist(sdist_directory, config_settings=None, version=None):
    """Packs the sources with the API's document, so that a wheel can be built from them alone."""
    project = read_project(version)
    base = f"{project['name']}-{project['version']}"
    files = {name: (HERE / name).read_bytes() for name in ("LICENSE", "README.md", "build_backend.py", "generate.py")}
    files |= {f"src/assay/{path.name}": path.read_bytes() for path in list_modules()}
    files["openapi.json"] = find_document().read_bytes()
    files["PKG-INFO"] = describe(project).encode()
    files["pyproject.toml"] = VERSION.sub(f'version = "{project["version"]}"', (HERE / "pyproject.toml").read_text()).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(f"{base}/{name}")  # without a time and an owner, so that builds are equal
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    name = f"{base}.tar.gz"
    pathlib.Path(sdist_directory, name).write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return name


VERSION = re.compile(r'^version = ".*"$', re.MULTILINE)


def read_project(version):
    """Reads what pyproject.toml says about the package, with the version if one is given."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    return {**project, "version": normalize(version or project["version"])}


def normalize(version):
    """Writes a semantic version as Python does: 0.1.0-rc.1 is 0.1.0rc1, 0.1.0-dev.7 is 0.1.0.dev7 (PEP 440)."""
    parts = re.fullmatch(r"(\d+\.\d+\.\d+)(?:[-.]?(rc|dev)\.?(\d+))?", version)
    if parts is None:
        raise SystemExit(f"Python has no version {version}: give one such as 0.1.0, 0.1.0-rc.1 or 0.1.0-dev.1")
    release, kind, number = parts.groups()
    return release if kind is None else release + {"rc": "rc", "dev": ".dev"}[kind] + number


def find_document():
    """Returns the API's document: of the repository, or in a source distribution the one beside this file."""
    packed = HERE / "openapi.json"
    return packed if packed.exists() else HERE.parent.parent / "apiserver" / "openapi" / "openapi.json"


def list_modules():
    return sorted(path for path in (HERE / "src" / "assay").iterdir() if path.is_file())


def describe(project):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Project-URL: {label}, {url}" for label, url in project["urls"].items()),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (HERE / project["readme"]).read_text()


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    version = sys.argv[2] if len(sys.argv) > 2 else None
    os.umask(0o022)
    folder.mkdir(parents=True, exist_ok=True)
    print(build_wheel(folder, version=version))
    print(build_sdist(folder, version=version))
