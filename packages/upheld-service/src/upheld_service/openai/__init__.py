"""OpenAI's API: parse its requests and write its replies. The routes are in `routes`."""
