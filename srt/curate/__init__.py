"""Curation of problems: duplicates, contradictions, missing and disagreeing solutions. Nothing is deleted."""

from srt.curate.records import CHECKS, CuratedOut, Embeddings, Options, Thresholds
from srt.curate.run import curate_file

__all__ = ["CHECKS", "CuratedOut", "Embeddings", "Options", "Thresholds", "curate_file"]
