"""From files to indexed passages: read, chunk, embed, write. No stages and no storage engine."""
