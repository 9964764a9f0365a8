#!/bin/sh
# Debian calls it with "configure" and the version before, Red Hat with the number of versions
# that are installed.
set -e
chown root:assay /etc/assay
chmod 750 /etc/assay
chown assay:assay /var/lib/assay
chmod 750 /var/lib/assay
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
if [ "$1" = configure ] && [ -n "$2" ] || [ "$1" = 2 ]; then
	# A new program refuses to start on an older schema, so the services are not restarted here.
	cat <<-'TEXT'
	assay is upgraded, and its services still run the version before. Migrate the database, then restart them:
	  ASSAY_DATABASE_URL_FILE=/etc/assay/owner.url apiserver migrate --config /etc/assay/assay.yaml
	  systemctl restart assay-syncd assay-apiserver
	TEXT
else
	echo "assay is installed. Its services need a database and a configuration first: see /usr/share/doc/assay/install.md"
fi
