"""The comparison of runs, and its report in HTML and Markdown."""
