"""A producer's id, sequences and transactions (TransactionManager)."""
