#!/bin/sh
# Makes the user that both services run as.
set -e
if ! getent group assay >/dev/null; then
	groupadd --system assay
fi
if ! getent passwd assay >/dev/null; then
	useradd --system --gid assay --home-dir /var/lib/assay --no-create-home --shell /usr/sbin/nologin assay
fi
