"""From files to indexed passages: read, chunk, embed, write. No stage, no engine."""
