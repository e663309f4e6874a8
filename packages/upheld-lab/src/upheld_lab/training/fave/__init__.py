"""FaVe's planner: a language model that breaks a question down into what documents can answer."""
