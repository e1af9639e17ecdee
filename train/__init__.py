"""Fine-tuning on traces: ``train_srt.py`` is what ``accelerate launch`` runs, and reads from top to bottom."""

import logging
import warnings

# PEFT imports bitsandbytes, which warns on some processors that a package for fetching compiled code from a hub is
# missing. That package is not wanted here.
logging.getLogger("bitsandbytes.backends.cpu.ops").setLevel(logging.ERROR)

# DeepSpeed reports at each start that there is no GPU. The devices of a run are in its manifest.
logging.getLogger("DeepSpeed").addFilter(lambda record: "Setting accelerator to CPU" not in record.getMessage())

# PEFT uses a deprecated name of transformers.
warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
