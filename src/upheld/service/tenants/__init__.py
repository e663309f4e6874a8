"""The knowledge base of each tenant, and how a tenant goes. No request is read here."""
