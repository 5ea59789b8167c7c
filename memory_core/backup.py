"""A namespace's truth as one zip file, taken before it is destroyed."""

import time
import zipfile
from pathlib import Path

from . import durable

_TRUTH = ("*.jsonl", "conversations/*.jsonl", "manifest.json")


def back_up(folder: Path, into: Path, *, now: float) -> Path:
    """Writes <user>~<character>-<time>.zip with all but the derived files; returns its path.

    Raises StorageFailed. A backup that exists already is never overwritten.
    """
    durable.make_folder(into)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    path = _free(into, f"{folder.parent.name}~{folder.name}-{stamp}")
    with durable.naming(path), path.open("xb") as file:
        path.chmod(durable.FILE_MODE)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for pattern in _TRUTH:
                for source in sorted(folder.glob(pattern)):
                    archive.write(source, source.relative_to(folder).as_posix())
        file.flush()
        durable.sync(file.fileno(), path=path)
    durable.sync_folder(into)
    return path


def _free(folder: Path, stem: str) -> Path:
    names = (folder / f"{stem}{f'-{n}' if n else ''}.zip" for n in range(1000))
    return next(path for path in names if not path.exists())
