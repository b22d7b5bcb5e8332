"""The pure core: values in, values out.

No files, clock, network, environment, logging, randomness or frameworks. Times, ids and keys are arguments.
"""
