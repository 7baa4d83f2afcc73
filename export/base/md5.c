/* md5.c - RFC 1321. */
#include "md5.h"

#define BLOCK_BYTES 64u

struct md5 {
    uint32_t a, b, c, d;
};

/* The integer part of 2^32 * abs(sin(i + 1)). */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

static const uint8_t shifts[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t mix(unsigned round, const struct md5 *m)
{
    return round == 0   ? (m->b & m->c) | (~m->b & m->d)
           : round == 1 ? (m->d & m->b) | (~m->d & m->c)
           : round == 2 ? m->b ^ m->c ^ m->d
                        : m->c ^ (m->b | ~m->d);
}

static uint32_t word_of(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void add_block(struct md5 *sum, const uint8_t *block)
{
    static const uint8_t factors[4] = {1, 5, 3, 7}, firsts[4] = {0, 1, 5, 0};
    struct md5 m = *sum;
    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16, shift = shifts[round][i % 4];
        unsigned word = (factors[round] * i + firsts[round]) % 16;
        uint32_t turned = m.a + mix(round, &m) + sines[i] + word_of(block + 4 * word);
        m = (struct md5){m.d, m.b + (turned << shift | turned >> (32 - shift)), m.b, m.c};
    }
    *sum = (struct md5){sum->a + m.a, sum->b + m.b, sum->c + m.c, sum->d + m.d};
}

/* The rest, a bit that is set, zeros, and the number of bits. */
static void add_end(struct md5 *sum, const uint8_t *rest, size_t size, uint64_t bytes)
{
    uint8_t end[2 * BLOCK_BYTES] = {0};
    size_t blocks = size + 9 > BLOCK_BYTES ? 2 : 1;
    if (size)
        memcpy(end, rest, size);
    end[size] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        end[blocks * BLOCK_BYTES - 8 + i] = (uint8_t)(bytes * 8 >> 8 * i);
    for (size_t i = 0; i < blocks; i++)
        add_block(sum, end + i * BLOCK_BYTES);
}

uint64_t md5_lower(struct text text)
{
    struct md5 sum = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    size_t whole = text.size / BLOCK_BYTES * BLOCK_BYTES;
    for (size_t at = 0; at < whole; at += BLOCK_BYTES)
        add_block(&sum, bytes + at);
    add_end(&sum, text.size ? bytes + whole : bytes, text.size - whole, text.size);
    return (uint64_t)sum.d << 32 | sum.c;
}
