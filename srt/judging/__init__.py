"""What a model wrote for a problem, judged: :func:`srt.judging.judge.judge` and all that judges outputs use this room."""
