"""llama.cpp's own server (package xllamacpp) on a free port; prints its address and serves until its input ends.

python serve_llama_cpp.py MODEL.gguf ALIAS [PARALLEL] [PORT]
"""

from __future__ import annotations

import sys

from xllamacpp import CommonParams, Server

CONTEXT = 4096  # tokens of each request


def main(file: str, alias: str, parallel: str = "2", port: str = "0") -> None:
    params = CommonParams()
    params.model.path = file
    params.model_alias = {alias}
    params.n_parallel = int(parallel)
    params.n_ctx = CONTEXT * int(parallel)
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # several spin where cores are shared
    params.hostnames, params.port = ["127.0.0.1"], int(port)
    server = Server(params)  # returns when it is ready
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
