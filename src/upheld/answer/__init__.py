"""Draft to answer: citations, marks, what is shown and guaranteed. No model is called here."""
