"""PyTorch checkpoints, built by hand: a zip of a pickle and of raw storages."""

import io
import pickle
import zipfile

import numpy as np

STORAGES = {"float32": "FloatStorage", "int64": "LongStorage", "bfloat16": "BFloat16Storage",
            "bool": "BoolStorage", "float16": "HalfStorage", "uint8": "ByteStorage"}  # fmt: skip


class Global:
    """A name that the pickle refers to, whether or not it can be imported here."""

    def __init__(self, module, name):
        self.module, self.name = module, name


class Call:
    """A call of a global in the pickle."""

    def __init__(self, function, *args):
        self.function, self.args = function, args


class Stored:
    """A storage: (kind, key, elements)."""

    def __init__(self, kind, key, count):
        self.pid = ("storage", Global("torch", kind), key, "cpu", count)


class Writer(pickle._Pickler):
    """Writes the names of `Global` and the calls of `Call` without importing anything."""

    def persistent_id(self, obj):
        return obj.pid if isinstance(obj, Stored) else None

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, Global):
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        elif isinstance(obj, Call):
            self.save(obj.function)
            self.save(obj.args)
            self.write(pickle.REDUCE)
        else:
            super().save(obj, save_persistent_id)


def tensor(array, key, storages, strides=None, offset=0, shape=None):
    """A tensor as `torch.save` writes it, its storage added to `storages`."""
    flat = np.array(array, order="C")
    storages[key] = flat.tobytes()
    shape = flat.shape if shape is None else shape
    steps = tuple(s // flat.itemsize for s in flat.strides) if strides is None else strides
    stored = Stored(STORAGES[flat.dtype.name], key, flat.size)
    rebuild = Global("torch._utils", "_rebuild_tensor_v2")
    return Call(rebuild, stored, offset, shape, steps, False, Call(OrderedGlobal))


OrderedGlobal = Global("collections", "OrderedDict")


def checkpoint(path, structure, storages=(), compress=False, root="archive/", order=b"little"):
    buffer = io.BytesIO()
    Writer(buffer, 2).dump(structure)
    kind = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as archive:
        archive.writestr(f"{root}data.pkl", buffer.getvalue())
        archive.writestr(f"{root}byteorder", order)
        for key, content in dict(storages).items():
            archive.writestr(f"{root}data/{key}", content)
        archive.writestr(f"{root}version", "3\n")
    return path
