"""The knowledge base of each tenant, and the deletion of a tenant. No HTTP."""
