"""Two threads within "train", each of which waits for the lock that the other one holds."""
import ctypes
import threading
import time

a, b = threading.Lock(), threading.Lock()


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
