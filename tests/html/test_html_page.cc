// The page: what may run in it, what is in it, and that it is there as a whole or not at all.
#include "../write/write_support.h"

extern "C" {
#include "html_page.h"
#include "write_html.h"
}

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

namespace
{

std::string page_of(const timeline *of)
{
    Scratch scratch;
    write_error error{};
    write_html_options options{};
    std::string path = scratch.path("out.html");
    EXPECT_TRUE(write_html(of, &options, path.c_str(), &error)) << error.message;
    return read_file(path);
}

// A recording with something of everything.
const timeline *usual(TimelineMaker &m)
{
    m.push("step", 0);
    m.kernel("k", m.launch("cudaLaunchKernel", 10, 20), 30, 60);
    m.kernel("k", m.launch("cudaLaunchKernel", 500, 520), 530, 900);
    m.pop(1000);
    return m.done();
}

// Whether a Python program that has the page as `page` passes.
bool passes(const std::string &page, const std::string &program)
{
    Scratch scratch;
    std::ofstream(scratch.path("p.html"), std::ios::binary) << page;
    std::ofstream(scratch.path("p.py")) << "import base64, hashlib, json, re, sys\n"
                                           "page = open(sys.argv[1], 'rb').read().decode()\n"
                                        << program << "\n";
    return Scratch::run("python3 '" + scratch.path("p.py") + "' '" + scratch.path("p.html") +
                        "'") == 0;
}

size_t count_of(const std::string &text, const std::string &part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        count++;
    return count;
}

} // namespace

TEST(HtmlPage, NamesItsStyleAndScriptByTheirHashes)
{
    TimelineMaker m;
    EXPECT_TRUE(passes(page_of(usual(m)), R"py(
for tag, directive in (('style', 'style-src'), ('script', 'script-src')):
    text = re.search('<%s>(.*?)</%s>' % (tag, tag), page, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert "%s 'sha256-%s'" % (directive, digest) in page, tag
policy = re.search('Content-Security-Policy" content="([^"]*)"', page).group(1)
assert policy.startswith("default-src 'none'; ") and 'unsafe' not in policy, policy)py"));
}

TEST(HtmlPage, HasDataThatParses)
{
    TimelineMaker m;
    EXPECT_TRUE(passes(page_of(usual(m)), R"py(
def no_constant(name): raise ValueError(name)
blocks = re.findall('<script type="application/json" id="([a-z-]+)">(.*?)</script>', page, re.S)
assert [name for name, text in blocks] == ['run-data', 'findings-data', 'roofline-data', 'timeline-data']
for name, text in blocks: json.loads(text, parse_constant=no_constant))py"));
}

TEST(HtmlPage, AsksForNothing)
{
    TimelineMaker m;
    std::string page = page_of(usual(m));
    EXPECT_EQ(page.find("https:"), std::string::npos);
    EXPECT_EQ(count_of(page, "http:"),
              1u); // the name of SVG's elements, which is fetched by nobody
    EXPECT_NE(page.find("\"http://www.w3.org/2000/svg\""), std::string::npos);
    for (const char *fetch : {" src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("})
        EXPECT_EQ(page.find(fetch), std::string::npos) << fetch;
}

TEST(HtmlPage, MakesNoMarkupOfText)
{
    for (const char *unsafe : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                               "eval(", "new Function", "</script", "DOMParser"})
        EXPECT_EQ(std::string(html_script).find(unsafe), std::string::npos) << unsafe;
}

TEST(HtmlPage, KeepsNamesInsideOfItsText)
{
    TimelineMaker m;
    m.push("</script><script>alert(1)</script>", 0);
    m.kernel("<img src=x onerror=alert(1)>", m.launch("<!--", 10, 20), 30, 60);
    m.range("\"' & \x1b[31m\x01\xff\xc3 \xe2\x80\xae=cmd|;", 100, 400);
    m.range("]]></style></pre></noscript></title>", 400, 600);
    m.pop(1000);
    std::string page = page_of(m.done());
    EXPECT_TRUE(passes(page, R"py(
from html.parser import HTMLParser
tags = []
class Parser(HTMLParser):
    def handle_starttag(self, tag, attributes): tags.append(tag)
Parser().feed(page)
assert tags.count('script') == 5 and tags.count('style') == 1, tags
assert not {'img', 'a', 'svg'} & set(tags), tags)py"));
    EXPECT_EQ(count_of(page, "</script"), 5u); // four blocks of data and the program
    EXPECT_EQ(count_of(page, "</style"), 1u);
    EXPECT_EQ(count_of(page, "</title"), 1u);
    EXPECT_EQ(count_of(page, "</noscript"), 1u);
    EXPECT_EQ(page.find("<!--"), std::string::npos);
    for (char control : {'\x1b', '\x01'})
        EXPECT_EQ(page.find(control), std::string::npos);
    EXPECT_TRUE(passes(page, "assert '\\u202e' not in page")); // and it is UTF-8
}

TEST(HtmlPage, IsSmallWhateverNamesHold)
{
    TimelineMaker m;
    m.range(std::string(1 << 20, '<'), 0, 1000);
    std::string without = page_of(usual(*std::make_unique<TimelineMaker>()));
    EXPECT_LT(page_of(m.done()).size(), without.size() + (size_t{7} << 20));
}

TEST(HtmlPage, SaysTheVerdictAndTheLossesWithoutAScript)
{
    TimelineMaker m;
    std::string page = page_of(usual(m));
    std::string text = page.substr(0, page.find("<script type"));
    EXPECT_NE(text.find("GPU 0 was busy 40 % of 1.00 us"), std::string::npos);
    EXPECT_NE(text.find("Ledger: launched"), std::string::npos);
    EXPECT_NE(text.find("<noscript><pre>GPU 0 was busy"), std::string::npos);
}

TEST(HtmlPage, IsTheSameEveryTime)
{
    TimelineMaker m;
    const timeline *of = usual(m);
    EXPECT_EQ(page_of(of), page_of(of));
}

TEST(HtmlPage, OfNothingIsAPage)
{
    TimelineMaker m;
    EXPECT_NE(page_of(m.done()).find("the recording is empty"), std::string::npos);
}

TEST(HtmlPage, LeavesNothingWhenTheDiskIsFull)
{
    TimelineMaker m;
    write_error error{};
    write_html_options options{};
    EXPECT_FALSE(write_html(usual(m), &options, "/dev/full", &error));
    EXPECT_EQ(error.code, ENOSPC);
}

TEST(HtmlPage, LeavesTheOldFileWhenItCannotBeWritten)
{
    Scratch scratch;
    write_error error{};
    std::string path = scratch.path("out.html");
    std::ofstream(path) << "old";
    auto fails = [](FILE *stream, const void *) {
        fputs("half", stream);
        return EIO;
    };
    EXPECT_FALSE(html_page_write(fails, nullptr, path.c_str(), &error));
    EXPECT_EQ(error.code, EIO);
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.directory),
                            std::filesystem::directory_iterator()),
              1);
}
