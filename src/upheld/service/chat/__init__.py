"""The service in the words of OpenAI's API, for clients and front ends that speak nothing else."""
