"""The sentences of SpaCE2025 scene descriptions, by digest: the texts belong to Peking University and are not here.

:func:`.scene_text.sentence_digests` makes them; a test makes them again from a copy of the data.
"""

from __future__ import annotations

from typing import Final

from srt.io.records import Lang

SENTENCES: Final[dict[Lang, frozenset[str]]] = {
    "en": frozenset(
        (
            "b6e6cad77add7a3e",
            "06b6391f203c0a62",
            "9540c36c048e2615",
            "92e763bc421b22ad",
            "7ea5e327e891de85",
            "1a1ebe5a48ab23e5",
            "09fdefb9dedd9252",
            "f420b946efa03955",
            "d142ec255f371431",
            "901d8216fdb93354",
            "8f183ef24eee3362",
            "6d0667f1343f9c5a",
            "976d21440bc6661d",
            "46d516c89ad3c64d",
            "f57e6736c78817d2",
            "692e40d091703639",
            "d29336253dfca564",
            "3cf46083b19e33e2",
            "d88153b30696c1f7",
            "7e759cb5c7c229b6",
            "2aac6be42f15d2a6",
            "f5d0e6b180e9ae3c",
            "3bcd9e196c891391",
            "94b11a31e8375131",
        )
    ),
    "zh": frozenset(
        (
            "c1074ad6538b90e2",
            "d6a9c76d71ed852c",
            "924b51fa6e4cfdd7",
            "381d341172ddc5a6",
            "08030946b537e812",
            "6a9e2bb4cf4c5a07",
            "2f5ca4f4d6247c3c",
            "724f80db3f3f335c",
            "efa60ce33381d9d8",
            "757ba24948d45d62",
            "c4ad4eff76f2459b",
            "8eee40207ce887d4",
            "6917f5cdf888c7dd",
            "d603dc18b38a5495",
            "dc510f55fb0e04dd",
            "9b7b8a67e500aef7",
            "3513f8168cff2f46",
            "e7abe0783ca76495",
            "bcf7fb0dc6e2b26c",
            "0061f2b97ce524eb",
            "8a49578688ba96cf",
            "e3511e74c5b01270",
            "cc526fd76cd1c236",
        )
    ),
}
