"""OpenAI's API: requests read and replies written in its words. Routes are in `routes`."""
