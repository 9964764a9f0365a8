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
	# A new program refuses to start on an older schema, so the services are not restarted here. Debian also
	# gives the version before if the package had been removed, which disabled the services.
	cat <<-'TEXT'
	assay's programs are replaced, and its services still run those of the version before. Migrate the database, then restart them:
	  ASSAY_DATABASE_URL_FILE=/etc/assay/owner.url apiserver migrate --config /etc/assay/assay.yaml
	  systemctl restart assay-syncd assay-apiserver
	If assay had been removed, its services are disabled: also run "systemctl enable assay-syncd assay-apiserver".
	TEXT
else
	echo "assay is installed. Its services need a database and a configuration first: see /usr/share/doc/assay/install.md"
fi
