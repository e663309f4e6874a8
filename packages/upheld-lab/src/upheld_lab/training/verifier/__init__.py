"""The verifier's recipe: data, training, export; torch is used only here."""
