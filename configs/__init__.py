"""Configurations of training runs: `penzoo train configs/pen.yaml`, or by name alone, `penzoo train pen`."""
