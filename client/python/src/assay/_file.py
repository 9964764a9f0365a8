from __future__ import annotations

import asyncio
import http.client
import os
import shutil


class File:
    """What an operation answers that is not JSON. Read it, save it or close it."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.content_type: str = response.headers.get_content_type()
        #: What the server proposes; None if it proposes none.
        self.name: str | None = response.headers.get_filename()

    def read(self, size: int = -1) -> bytes:
        """Reads the whole file, or so many bytes of it."""
        if size < 0:
            return self._response.read()
        part = self._response.read(size)
        if size > 0 and not part and self._response.length:  # http.client reports a lost connection only to who reads the whole
            raise http.client.IncompleteRead(part, self._response.length)
        return part

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file without holding it in memory."""
        with self, open(path, "wb") as to:
            shutil.copyfileobj(self, to)

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncFile:
    """A File for AsyncClient."""

    def __init__(self, file: File) -> None:
        self._file = file
        self.content_type: str = file.content_type
        self.name: str | None = file.name

    async def read(self, size: int = -1) -> bytes:
        """Reads the whole file, or so many bytes of it."""
        return await asyncio.to_thread(self._file.read, size)

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file without holding it in memory."""
        await asyncio.to_thread(self._file.save, path)

    async def close(self) -> None:
        await asyncio.to_thread(self._file.close)
