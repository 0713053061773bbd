"""The teacher's side of the sandbox: it starts workers, asks them, replaces them and judges how far
the walls hold."""
