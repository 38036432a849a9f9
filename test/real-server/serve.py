"""Serves a model until its standard input ends: a server that nobody waits for does not stay behind."""

import sys

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 8192
parameters.n_parallel = 2
parameters.cpuparams.n_threads = 1
parameters.port = int(sys.argv[2])
parameters.use_jinja = True
server = xllamacpp.Server(parameters)
print(f"listening at {server.listening_address}", flush=True)
sys.stdin.read()
