"""What a benchmark is: its record, the forms in which a problem is asked, and the files of its prompts."""
