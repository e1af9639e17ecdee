"""Curation of problems: duplicates, contradictions, missing and disagreeing solutions. Nothing is deleted."""

from srt.curate.curate_problems import curate_file
from srt.curate.curation_records import CHECKS, CurationFinding, CurationOptions, Embeddings, Thresholds

__all__ = ["CHECKS", "CurationFinding", "CurationOptions", "Embeddings", "Thresholds", "curate_file"]
