// Every name is written once and is a number from then on.
#include "recorder_support.h"

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

extern "C" {
#include "labels.h"
#include "recorder.h"
}

namespace
{

// The table points into the file: one file for all tests of a process.
class Names : public testing::Test
{
protected:
    static void SetUpTestSuite()
    {
        static TemporaryDirectory directory;
        static int error = begin_file(directory / "names.prof", 512ull << 20, false);
        ASSERT_EQ(error, 0);
    }
    uint32_t intern(const std::string &name) { return names_intern(name.data(), name.size()); }
};

// The NAME record of an id, found as a reader finds it: by walking META.
const prof_rec_name *stated(uint32_t id)
{
    const uint8_t *file = (const uint8_t *)chunks_header();
    for (uint64_t chunk = 0; chunk < chunks_header()->chunk_count; chunk++) {
        const uint8_t *base = file + chunk * PROF_CHUNK_BYTES;
        size_t at = chunk ? PROF_CHUNK_HEADER_BYTES : PROF_FILE_HEADER_BYTES;
        while (at < PROF_CHUNK_BYTES) {
            uint64_t word = *(const uint64_t *)(base + at);
            const prof_rec_name *name = (const prof_rec_name *)(base + at);
            if (word && PROF_WORD_TYPE(word) == PROF_REC_NAME && name->id == id)
                return name;
            at += word ? PROF_WORD_SIZE(word) * 8 : 8;
        }
    }
    return nullptr;
}

std::string stated_text(uint32_t id)
{
    const prof_rec_name *name = stated(id);
    return name ? std::string((const char *)(name + 1), name->bytes) : "(not in the file)";
}

uint32_t fnv(const std::string &text)
{
    uint32_t hash = 2166136261u;
    for (char c : text)
        hash = (hash ^ (uint8_t)c) * 16777619u;
    return hash;
}

TEST_F(Names, OfTheSameBytesHaveTheSameId)
{
    std::string copy = "forward";
    EXPECT_EQ(intern("forward"), intern(copy));
    EXPECT_NE(intern("forward"), 0u);
}

TEST_F(Names, OfDifferentBytesHaveDifferentIds)
{
    std::set<uint32_t> ids;
    std::vector<std::string> names = {"", "a", "b", "ab", "ba", "aa", "A", "a ", " a"};
    for (size_t size = 1; size <= 70;
         size++) // each length, differing in the first, middle and last byte
        for (size_t at : {size_t{0}, size / 2, size - 1}) {
            std::string name(size, 'n');
            name[at] = 'N';
            names.push_back(name);
        }
    std::set<std::string> distinct(names.begin(), names.end());
    for (const std::string &name : distinct)
        EXPECT_TRUE(ids.insert(intern(name)).second) << name;
}

TEST_F(Names, AreInTheFileWithLengthAndHash)
{
    std::string name = "conv2d \xe2\x82\xac";
    const prof_rec_name *record = stated(intern(name));
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(stated_text(record->id), name);
    EXPECT_EQ(record->full_bytes, name.size());
    EXPECT_EQ(record->hash, fnv(name));
}

TEST_F(Names, KeepEmbeddedNulsAndBadUtf8AsBytes)
{
    std::string nul("a\0b", 3), bad("\xff\xc0\x80\xed\xa0\x80", 6);
    EXPECT_NE(intern(nul), intern("a"));
    EXPECT_NE(intern(nul), intern(std::string("a\0c", 3)));
    EXPECT_EQ(stated_text(intern(nul)), nul);
    EXPECT_EQ(stated_text(intern(bad)), bad);
}

TEST_F(Names, AreCutAt4096BytesAndKeepTheirFullLength)
{
    std::string exact(PROF_NAME_BYTES_MAX, 'e'), longer = exact + "!", longest = exact + "!!";
    EXPECT_EQ(stated(intern(exact))->full_bytes, PROF_NAME_BYTES_MAX);
    const prof_rec_name *cut = stated(intern(longer));
    EXPECT_EQ(cut->bytes, PROF_NAME_BYTES_MAX);
    EXPECT_EQ(cut->full_bytes, PROF_NAME_BYTES_MAX + 1);
    EXPECT_NE(intern(exact), intern(longer));
    EXPECT_NE(intern(longer), intern(longest));
}

TEST_F(Names, ThatDifferOnlyBehindTheCutStayDifferent)
{
    std::string first(PROF_NAME_BYTES_MAX + 100, 'k');
    for (size_t at = PROF_NAME_BYTES_MAX - 1; at < first.size(); at += 7) {
        std::string other = first;
        other[at] = 'K';
        uint32_t ids[] = {intern(first), intern(other)};
        EXPECT_NE(ids[0], ids[1]) << at;
        EXPECT_EQ(stated(ids[0])->full_bytes, stated(ids[1])->full_bytes);
        EXPECT_NE(stated_text(ids[0]), stated_text(ids[1])) << at;
    }
}

TEST_F(Names, ThatAreCutEndInAMarkBehindAWholeCharacter)
{
    std::string name = "x";
    while (name.size() < 2 * PROF_NAME_BYTES_MAX)
        name += "\xf0\x9f\x98\x80";
    std::string text = stated_text(intern(name));
    ASSERT_GT(text.size(), NAMES_MARK_BYTES);
    ASSERT_LE(text.size(), PROF_NAME_BYTES_MAX);
    std::string begin = text.substr(0, text.size() - NAMES_MARK_BYTES);
    EXPECT_EQ(begin, name.substr(0, begin.size()));
    EXPECT_EQ(begin.size() % 4, 1u);
    EXPECT_EQ(text.substr(begin.size(), 4), "...#");
    EXPECT_EQ(text.substr(begin.size() + 4).find_first_not_of("0123456789abcdef"),
              std::string::npos);
    EXPECT_EQ(intern(name), intern(std::string(name)));
    EXPECT_NE(intern(text), intern(name)); /* a name that reads so is whole */
    EXPECT_EQ(stated(intern(text))->full_bytes, text.size());
}

TEST_F(Names, OfRegisteredTextsAreTheSameNames)
{
    std::string name(PROF_NAME_BYTES_MAX + 100, 't'), other = name;
    other.back() = 'T';
    interned_text *text = texts_intern(0, name.data(), name.size());
    ASSERT_NE(text, nullptr);
    EXPECT_EQ(texts_intern(0, name.data(), name.size()), text);
    EXPECT_NE(texts_intern(0, other.data(), other.size()), text);
    EXPECT_EQ(texts_name(text), intern(name));
}

TEST_F(Names, OfAMebibyteAreKeptAsTheirBeginning)
{
    std::string huge(1 << 20, 'h');
    uint32_t id = intern(huge);
    EXPECT_EQ(stated(id)->bytes, PROF_NAME_BYTES_MAX);
    EXPECT_EQ(stated(id)->full_bytes, huge.size());
    EXPECT_EQ(intern(huge), id);
}

TEST_F(Names, OfNullAreNoNames)
{
    EXPECT_EQ(names_intern(nullptr, 3), 0u);
}

TEST_F(Names, OfStableAddressesAreThoseOfTheirBytes)
{
    static const char name[] = "_Z3fooi";
    uint32_t id = names_intern_stable(name);
    EXPECT_EQ(id, intern("_Z3fooi"));
    for (int i = 0; i < 100; i++)
        EXPECT_EQ(names_intern_stable(name), id);
    EXPECT_EQ(names_intern_stable(nullptr), 0u);
}

TEST_F(Names, MayChangeAtAnAddressThatWasStable)
{
    char name[32] = "_Z3barv";
    EXPECT_EQ(names_intern_stable(name), intern("_Z3barv"));
    strcpy(name, "_Z3barvLonger");
    EXPECT_EQ(names_intern_stable(name), intern("_Z3barvLonger"));
    strcpy(name, "_Z3");
    EXPECT_EQ(names_intern_stable(name), intern("_Z3"));
}

TEST_F(Names, MayBeManyAndEachIsStatedOnce)
{
    const uint32_t count = 200000;
    std::vector<uint32_t> ids(count);
    std::set<uint32_t> distinct;
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = intern("many " + std::to_string(i));
        distinct.insert(ids[i]);
    }
    EXPECT_EQ(distinct.size(), count);
    EXPECT_EQ(distinct.count(0), 0u);
    for (uint32_t i = 0; i < count; i += 7)
        ASSERT_EQ(intern("many " + std::to_string(i)), ids[i]);
    EXPECT_EQ(stated_text(ids[123456]), "many 123456");
}

TEST_F(Names, OfAMillionNoneIsLost)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < 1000000; i++)
        lost += intern("of a million " + std::to_string(i)) == 0;
    EXPECT_EQ(lost, 0u);
}

TEST_F(Names, InternedByEightThreadsAtOnceHaveOneIdEach)
{
    const int threads = 8, count = 20000;
    std::vector<std::vector<uint32_t>> ids(threads, std::vector<uint32_t>(count));
    std::atomic<int> ready{0};
    std::vector<std::thread> workers;
    for (int worker = 0; worker < threads; worker++)
        workers.emplace_back([&, worker] {
            ready++;
            while (ready < threads)
                ;
            for (int i = 0; i < count; i++)
                ids[worker][i] = intern("shared " + std::to_string(i));
        });
    for (std::thread &worker : workers)
        worker.join();
    std::set<uint32_t> distinct(ids[0].begin(), ids[0].end());
    EXPECT_EQ(distinct.size(), (size_t)count);
    for (int worker = 1; worker < threads; worker++)
        EXPECT_EQ(ids[worker], ids[0]);
    EXPECT_EQ(stated_text(ids[0][count - 1]), "shared " + std::to_string(count - 1));
}

// ---- a thread's cache
// -----------------------------------------------------------------------------------

class NameCache : public Names
{
protected:
    std::unique_ptr<name_cache> cache = std::make_unique<name_cache>();
    uint32_t learn(const char *name) { return names_resolve(cache.get(), name); }
    uint32_t known(const char *name) { return names_lookup(cache.get(), name); }
};

TEST_F(NameCache, KnowsWhatItLearned)
{
    std::string text = "backward";
    const char *name = text.c_str();
    EXPECT_EQ(known(name), 0u);
    uint32_t id = learn(name);
    EXPECT_EQ(known(name), id);
    std::string elsewhere = name;
    EXPECT_EQ(known(elsewhere.c_str()), id) << "by content";
    EXPECT_EQ(intern(name), id) << "as in the process's table";
}

TEST_F(NameCache, TellsTheNamesOfAReusedBufferApart)
{
    char buffer[32];
    std::set<uint32_t> ids;
    for (int i = 0; i < 1000; i++) {
        snprintf(buffer, sizeof buffer, "layer %d", i);
        uint32_t id = known(buffer) ? known(buffer) : learn(buffer);
        ids.insert(id);
        ASSERT_EQ(id, intern(buffer));
    }
    EXPECT_EQ(ids.size(), 1000u);
}

TEST_F(NameCache, TellsSizedNamesWithNulsApart)
{
    uint32_t first = names_resolve_n(cache.get(), "x\0y", 3),
             second = names_resolve_n(cache.get(), "x\0z", 3);
    EXPECT_NE(first, second);
    EXPECT_EQ(names_lookup_n(cache.get(), "x\0z", 3), second);
    EXPECT_NE(names_lookup_n(cache.get(), "x\0y", 3), second);
    EXPECT_NE(learn("x"), first);
}

TEST_F(NameCache, NeverConfusesNamesThatShareASlot)
{
    for (int i = 0; i < 5000; i++) { // 256 slots
        std::string name = "slot " + std::to_string(i);
        ASSERT_EQ(learn(name.c_str()), intern(name));
    }
    for (int i = 0; i < 5000; i++) {
        std::string name = "slot " + std::to_string(i);
        uint32_t id = known(name.c_str());
        ASSERT_TRUE(id == 0 || id == intern(name)) << name;
    }
}

TEST_F(NameCache, KeepsTheFullLengthOfALongName)
{
    std::string name(PROF_NAME_BYTES_MAX + 904, 'l'), other = name + "different";
    EXPECT_EQ(stated(learn(name.c_str()))->full_bytes, name.size());
    EXPECT_NE(learn(name.c_str()), learn(other.c_str()));
}

TEST_F(NameCache, ReadsNothingBehindAName)
{
    std::unique_ptr<char[]> bytes(new char[40]); // the sanitizer watches its ends
    for (size_t size = 1; size <= 40; size++) {
        memset(bytes.get() + 40 - size, 'r', size);
        uint32_t id = names_resolve_n(cache.get(), bytes.get() + 40 - size, size);
        EXPECT_EQ(names_lookup_n(cache.get(), bytes.get() + 40 - size, size), id);
    }
}

} // namespace
