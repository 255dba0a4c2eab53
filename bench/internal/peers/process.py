"""What Linux knows about a process."""

import os


def peak(pid):
    """The most memory that it had, in MB."""
    with open("/proc/%s/status" % pid) as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))


def processor(pid):
    """The seconds of processor time that it has used."""
    with open("/proc/%s/stat" % pid) as stat:
        ticks = stat.read().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
