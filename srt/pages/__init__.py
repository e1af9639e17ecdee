"""What all self-contained HTML pages share: the template engine, with escaping, and the look."""
