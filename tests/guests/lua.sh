# lua and luajit: coroutines, commands, generated code, C functions, memory below 2 GiB
# packages: lua5.4 luajit
# commands: lua5.4 luajit

version() { echo "$(lua5.4 -v | cut -d" " -f1,2), $(luajit -v | cut -d" " -f1,2)"; }

prepare() {
    cat >script.lua <<'LUA'
local function generate(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local total = 0
for i in generate(200000) do total = total + i end
print(total)
for n = 1, 12 do
    local pipe = io.popen("cat; exit " .. n, "w")
    pipe:write("")
    local _, how, status = pipe:close()
    if status and status ~= n then print("wrong", how, status) end
end
print(io.popen("echo from a shell"):read("a*"))
print(os.execute("exit 3"))
print(os.execute("kill -TERM $$"))
local words = {}
for i = 1, 300000 do words[#words + 1] = tostring(i * 7919 % 300007) end
table.sort(words)
print(words[1], words[#words], #table.concat(words))
print(pcall(function() local function deep() return 1 + deep() end return deep() end) == false)
print(select(2, pcall(error, "raised")))
local file = io.open("written." .. (jit and "jit" or "lua"), "w")
for i = 1, 5000 do file:write(i, "\n") end
file:close()
if jit then
    local ffi = require("ffi")
    ffi.cdef [[
        int abs(int); int getppid(void); int fork(void); int waitpid(int, int *, int); void _exit(int);
        typedef int (*compare)(const void *, const void *); void qsort(void *, size_t, size_t, compare);
        void *signal(int, void (*)(int)); int raise(int);
    ]]
    print(ffi.C.abs(-7))
    local pid = ffi.C.fork()
    if pid == 0 then ffi.C._exit(17) end
    local status = ffi.new("int[1]")
    ffi.C.waitpid(pid, status, 0)
    print(status[0])
    local numbers = ffi.new("int[1000]")
    for i = 0, 999 do numbers[i] = (i * 7919) % 1000 end
    ffi.C.qsort(numbers, 1000, 4, function(a, b)
        return ffi.cast("const int *", a)[0] - ffi.cast("const int *", b)[0]
    end)
    print(numbers[0], numbers[999])
    local x = 0
    for i = 1, 5e7 do x = x + bit.band(i, 7) end
    print(x)
end
os.exit(6, true)
LUA
}

workload() {
    local program
    lua5.4 script.lua
    echo "status $?"
    luajit script.lua
    echo "status $?"
    for program in lua5.4 luajit; do
        (ulimit -v 1200000 && "$program" -e 'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(100000) .. i end' 2>&1)
        echo "status $?"
    done
}
