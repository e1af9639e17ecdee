"""Files of predictions that other systems wrote: tables, and the files of lm-eval, lmms-eval, VLMEvalKit, Inspect."""
