"""The clients' side: what a Java client does between an
application's call and the bytes on a socket."""
