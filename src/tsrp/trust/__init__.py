"""Which labels to trust."""
