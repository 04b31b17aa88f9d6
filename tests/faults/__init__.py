"""Faults that are put into running work, and how it goes on after them: `./run faults`.

A subject is something that works for a while and writes files: it is started, continued, and its
content compared with that of an undisturbed run. A fault is what happens to it in between.
"""
