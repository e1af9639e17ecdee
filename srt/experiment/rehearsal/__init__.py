"""A whole experiment in minutes: small models, a stand-in for teachers, drawn problems."""
