// Where exports go: replaced as a whole, nothing half-written, devices as they are.
#include "write_support.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace
{

std::string entries(const Scratch &scratch)
{
    std::string list;
    FILE *pipe = popen(("ls -A " + scratch.directory + " | tr '\\n' ' '").c_str(), "r");
    for (int c; (c = fgetc(pipe)) != EOF;)
        list += static_cast<char>(c);
    pclose(pipe);
    return list;
}

TEST(OutFile, ReplacesOnlyWhenComplete)
{
    Scratch scratch;
    std::string path = scratch.path("out.json");
    write_file(path, "old");
    write_error error;
    out_file file;
    ASSERT_TRUE(out_file_open(&file, path.c_str(), &error)) << error.message;
    ASSERT_EQ(write(file.fd, "new", 3), 3);
    EXPECT_EQ(read_file(path), "old");
    ASSERT_TRUE(out_file_commit(&file, 0, &error));
    EXPECT_EQ(read_file(path), "new");
    EXPECT_EQ(entries(scratch), "out.json ");
}

// Opens, writes and replaces; returns the message if that fails.
std::string export_to(const std::string &path, const char *text)
{
    write_error error = {0, ""};
    out_file file;
    if (!out_file_open(&file, path.c_str(), &error))
        return error.message;
    EXPECT_EQ(write(file.fd, text, strlen(text)), static_cast<ssize_t>(strlen(text)));
    return out_file_commit(&file, 0, &error) ? "" : error.message;
}

unsigned mode_of(const std::string &path)
{
    struct stat status = {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
}

TEST(OutFile, IsForWhomTheUmaskAllowsItOrTheOldFileWas)
{
    Scratch scratch;
    mode_t before = umask(027);
    EXPECT_EQ(export_to(scratch.path("new"), "new"), "");
    EXPECT_EQ(mode_of(scratch.path("new")), 0640u);
    for (unsigned mode : {0600u, 0666u, 0755u}) {
        ASSERT_EQ(chmod(scratch.path("new").c_str(), mode), 0);
        EXPECT_EQ(export_to(scratch.path("new"), "newer"), "");
        EXPECT_EQ(mode_of(scratch.path("new")), mode);
    }
    umask(before);
}

TEST(OutFile, KeepsTheOwnerOfTheOldFile)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "only root can write for others";
    Scratch scratch;
    write_file(scratch.path("theirs"), "old");
    ASSERT_EQ(chown(scratch.path("theirs").c_str(), 1234, 5678), 0);
    EXPECT_EQ(export_to(scratch.path("theirs"), "new"), "");
    struct stat status;
    ASSERT_EQ(stat(scratch.path("theirs").c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 1234u);
    EXPECT_EQ(status.st_gid, 5678u);
}

TEST(OutFile, LeavesNothingOfAFailedExport)
{
    Scratch scratch;
    write_error error;
    out_file file;
    ASSERT_TRUE(out_file_open(&file, scratch.path("out.json").c_str(), &error));
    EXPECT_FALSE(out_file_commit(&file, ENOSPC, &error));
    EXPECT_EQ(error.code, ENOSPC);
    EXPECT_NE(strstr(error.message, "out.json"), nullptr);
    EXPECT_EQ(entries(scratch), "");
}

TEST(OutFile, SaysWhyItCannotBeOpened)
{
    Scratch scratch;
    write_error error;
    out_file file;
    EXPECT_FALSE(out_file_open(&file, scratch.directory.c_str(), &error));
    EXPECT_EQ(error.code, EISDIR);
    EXPECT_FALSE(out_file_open(&file, scratch.path("none/out.json").c_str(), &error));
    EXPECT_EQ(error.code, ENOENT);
    EXPECT_FALSE(out_file_open(&file, "", &error));
}

// Every way to write a link: to a name beside it, into another directory, absolute, through a second link, to nothing.
TEST(OutFile, ReplacesWhatALinkLeadsToNotTheLink)
{
    Scratch scratch;
    ASSERT_EQ(mkdir(scratch.path("sub").c_str(), 0700), 0);
    const std::string links[][2] = {
        {"beside", "target"},    {"down", "sub/target"},
        {"sub/up", "../target"}, {"absolute", scratch.path("sub/target")},
        {"second", "down"},      {"to_nothing", "sub/none"}};
    for (const auto &link : links) {
        ASSERT_EQ(symlink(link[1].c_str(), scratch.path(link[0]).c_str()), 0);
        EXPECT_EQ(export_to(scratch.path(link[0]), link[0].c_str()), "");
        EXPECT_EQ(read_file(scratch.path(link[0])), link[0]);
        char leads_to[200] = "";
        ASSERT_GT(readlink(scratch.path(link[0]).c_str(), leads_to, sizeof leads_to - 1), 0);
        EXPECT_EQ(leads_to, link[1]);
    }
    EXPECT_EQ(read_file(scratch.path("target")), "sub/up");
    EXPECT_EQ(read_file(scratch.path("sub/target")), "second");
    EXPECT_EQ(entries(scratch), "absolute beside down second sub target to_nothing ");
    ASSERT_EQ(symlink("ring", scratch.path("ring").c_str()), 0);
    EXPECT_NE(export_to(scratch.path("ring"), "x").find("ring: cannot write: "), std::string::npos);
}

TEST(OutFile, RefusesARecording)
{
    Scratch scratch;
    std::string recording = std::string(PROF_FILE_MAGIC) + std::string(100, '\0');
    write_file(scratch.path("run.prof"), recording);
    ASSERT_EQ(symlink("run.prof", scratch.path("link").c_str()), 0);
    for (const char *name : {"run.prof", "link"})
        EXPECT_NE(export_to(scratch.path(name), "x").find("does not replace a recording"),
                  std::string::npos);
    EXPECT_EQ(read_file(scratch.path("run.prof")), recording);
    EXPECT_EQ(entries(scratch), "link run.prof ");
}

// As a user other than root, in another user's directory.
template <typename Body>
void as_another_user(const Scratch &scratch, Body body)
{
    ASSERT_EQ(chmod(scratch.directory.c_str(), 0755), 0);
    pid_t child = fork();
    if (child == 0) {
        bool changed = setgid(65534) == 0 && setuid(65534) == 0;
        body();
        _exit(changed && !testing::Test::HasFailure() ? 0 : 1);
    }
    int status;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(OutFile, WritesDirectlyWhereNothingCanBeMadeBesideTheFile)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "only root can become another user";
    Scratch scratch;
    write_file(scratch.path("mine"), "what is longer than the new text");
    write_file(scratch.path("fixed"), "old");
    ASSERT_EQ(chmod(scratch.path("mine").c_str(), 0666), 0);
    ASSERT_EQ(chmod(scratch.path("fixed").c_str(), 0444), 0);
    as_another_user(scratch, [&] {
        EXPECT_EQ(export_to(scratch.path("mine"), "new"), "");
        for (const char *name : {"fixed", "none"})
            EXPECT_NE(export_to(scratch.path(name), "x").find("folder that you may write to"),
                      std::string::npos);
    });
    EXPECT_EQ(read_file(scratch.path("mine")), "new");
    EXPECT_EQ(read_file(scratch.path("fixed")), "old");
    EXPECT_EQ(entries(scratch), "fixed mine ");
}

// In a directory like /tmp everybody can create files, but nobody can rename over another user's.
TEST(OutFile, CopiesOverAFileThatCannotBeRenamedOver)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "only root can become another user";
    Scratch scratch;
    std::string shared = scratch.path("shared");
    ASSERT_EQ(mkdir(shared.c_str(), 0), 0);
    ASSERT_EQ(chmod(shared.c_str(), 01777), 0);
    write_file(shared + "/file", "what is longer than the new text");
    ASSERT_EQ(chmod((shared + "/file").c_str(), 0666), 0);
    as_another_user(scratch, [&] { EXPECT_EQ(export_to(shared + "/file", "new"), ""); });
    EXPECT_EQ(read_file(shared + "/file"), "new");
    EXPECT_EQ(Scratch::run("[ $(ls -A '" + shared + "') = file ]"), 0);
}

TEST(OutFile, SaysWhatToDo)
{
    Scratch scratch;
    const auto said = [&](const std::string &path) { return export_to(path, "x"); };
    EXPECT_NE(said(scratch.path("a/b/c")).find("mkdir -p " + scratch.path("a/b")),
              std::string::npos);
    EXPECT_NE(said(scratch.directory).find("name a file in it"), std::string::npos);
    write_file(scratch.path("file"), "");
    EXPECT_NE(said(scratch.path("file/out")).find("Not a directory"), std::string::npos);
    write_error error;
    out_file file;
    for (int code : {ENOSPC, EDQUOT, EFBIG, EROFS}) {
        ASSERT_TRUE(out_file_open(&file, scratch.path("file").c_str(), &error));
        EXPECT_FALSE(out_file_commit(&file, code, &error));
        EXPECT_NE(strstr(error.message, strerror(code)), nullptr);
        EXPECT_NE(strstr(error.message, "; "), nullptr) << error.message;
    }
}

// A signal that ends the program leaves the old file and nothing else. The limit of file sizes is an error instead.
TEST(OutFile, LeavesTheOldFileWhenASignalEndsTheProgram)
{
    for (int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXFSZ}) {
        Scratch scratch;
        write_file(scratch.path("out.json"), "old");
        pid_t child = fork();
        if (child == 0) {
            struct rlimit none = {0, 0};
            setrlimit(RLIMIT_CORE, &none);
            signal(number, SIG_DFL); // nohup and shells' background jobs ignore some
            out_file_remove_on_signals();
            write_error error;
            out_file file;
            bool opened = out_file_open(&file, scratch.path("out.json").c_str(), &error);
            bool written = opened && write(file.fd, "half", 4) == 4;
            raise(number);
            _exit(written && number == SIGXFSZ && !out_file_commit(&file, EFBIG, &error) ? 7 : 1);
        }
        int status;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        if (number == SIGXFSZ)
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
        else
            EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
        EXPECT_EQ(read_file(scratch.path("out.json")), "old");
        EXPECT_EQ(entries(scratch), "out.json ");
    }
}

TEST(OutFile, WritesDevicesDirectly)
{
    write_error error;
    out_file file;
    ASSERT_TRUE(out_file_open(&file, "/dev/null", &error));
    EXPECT_EQ(write(file.fd, "x", 1), 1);
    EXPECT_TRUE(out_file_commit(&file, 0, &error));
    struct stat status;
    ASSERT_EQ(stat("/dev/null", &status), 0);
    EXPECT_TRUE(S_ISCHR(status.st_mode));
    for (const char *own : {"-", "/dev/stdout", "/dev/fd/1", "/dev/stderr"}) {
        ASSERT_TRUE(out_file_open(&file, own, &error)) << own;
        EXPECT_GT(file.fd, 2);
        EXPECT_TRUE(out_file_commit(&file, 0, &error)) << own;
    }
}

} // namespace
