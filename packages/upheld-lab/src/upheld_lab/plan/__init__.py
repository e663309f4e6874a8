"""What a collection and a load would take: machines, storage and money, from measured rates."""
