"""JavaProcess: a JVM of the machine that Python drives through py4j, the library under PySpark.

A call of Python runs in a thread of Java's that belongs to the Python thread, and a callback comes
back on the same thread. So a rebalance listener may use its consumer, as in Java. The door listens
on the loopback address and asks for a token.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from logging import getLogger
from pathlib import Path
from typing import Any, TypeVar

from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError, Py4JJavaError

from kafkalab.errors import IllegalStateException
from kafkalab.real.free_ports import free_ports
from kafkalab.real.jar_fetch import java_command
from kafkalab.real.jar_sets import NotSetUp, jars_of_pyspark
from kafkalab.real.java_errors import python_error
from kafkalab.real.keeper import Keeper

# py4j logs each connection that breaks before it raises, also under no name of its own. nbgrader
# scores a cell with text on stderr as 0.
getLogger("py4j").setLevel("CRITICAL")
getLogger().addFilter(lambda record: "py4j" not in record.pathname)

LOOPBACK = "127.0.0.1"
STARTS_WITHIN_S = 90
OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Duser.timezone=UTC",
    "-Djava.net.preferIPv4Stack=true",
)
"""What every JVM of a lab is started with: it is small, and its lines are in UTC."""
HEAP_MB = 256
T = TypeVar("T")


def java_args(class_path: str, main: Sequence[str], options: Sequence[str] = ()) -> list[str]:
    """The command of a JVM: java, the options of every JVM, these options, the class path, the
    class and its arguments. Raises NotSetUp where there is no Java."""
    return [java_command(), f"-Xmx{HEAP_MB}m", *OPTIONS, *options, "-cp", class_path, *main]


class JavaProcess:
    """One JVM under the name `name`. `jvm` is the door to its classes.

    shown  whose process it is, for error messages; the name when left out

    Raises NotSetUp where it does not start.
    """

    def __init__(
        self,
        keeper: Keeper,
        name: str,
        class_path: str,
        options: Sequence[str] = (),
        shown: str | None = None,
    ) -> None:
        self.name, self._keeper, self._shown = name, keeper, shown or name
        self.killed = False
        self._methods: dict[str, set[tuple[str, str | None]]] = {}
        out = keeper.folder / f"{name}.out"
        main = ("py4j.GatewayServer", "--enable-auth", "--die-on-broken-pipe", "0")
        door = next(iter(jars_of_pyspark().glob("py4j-*.jar")))
        args = java_args(f"{door}{os.pathsep}{class_path}", main, options)
        self.pid = keeper.start(name, args, out)
        port, token = self._first_words(out)
        self._gateway = _both_ways(port, token)
        self.jvm: Any = self._gateway.jvm

    def _first_words(self, out: Path) -> tuple[int, str]:
        """The port and the token that the door prints when it is open."""
        until = time.monotonic() + STARTS_WITHIN_S
        while time.monotonic() < until:
            words = out.read_text(encoding="utf-8", errors="replace").split("\n")
            if len(words) > 2 and words[0].isdigit():
                return int(words[0]), words[1]
            if self._keeper.code(self.name) is not None:
                raise NotSetUp(f"The JVM of {self.name} ended at once. It said: {words[0]}")
            time.sleep(0.02)
        raise NotSetUp(f"The JVM of {self.name} did not start within {STARTS_WITHIN_S} s.")

    def call(self, function: Callable[..., T], *args: Any) -> T:
        """function(*args), a call into Java. An exception of Java's is raised as Python's of the
        same name; a call into a JVM that was killed raises IllegalStateException."""
        try:
            if self.killed:
                raise OSError("killed")
            return function(*args)
        except Exception as error:
            thrown = _thrown_by_java(error)
            if thrown is not None:
                raise python_error(thrown) from None
            if not isinstance(error, (Py4JError, OSError)):
                raise
            raise IllegalStateException(
                f"The process of {self._shown} was killed; start another one under a new name."
                if self.killed
                else f"The JVM of {self._shown} does not answer: {error}"
            ) from None

    def kill(self) -> None:
        """`kill -9`: nothing is closed or said any more."""
        self.killed = True
        self._keeper.kill(self.name)
        self.let_go()

    def let_go(self) -> None:
        """Close Python's end of the door."""
        with contextlib.suppress(Exception):
            self._gateway.shutdown_callback_server()
        with contextlib.suppress(Exception):
            self._gateway.close()

    def has_method(self, target: Any, name: str, first_kind: str | None = None) -> bool:
        """Whether a Java object has a public method of that name, whose first parameter has the
        class `first_kind` where it is given. Releases differ in their methods."""
        kind = str(target.getClass().getName())
        if kind not in self._methods:
            found: set[tuple[str, str | None]] = set()
            for method in target.getClass().getMethods():
                takes = method.getParameterTypes()
                own = str(method.getName())
                found |= {(own, None)} | ({(own, str(takes[0].getName()))} if len(takes) else set())
            self._methods[kind] = found
        return (name, first_kind) in self._methods[kind]

    # values for Java

    def properties(self, config: Mapping[str, Any]) -> Any:
        """A java.util.Properties with every value as text; a setting that is None is left out."""
        made = self.jvm.java.util.Properties()
        for key, value in config.items():
            if value is not None:
                made.setProperty(key, setting_text(value))
        return made

    def array_list(self, items: Iterable[Any]) -> Any:
        """A java.util.ArrayList of Java objects or texts."""
        made = self.jvm.java.util.ArrayList()
        for item in items:
            made.add(item)
        return made

    def hash_map(self, items: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> Any:
        """A java.util.HashMap of Java objects or texts."""
        made = self.jvm.java.util.HashMap()
        for key, value in items.items() if isinstance(items, Mapping) else items:
            made.put(key, value)
        return made

    def call_static(self, class_name: str, method: str, number: int) -> Any:
        """What a static method of one long gives. py4j does not find it by its name where the class
        has a method of objects with the same name."""
        language = self.jvm.java.lang
        kinds = self._gateway.new_array(language.Class, 1)
        kinds[0] = language.Long.TYPE
        given = self._gateway.new_array(language.Object, 1)
        given[0] = number
        return language.Class.forName(class_name).getMethod(method, kinds).invoke(None, given)

    def duration(self, ms: int) -> Any:
        """A java.time.Duration of so many milliseconds."""
        return self.jvm.java.time.Duration.ofMillis(ms)


def _thrown_by_java(error: BaseException) -> Any:
    """The Throwable behind an error; None where Java threw nothing.

    Once Spark runs in this Python process, PySpark looks at every exception of py4j's first, also
    at those of other JVMs, and raises one of its own in its place. Then ours is its context.
    """
    if not isinstance(error, Py4JError) and not type(error).__module__.startswith("pyspark."):
        return None
    link: BaseException | None = error
    while link is not None and not isinstance(link, Py4JJavaError):
        link = link.__context__
    return None if link is None else link.java_exception


def items_of(found: Any) -> Any:
    """An iterator over any Java Iterable. py4j makes lists, sets and maps Python's, but not every
    Collection."""
    return found.iterator()


def setting_text(value: object) -> str:
    """A setting's value as Java's properties hold it: `true`, `5`, `a,b`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(setting_text, value))
    return str(value)


def _both_ways(port: int, token: str) -> ClientServer:
    """A door with one thread for calls and callbacks, opened through the simpler one that py4j can
    start from a command line."""
    first = JavaGateway(
        gateway_parameters=GatewayParameters(address=LOOPBACK, port=port, auth_token=token)
    )
    loopback = first.jvm.java.net.InetAddress.getLoopbackAddress()
    builder = getattr(first.jvm.py4j, "ClientServer$ClientServerBuilder")()
    [python_port] = free_ports(1)
    builder.javaPort(0).javaAddress(loopback).pythonPort(python_port).pythonAddress(loopback)
    server = builder.authToken(token).build()
    server.startServer()
    inner_port = server.getJavaServer().getListeningPort()
    both = ClientServer(
        java_parameters=JavaParameters(
            address=LOOPBACK, port=inner_port, auth_token=token, auto_convert=True
        ),
        python_parameters=PythonParameters(
            address=LOOPBACK,
            port=python_port,
            daemonize=True,
            daemonize_connections=True,
            auth_token=token,
            propagate_java_exceptions=True,
        ),
    )
    first.close()
    return both
