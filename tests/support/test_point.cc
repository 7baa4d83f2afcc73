#include "test_point.h"

#include <atomic>

namespace
{

struct Point {
    std::string name;
    std::function<void()> action;
    std::atomic<bool> taken{false};
};
std::atomic<Point *> armed{nullptr}; // never freed: a thread may be about to look at it

} // namespace

extern "C" void test_point_pass(const char *name)
{
    Point *point = armed.load();
    if (point && point->name == name && !point->taken.exchange(true))
        point->action();
}

AtTestPoint::AtTestPoint(const char *name, std::function<void()> action)
{
    Point *point = new Point;
    point->name = name;
    point->action = std::move(action);
    armed = point;
}

AtTestPoint::~AtTestPoint()
{
    armed = nullptr;
}

StopAtTestPoint::StopAtTestPoint(const char *name)
    : point(name, [this] {
          std::unique_lock<std::mutex> lock(mutex);
          arrived = true;
          changed.notify_all();
          changed.wait(lock, [this] { return released; });
      })
{
}

void StopAtTestPoint::await_arrival()
{
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return arrived; });
}

void StopAtTestPoint::release()
{
    std::lock_guard<std::mutex> lock(mutex);
    released = true;
    changed.notify_all();
}
