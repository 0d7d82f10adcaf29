"""What a command shows on a terminal."""
import fcntl
import os
import pty
import struct
import termios


def open_terminal(columns=80):
    """Both ends of a terminal so wide: ours, and that of the command."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return leader, follower


def read_all(leader):
    """Until the command has closed its end."""
    shown = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # Linux says so when the other side is closed
            return shown
        if not part:
            return shown
        shown += part
