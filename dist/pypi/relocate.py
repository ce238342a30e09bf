"""Replaces the folder of the repository by /swell in the bill of materials of a wheel: maturin writes the folder of the build there, and
two folders would give two wheels. Usage: relocate.py WHEEL FOLDER OUT"""

import base64
import hashlib
import os
import sys
import zipfile

wheel, folder, out = sys.argv[1:]
with zipfile.ZipFile(wheel) as source:
    files = [(info, source.read(info)) for info in source.infolist()]

changed = {}
for index, (info, data) in enumerate(files):
    if info.filename.endswith(".cyclonedx.json"):
        data = data.replace(f"file://{folder}/".encode(), b"file:///swell/")
        files[index] = (info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        changed[info.filename] = f"{info.filename},sha256={digest},{len(data)}"
if not changed:
    sys.exit(f"{wheel} has no bill of materials")

with zipfile.ZipFile(os.path.join(out, os.path.basename(wheel)), "w") as target:
    for info, data in files:
        if info.filename.endswith(".dist-info/RECORD"):
            lines = data.decode().splitlines()
            lines = [changed.get(line.split(",")[0], line) for line in lines]
            data = ("\n".join(lines) + "\n").encode()
        target.writestr(info, data, compress_type=zipfile.ZIP_DEFLATED, compresslevel=9)
