// NVTX through its C++ header: scoped ranges with domains, categories, colours and payloads.
#include <nvtx3/nvtx3.hpp>

struct my_domain {
    static constexpr char const *name{"cpp"};
};

struct my_string {
    static constexpr char const *message{"registered in C++"};
};

struct my_category {
    static constexpr char const *name{"io"};
    static constexpr uint32_t id{5};
};

static void function()
{
    NVTX3_FUNC_RANGE_IN(my_domain);
}

int main()
{
    for (int i = 0; i < 10; i++) {
        nvtx3::scoped_range_in<my_domain> outer{
            nvtx3::registered_string_in<my_domain>::get<my_string>(),
            nvtx3::named_category_in<my_domain>::get<my_category>(), nvtx3::rgb{1, 2, 3},
            nvtx3::payload{i}};
        nvtx3::scoped_range inner{"inner"};
        function();
    }
    nvtx3::unique_range unique{"unique"};
    nvtx3::mark("mark", nvtx3::payload{2.5});
}
