#!/bin/sh
# Debian calls it with "remove", Red Hat with the number of versions that stay. An upgrade
# stops nothing.
set -e
if [ "$1" = remove ] || [ "$1" = 0 ]; then
	if [ -d /run/systemd/system ]; then
		systemctl disable --now assay-apiserver.service assay-syncd.service || true
	fi
fi
