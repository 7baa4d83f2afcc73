"""site.py DIRECTORY - builds the documentation as a static site, with every link checked.

The pages keep their places in the tree, so that their links work here as they do on the site; what they link to beside
pages (headers, pictures) is copied, too. The navigation is that of docs/README.md. Needs MkDocs and its theme Material;
`./dev docs` installs both into an environment of their own.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#]+)[^)]*\)")
CONFIGURATION = """\
site_name: libprof
docs_dir: pages
site_dir: site
use_directory_urls: false
theme: {name: material, font: false, features: [navigation.sections, navigation.indexes, content.code.copy]}
markdown_extensions:
  - tables
  - fenced_code
  - toc: {permalink: true, slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}
plugins: [search]
validation: {links: {not_found: warn, anchors: warn, absolute_links: warn, unrecognized_links: warn}}
not_in_nav: "*"
nav:
"""


def tracked():
    """Files of the tree, also those that are not committed yet."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [Path(name) for name in names.split("\0") if name and (ROOT / name).exists()]


def copy_pages(pages):
    """Every page, and every file that one links to."""
    wanted = {name for name in tracked() if name.suffix == ".md"}
    for page in sorted(wanted):
        for _, target in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
            linked = (ROOT / page.parent / target).resolve()
            if linked.is_file() and ROOT in linked.parents:
                wanted.add(linked.relative_to(ROOT))
    for name in wanted:
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        if name.suffix == ".md":
            (pages / name).write_text(for_the_site((ROOT / name).read_text(encoding="utf-8"), name), encoding="utf-8")
        else:
            shutil.copy(ROOT / name, pages / name)


def for_the_site(text, name):
    """A site has no page for a folder: its name stays, the link goes. A code block has a language and nothing else."""
    def keep(match):
        return match[1] if (ROOT / name.parent / match[2]).is_dir() else match[0]
    return re.sub(r"^(```\w+) .*", r"\1", LINK.sub(keep, text), flags=re.MULTILINE)


def navigation():
    """The sections of docs/README.md with the pages in their tables."""
    lines = ["  - Overview: README.md", "  - Contents: docs/README.md"]
    for line in (ROOT / "docs/README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            lines.append(f"  - {line[3:]}:")
        for title, target in LINK.findall(line) if line.startswith("| [") else []:
            lines.append(f"    - {json.dumps(title)}: docs/{target}")
    return "\n".join([*lines, "  - Project:", "    - Changes: CHANGELOG.md", "    - Contributing: CONTRIBUTING.md",
                      "    - Security: SECURITY.md"]) + "\n"


def main():
    work = Path(sys.argv[1])
    shutil.rmtree(work / "pages", ignore_errors=True)
    copy_pages(work / "pages")
    (work / "mkdocs.yml").write_text(CONFIGURATION + navigation(), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(work / "mkdocs.yml")]
    return subprocess.run(command, check=False).returncode


sys.exit(main())
