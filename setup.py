"""What pyproject.toml cannot say: the links of the package's page, which all begin with the address of the project.

An index shows README without the folders around it, so its relative links are made absolute for the wheel.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent
ADDRESS = "https://example.org/srt-traces"
"""The project's address, in this place only. This one is reserved for examples: set the real one before a release."""
VERSION = re.search(r'__version__ = "(.+)"', (HERE / "srt/__init__.py").read_text("utf-8"))[1]


def with_absolute_links(page: str) -> str:
    """``page``, in Markdown, with pictures and links that lead to the files of this version at :data:`ADDRESS`."""
    relative = r"\((?!https?:|#)"
    page = re.sub(rf"(!\[[^\]]*\]){relative}", rf"\1({ADDRESS}/raw/v{VERSION}/", page)
    return re.sub(rf"(\]){relative}", rf"\1({ADDRESS}/blob/v{VERSION}/", page)


if __name__ == "__main__":
    from setuptools import setup

    setup(
        long_description=with_absolute_links((HERE / "README.md").read_text("utf-8")),
        long_description_content_type="text/markdown",
        project_urls={
            "Repository": ADDRESS,
            "Documentation": f"{ADDRESS}/blob/v{VERSION}/docs/index.md",
            "Changelog": f"{ADDRESS}/blob/v{VERSION}/CHANGELOG.md",
            "Issues": f"{ADDRESS}/issues",
        },
    )
