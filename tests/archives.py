"""The official formats of datasets, in miniature."""

import gzip
import io
import lzma
import struct
import tarfile
import zipfile

import numpy as np


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    content = content if isinstance(content, bytes) else content.encode()
    packers = {".gz": gzip.compress, ".xz": lzma.compress}
    path.write_bytes(packers.get("" if path.name.endswith(".tar.gz") else path.suffix, bytes)(content))


def tar_gz(members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def python2_batch(images, labels):
    """A batch as Python 2 pickled it: a dictionary of byte strings, a list of labels, an array of uint8."""

    def short(text):
        return b"U" + bytes([len(text)]) + text

    values = images.transpose(0, 3, 1, 2).tobytes()
    array = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85" + short(b"b") + b"\x87R"
    dtype = b"cnumpy\ndtype\n" + short(b"u1") + b"K\x00K\x01\x87R(K\x03" + short(b"|") + b"NNN"
    dtype += b"J\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    shape = b"K" + bytes([len(images)]) + b"M\x00\x0c\x86"
    array += b"(K\x01" + shape + dtype + b"\x89T" + struct.pack("<I", len(values)) + values + b"tb"
    items = short(b"batch_label") + short(b"training batch 1 of 5") + short(b"labels")
    items += b"](" + b"".join(b"K" + bytes([label]) for label in labels.tolist()) + b"e" + short(b"data") + array
    return b"\x80\x02}(" + items + b"u."


def binary_batch(images, labels):
    rows = np.concatenate([labels[:, None], images.transpose(0, 3, 1, 2).reshape(len(images), -1)], axis=1)
    return rows.tobytes()
