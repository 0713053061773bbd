"""Share groups: members that take records of one partition one by one (KIP-932)."""
