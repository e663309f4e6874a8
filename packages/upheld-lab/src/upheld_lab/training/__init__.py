"""Recipes that make the shipped models; torch is used only here."""
