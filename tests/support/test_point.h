// What runs when a thread passes a TEST_POINT() of the recorder.
#ifndef TEST_POINT_SUPPORT_H
#define TEST_POINT_SUPPORT_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

// While it lives, the first thread that passes the test point runs the action there; later ones do not. One at a
// time.
class AtTestPoint
{
public:
    AtTestPoint(const char *name, std::function<void()> action);
    ~AtTestPoint();
};

// Stops the first thread that passes the test point.
class StopAtTestPoint
{
public:
    explicit StopAtTestPoint(const char *name);
    ~StopAtTestPoint() { release(); }
    void await_arrival(); // of the thread at the point
    void release();

private:
    std::mutex mutex;
    std::condition_variable changed;
    bool arrived = false, released = false;
    AtTestPoint point;
};

#endif
