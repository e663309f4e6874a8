"""What search, reranking, actions and quotes are worth, on questions with known passages."""
