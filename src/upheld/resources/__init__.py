"""The composition root: settings to engines, models and clients. The one room that knows `edge`."""
