"""What a model wrote for a problem, judged: ``srt.judge`` and all that judges outputs use this room."""
