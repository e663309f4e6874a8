"""Bulk work measured: batches that are killed and continued, and workers against bare models."""
