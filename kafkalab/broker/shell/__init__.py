"""The shell of a broker: serves requests, carries out effects and connects it to the network
(SocketServer)."""
