"""What runs in the launcher, a process that imports as little as it can: a part of the standard library, and this."""
