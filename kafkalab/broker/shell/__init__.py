"""The shell round the machines: it serves requests, carries out effects,
and joins a broker to the network."""
