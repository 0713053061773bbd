"""The worker's first step: into its control group, out of root's skin, and on to the program behind
the walls.

Started by parent.py outside the walls, with its orders as one JSON argument; it becomes the program
it is told to start. Its own work is small on purpose: nothing a learner wrote runs in it.
"""

import json
import os
import sys

BEFORE_LEARNERS = 10


def main(orders: dict) -> None:
    """Join orders["groups"], drop to orders["uid"] if there is one, become orders["command"].

    An ordinary user may not look into the folders on the way to root's Python; so root lends what
    is to be read, {place: source}, under /mnt, in a mount namespace that nobody else sees.
    """
    from walls import NEWNS, NOBODY, make_mounts_private, unshare

    for folder in orders["groups"]:
        with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as members:
            members.write("0")
    try:
        # root may: the process that holds the limits goes before those that it limits
        os.nice(-BEFORE_LEARNERS)
    except OSError:
        pass
    if orders["uid"] is not None:
        unshare(NEWNS)
        make_mounts_private()
        _lend(orders["lent"])
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(orders["uid"], orders["uid"], orders["uid"])
    os.execv(orders["command"][0], orders["command"])


def _lend(places: dict[str, str]) -> None:
    from walls import MS_BIND, MS_REC, mount

    # before /mnt hides one of them
    opened = {place: os.open(source, os.O_PATH) for place, source in places.items()}
    mount("tmpfs", "/mnt", "tmpfs", 0, "size=1m,mode=755")
    for place, source in opened.items():
        if os.path.isdir(f"/proc/self/fd/{source}"):
            os.makedirs(place)
        else:
            open(place, "xb").close()
        mount(f"/proc/self/fd/{source}", place, None, MS_BIND | MS_REC)
        os.close(source)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main(json.loads(sys.argv[1]))
