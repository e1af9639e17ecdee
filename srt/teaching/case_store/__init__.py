"""The folder of a teaching run: its manifest, cases, decisions of people, summary and report."""
