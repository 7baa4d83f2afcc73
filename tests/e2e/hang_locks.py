"""hang_locks.py [RLock]: two threads within "train", each of which waits for the lock that the other one holds."""
import ctypes
import sys
import threading
import time

lock = getattr(threading, sys.argv[1] if sys.argv[1:] else "Lock")
a, b = lock(), lock()


def other():
    with b:
        time.sleep(0.2)
        with a:
            pass


def wait_for_b():
    with a:
        time.sleep(0.2)
        with b:
            pass


ctypes.CDLL(None).prof_range_push(b"train")
threading.Thread(target=other, daemon=True).start()
wait_for_b()
