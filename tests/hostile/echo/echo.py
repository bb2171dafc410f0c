import sys

print("ready", flush=True)
for line in sys.stdin:
    print("echo " + line, end="", flush=True)
