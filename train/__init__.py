"""Fine-tuning on traces: ``train_srt.py`` is what ``accelerate launch`` runs, and reads from top to bottom."""

import logging
import warnings

# Imported along with PEFT, it warns on some processors that a package is missing which it would use to fetch compiled
# code from a hub. That package is not wanted here, and the warning would open the output of every command.
logging.getLogger("bitsandbytes.backends.cpu.ops").setLevel(logging.ERROR)

# DeepSpeed says at each start that there is no GPU. What a run computes on stands in its stamp.
logging.getLogger("DeepSpeed").addFilter(lambda record: "Setting accelerator to CPU" not in record.getMessage())

# PEFT asks transformers by a name that is about to go.
warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
