// The protobuf writer: the bytes that the wire format asks for, whatever the sizes.
#include "../write/write_support.h"

#include "proto_out.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace
{

std::string written(const std::function<void(proto_out *)> &write)
{
    proto_out out;
    EXPECT_TRUE(proto_out_init(&out, -1, nullptr));
    write(&out);
    std::string bytes(out.buffer, proto_size(&out));
    EXPECT_EQ(proto_out_fini(&out), 0);
    return bytes;
}

TEST(ProtoOut, WritesTheBytesOfTheWireFormat)
{
    EXPECT_EQ(written([](proto_out *out) { proto_uint(out, 1, 150); }), "\x08\x96\x01");
    EXPECT_EQ(written([](proto_out *out) { proto_int(out, 30, -1); }),
              "\xf0\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    EXPECT_EQ(written([](proto_out *out) { proto_string(out, 2, "testing"); }), "\x12\x07testing");
    EXPECT_EQ(written([](proto_out *out) { proto_double(out, 5, 1.0); }),
              std::string("\x29\0\0\0\0\0\0\xf0\x3f", 9));
}

TEST(ProtoOut, MovesBodiesThatNeedALongerLength)
{
    for (size_t size : {0u, 126u, 127u, 128u, 16383u, 16384u, 3000000u}) {
        std::string bytes = written([size](proto_out *out) {
            size_t outer = proto_begin(out, 1), inner = proto_begin(out, 2);
            for (size_t i = 0; i < size; i++) {
                *proto_room(out) = 'x';
                out->at++;
            }
            proto_end(out, inner);
            proto_end(out, outer);
        });
        char length[10];
        std::string body(length, proto_put_varint(length, size));
        std::string inner = "\x12" + body + std::string(size, 'x');
        std::string outer(length, proto_put_varint(length, inner.size()));
        EXPECT_EQ(bytes, "\x0a" + outer + inner) << size;
    }
}

TEST(ProtoOut, MakesEveryStringValidUtf8)
{
    EXPECT_EQ(written([](proto_out *out) {
                  proto_text(out, 1, {"a\xff\xc3\xa9\xe2\x82", 6});
              }),
              "\x0a\x0c"
              "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
    std::string all(1 << 20, '\xff');
    EXPECT_EQ(written([&](proto_out *out) {
                  proto_text(out, 1, {all.data(), all.size()});
              }).size(),
              3u * all.size() + 5);
}

TEST(ProtoOut, KeepsTheFirstError)
{
    proto_out out;
    int fd = open("/dev/full", O_WRONLY);
    ASSERT_GE(fd, 0);
    ASSERT_TRUE(proto_out_init(&out, fd, nullptr));
    for (int i = 0; i < 1000000; i++) {
        size_t mark = proto_begin(&out, 1);
        proto_uint(&out, 2, 1);
        proto_end(&out, mark);
        proto_may_flush(&out);
    }
    EXPECT_EQ(proto_out_fini(&out), ENOSPC);
    close(fd);
}

} // namespace
