# SPDX-License-Identifier: Apache-2.0
"""Storage that is really slow to read: a disk whose reads the kernel holds back for a control group,
and a file system of our own (FUSE, by the kernel's protocol alone) that sleeps before it answers.

usage: slow_storage.py MOUNT_POINT FILE PAUSE_S        serves FILE, until it is unmounted
"""

import ctypes
import errno
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


def disk_of(path):
    """The number of the disk on which a path lies, as control groups have it."""
    device = os.stat(path).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    known = Path("/sys/dev/block") / number
    if not known.exists():
        raise OSError(errno.ENOTBLK, "its file system is on no disk of its own", str(path))
    if (known / "partition").exists():
        number = (known.resolve().parent / "dev").read_text().strip()
    return number


class ThrottledReads:
    """A control group, of version 1 or 2, whose processes read so many bytes a second of the disk
    that holds `path`. An OSError where there can be none."""

    def __init__(self, path, bytes_per_s):
        v1 = CGROUPS / "blkio"
        name = f"steptrace-test-reads-{os.getpid()}"
        self.folder = (v1 if v1.is_dir() else CGROUPS) / name
        disk = disk_of(path)
        if not v1.is_dir():
            (CGROUPS / "cgroup.subtree_control").write_text("+io")
        self.folder.mkdir()
        try:
            if v1.is_dir():
                limit = self.folder / "blkio.throttle.read_bps_device"
                limit.write_text(f"{disk} {bytes_per_s}")
            else:
                (self.folder / "io.max").write_text(f"{disk} rbps={bytes_per_s}")
        except OSError:
            self.folder.rmdir()
            raise
        self.procs = self.folder / "cgroup.procs"

    def remove(self):
        for _ in range(100):  # a worker may still be ending in it
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.05)
        raise TimeoutError(f"{self.folder}: processes stay in it")


class SlowMount:
    """A folder with one file, each read of which takes so long. An OSError where there can be none."""

    def __init__(self, folder, file, pause_s):
        self.folder = folder
        command = [sys.executable, __file__, str(folder), str(file), str(pause_s)]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        said = self.server.stdout.readline().strip()
        if said != "mounted":
            self.server.wait()
            raise OSError(errno.EPERM, said or "the file system did not start", str(folder))

    def remove(self):
        # Whoever still has the file open keeps it; the name is gone at once.
        _libc().umount2(os.fsencode(self.folder), 2)  # MNT_DETACH
        try:
            self.server.wait(timeout=10)
        finally:
            self.server.kill()


def _libc():
    return ctypes.CDLL(None, use_errno=True)


# The kernel's protocol (linux/fuse.h): what comes begins with IN, what goes with OUT.
IN, OUT = struct.Struct("=IIQQIIII"), struct.Struct("=IiQ")
LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH = 1, 2, 3, 14, 15, 18, 25
INIT, INTERRUPT, BATCH_FORGET = 26, 36, 42
WITHOUT_ANSWER = {FORGET, INTERRUPT, BATCH_FORGET}
ROOT, FILE = 1, 2
DIRECT_IO = 1  # no page cache: each read comes here
MOST_BYTES = 1 << 17
VALID_S = 3600


class Server:
    def __init__(self, source, pause_s):
        self.source = os.open(source, os.O_RDONLY)
        self.name = os.fsencode(os.path.basename(source))
        self.bytes = os.fstat(self.source).st_size
        self.pause_s = pause_s

    def serve(self, device):
        while True:
            try:
                request = os.read(device, MOST_BYTES + 4096)
            except OSError as error:
                if error.errno == errno.ENODEV:  # unmounted
                    return
                if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                    continue
                raise
            _, operation, unique, node, *_ = IN.unpack_from(request)
            if operation in WITHOUT_ANSWER:
                continue
            answer = self.answer(operation, node, request[IN.size :])
            error, data = (answer, b"") if isinstance(answer, int) else (0, answer)
            os.write(device, OUT.pack(OUT.size + len(data), -error, unique) + data)

    def answer(self, operation, node, body):
        """Bytes, or the number of an error."""
        if operation == INIT:
            version = struct.pack("=IIIIHHIIHHI7I", 7, 31, 0, 0, 1, 1, 4096, 1, 0, 0, 0, *[0] * 7)
            return version
        if operation == LOOKUP:
            if body.split(b"\0")[0] != self.name:
                return errno.ENOENT
            return struct.pack("=QQQQII", FILE, 1, VALID_S, VALID_S, 0, 0) + self.attributes(FILE)
        if operation == GETATTR:
            return struct.pack("=QII", VALID_S, 0, 0) + self.attributes(node)
        if operation == OPEN:
            return struct.pack("=QII", 0, DIRECT_IO, 0)
        if operation == READ:
            _, offset, size = struct.unpack_from("=QQI", body)
            time.sleep(self.pause_s)
            return os.pread(self.source, size, offset)
        return b"" if operation in (RELEASE, FLUSH) else errno.ENOSYS

    def attributes(self, node):
        mode, size = (0o40755, 0) if node == ROOT else (0o100644, self.bytes)
        times = [0] * 6
        return struct.pack("=QQQ3Q3I7I", node, size, 0, *times, mode, 1, 0, 0, 0, 4096, 0)


def main():
    folder, source, pause_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
    _libc().prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL: never without the test
    try:
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        return print(f"/dev/fuse: {error.strerror}", flush=True)
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    flags = 1 | 2 | 4 | 8  # read only, nosuid, nodev, noexec
    failed = _libc().mount(b"slow", os.fsencode(folder), b"fuse", flags, options.encode())
    if failed:
        return print(f"mount: {os.strerror(ctypes.get_errno())}", flush=True)
    print("mounted", flush=True)
    Server(source, pause_s).serve(device)


if __name__ == "__main__":
    main()
