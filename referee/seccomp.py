"""The seccomp filter of a sandbox: a BPF program that bubblewrap loads just before the bot's own program starts.

It is a list of what is refused, made of three groups. Ways out: everything that reaches into other processes, into the
kernel, or makes namespaces. Ways to whisper: whatever lets two sandboxes feel each other through files that both may only
read, such as locks, leases, watches and the state of the page cache. Ways round the limits: memory that no process has
mapped. System calls newer than those known here answer ENOSYS, as on an older kernel, and so do those of other
architectures' tables where they can be told; programs of another architecture are killed.

Where a program would take an error badly and has no use for the truth, the filter claims success (`PRETEND`): a lock on a
file that nobody can write to protects nothing.

Sources: linux/seccomp.h, linux/filter.h, asm/unistd_64.h (x86_64) and asm-generic/unistd.h (aarch64) of Linux 6.1.
"""

from __future__ import annotations

import errno
import platform
import struct
from typing import Final

NEWEST: Final = 450
"""The newest system call that is let through, if it is not refused by name; the numbers above 423 are the same everywhere."""
PRETEND: Final = 0
"""In place of an error: say that it was done."""

_ARCHES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""By machine: its column in the tables, and its AUDIT_ARCH."""

_WAYS_OUT: Final = """
ptrace 101 117; process_vm_readv 310 270; process_vm_writev 311 271; kcmp 312 272; pidfd_getfd 438 438;
process_madvise 440 440; process_mrelease 448 448; bpf 321 280; perf_event_open 298 241; userfaultfd 323 282;
mount 165 40; umount2 166 39; pivot_root 155 41; move_mount 429 429; open_tree 428 428; fsopen 430 430;
fsconfig 431 431; fsmount 432 432; fspick 433 433; mount_setattr 442 442; chroot 161 51; unshare 272 97; setns 308 268;
name_to_handle_at 303 264; open_by_handle_at 304 265; quotactl 179 60; quotactl_fd 443 443; swapon 167 224;
swapoff 168 225; reboot 169 142; sethostname 170 161; setdomainname 171 162; acct 163 89; syslog 103 116;
kexec_load 246 104; kexec_file_load 320 294; init_module 175 105; finit_module 313 273; delete_module 176 106;
iopl 172 -; ioperm 173 -; settimeofday 164 170; clock_settime 227 112; clock_adjtime 305 266; adjtimex 159 171;
add_key 248 217; request_key 249 218; keyctl 250 219; vhangup 153 58; lookup_dcookie 212 18; nfsservctl 180 42;
uselib 134 -; modify_ldt 154 -; _sysctl 156 -; migrate_pages 256 238; move_pages 279 239
"""
"""Refused with EPERM."""

_ABSENT: Final = """
clone3 435 435; io_uring_setup 425 425; io_uring_enter 426 426; io_uring_register 427 427;
inotify_init 253 -; inotify_init1 294 26; inotify_add_watch 254 27; fanotify_init 300 262; fanotify_mark 301 263;
shmget 29 194; shmat 30 196; shmctl 31 195; shmdt 67 197; msgget 68 186; msgsnd 69 189; msgrcv 70 188; msgctl 71 187;
semget 64 190; semop 65 193; semctl 66 191; semtimedop 220 192; mq_open 240 180; mq_unlink 241 181;
memfd_create 319 279; memfd_secret 447 447; mincore 27 232; mbind 237 235; set_mempolicy 238 237
"""
"""Refused with ENOSYS, on which libraries fall back to something else: clone3, for one, to clone, whose flags can be read."""

_PRETENDED: Final = "flock 73 32; fadvise64 221 223; readahead 187 213; sync 162 81; syncfs 306 267; sched_setaffinity 203 122"

_CLONE: Final = (56, 220)
_NAMESPACES: Final = 0x7E020000
"""CLONE_NEWUSER, NEWPID, NEWNET, NEWIPC, NEWUTS, NEWCGROUP and NEWNS."""
_FCNTL: Final = (72, 25)
_LOCKS: Final = {6: PRETEND, 7: PRETEND, 37: PRETEND, 38: PRETEND, 5: errno.ENOLCK, 36: errno.ENOLCK}
"""F_SETLK and F_SETLKW, also F_OFD_…, and the two that ask who holds a lock."""
_NOTICES: Final = {1024: errno.EINVAL, 1026: errno.EINVAL}
"""F_SETLEASE and F_NOTIFY: both tell when somebody else opens a file."""
_SOCKET: Final = (41, 198)
_FAMILIES: Final = (1, 2, 10)
"""AF_UNIX, AF_INET and AF_INET6, which the network namespace contains; AF_VSOCK, for one, it does not."""
_NETLINK: Final = 16
_PREADV2: Final = (327, 286)
_PWRITEV2: Final = (328, 287)

_LOAD, _EQUAL, _ABOVE, _ANY, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCH = 0, 4

Step = tuple[int, int, int, int]
"""One instruction: code, jump if true, jump if false, operand."""


def supported(machine: str | None = None) -> bool:
    """Whether there is a filter for this machine."""
    return (machine or platform.machine()) in _ARCHES


def program(machine: str | None = None) -> bytes:
    """The filter as an array of struct sock_filter. Raises KeyError for a machine that is not supported."""
    column, arch = _ARCHES[machine or platform.machine()]
    steps: list[Step] = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, arch), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    steps += [(_ABOVE, 0, 1, NEWEST), _refuse(errno.ENOSYS)]
    for table, error in ((_WAYS_OUT, errno.EPERM), (_ABSENT, errno.ENOSYS), (_PRETENDED, PRETEND)):
        for number in _numbers(table, column):
            steps += _case(number, [_refuse(error)])
    steps += _by_argument(column)
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _numbers(table: str, column: int) -> list[int]:
    entries = [entry.split() for entry in table.split(";")]
    return [int(entry[1 + column]) for entry in entries if entry[1 + column] != "-"]


def _refuse(error: int) -> Step:
    return (_RETURN, 0, 0, _ERRNO | error)


def _case(number: int, body: list[Step]) -> list[Step]:
    """Do `body`, which returns, for one system call."""
    return [(_EQUAL, 0, len(body), number), *body]


def _argument(index: int) -> Step:
    """Load the low half of an argument; the kernel reads no more of those that matter here."""
    return (_LOAD, 0, 0, 16 + 8 * index)


def _by_argument(column: int) -> list[Step]:
    allow: Step = (_RETURN, 0, 0, _ALLOW)
    clone = [_argument(0), (_ANY, 0, 1, _NAMESPACES), _refuse(errno.EPERM), allow]
    fcntl = [_argument(1)]
    for command, error in (_LOCKS | _NOTICES).items():
        fcntl += [(_EQUAL, 0, 1, command), _refuse(error)]
    socket = [_argument(0)]
    for family in _FAMILIES:
        socket += [(_EQUAL, 0, 1, family), allow]
    socket += [(_EQUAL, 0, 3, _NETLINK), _argument(2), (_EQUAL, 0, 1, 0), allow, _refuse(errno.EAFNOSUPPORT)]
    flagged = [_argument(5), (_EQUAL, 1, 0, 0), _refuse(errno.EOPNOTSUPP), allow]
    return [
        *_case(_CLONE[column], clone),
        *_case(_FCNTL[column], [*fcntl, allow]),
        *_case(_SOCKET[column], socket),
        *_case(_PREADV2[column], flagged),
        *_case(_PWRITEV2[column], flagged),
    ]
