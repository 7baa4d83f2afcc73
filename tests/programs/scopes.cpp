// C++ scopes: 100 + 1000 of prof::range, 1000 of a literal, and 500 left by an exception.
#include <prof/prof.h>

#include <stdexcept>
#include <string>

static void throws(int i)
{
    prof::range through("thrown through");
    if (i >= 0)
        throw std::runtime_error("on purpose");
}

static void literal()
{
    PROF_RANGE("literal");
    prof::range inside(std::string("scope and more").c_str(), 5);
}

int main()
{
    for (int i = 0; i < 100; i++)
        prof::range whole("scope");
    for (int i = 0; i < 1000; i++)
        literal();
    for (int i = 0; i < 500; i++) {
        try {
            throws(i);
        } catch (const std::exception &) {
            prof::range handler("handler");
        }
    }
    return 0;
}
