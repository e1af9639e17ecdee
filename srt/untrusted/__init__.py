"""Programs in the files of others, chat templates and tokenizers: tried out within bounds before they are used here."""
