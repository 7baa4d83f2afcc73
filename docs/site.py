"""site.py DIRECTORY - builds the documentation as a static site, with every link checked.

The pages keep their places in the tree, so that their links work here as they do on the site; what they link to beside
pages (headers, pictures) is copied, too. The navigation is that of docs/README.md. Needs MkDocs and its theme Material;
`./dev docs` installs both into an environment of their own.

For language models, the site has llms.txt, the same contents as a list of links, and each page as Markdown beside its HTML.
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


def contents():
    """The sections of docs/README.md: each with the title, the path and the description of the pages in its table."""
    sections = []
    for line in (ROOT / "docs/README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            sections.append((line[3:], []))
        if line.startswith("| ["):
            page, description = line.strip("| ").split(" | ", 1)
            title, target = LINK.search(page).groups()
            sections[-1][1].append((title, f"docs/{target}", description))
    return sections


def navigation():
    lines = ["  - Overview: README.md", "  - Contents: docs/README.md"]
    for section, pages in contents():
        lines += [f"  - {section}:", *(f"    - {json.dumps(title)}: {path}" for title, path, _ in pages)]
    return "\n".join([*lines, "  - Project:", "    - Changes: CHANGELOG.md", "    - Contributing: CONTRIBUTING.md",
                      "    - Security: SECURITY.md"]) + "\n"


def llms():
    """llms.txt: what the site has, for a language model to choose from (llmstxt.org)."""
    summary = (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")[1].replace("\n", " ")
    lines = ["# libprof", "", f"> {summary}", "", "## Skill", "",
             "- [SKILL.md](skill/SKILL.md): rules and commands with which an assistant measures, explains and compares programs"]
    for section, pages in contents():
        lines += ["", f"## {section}", "",
                  *(f"- [{title}]({path}): {description}" for title, path, description in pages)]
    return "\n".join(lines) + "\n"


def add_texts(pages, site):
    """llms.txt, and the pages as Markdown beside their HTML. Returns what is missing."""
    (site / "llms.txt").write_text(llms(), encoding="utf-8")
    missing = []
    for page in sorted(pages.rglob("*.md")):
        name = page.relative_to(pages)
        shutil.copy(page, site / name)
        html = name.with_suffix(".html") if name.stem != "README" else name.parent / "index.html"
        if not (site / html).is_file():
            missing.append(f"{name} has no {html} beside it")
    return missing + [f"llms.txt: there is no {path}" for _, path in LINK.findall(llms()) if not (site / path).is_file()]


def main():
    work = Path(sys.argv[1])
    shutil.rmtree(work / "pages", ignore_errors=True)
    copy_pages(work / "pages")
    (work / "mkdocs.yml").write_text(CONFIGURATION + navigation(), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(work / "mkdocs.yml")]
    status = subprocess.run(command, check=False).returncode
    missing = [] if status else add_texts(work / "pages", work / "site")
    print(*missing, sep="\n", end="\n" if missing else "")
    return status or bool(missing)


sys.exit(main())
