package main

// usage is what apiserver help prints.
const usage = `apiserver answers requests: it serves the API, the dashboard, and the pages behind interview and
share links. Any number of apiservers may share one database.

Usage:
  apiserver [--config FILE]            serve until SIGTERM or SIGINT
  apiserver migrate [--config FILE]    bring the database's schema up to date
  apiserver bootstrap --organization NAME --email ADDRESS [--scopes LIST] [--config FILE]
                                       create an organization with its owner and first API key, and
                                       print {organization_id, user_id, password, api_key}.
                                       LIST is comma-separated. By default the key has every scope
  apiserver user list [--organization NAME] [--config FILE]
                                       list the people who can sign in
  apiserver user add --email ADDRESS --role ROLE [--name NAME] [--no-password] [--organization NAME] [--config FILE]
                                       add a person, and print a temporary password, which is valid for seven
                                       days and must be changed after sign-in. ROLE is owner, reviewer or viewer.
                                       With --no-password the person signs in with OpenID Connect
  apiserver user set-role --email ADDRESS --role ROLE [--organization NAME] [--config FILE]
                                       change a person's role, and end the person's sessions
  apiserver user set-password --email ADDRESS [--organization NAME] [--config FILE]
                                       print a new temporary password, and end the person's sessions
  apiserver user remove --email ADDRESS [--organization NAME] [--config FILE]
                                       remove a person, and end the person's sessions. All commands for users
                                       require --organization if there are several organizations
  apiserver keyring new                print a new keyring for the file named by keyring_file
  apiserver rekey [--dry-run] [--config FILE]
                                       re-encrypt all stored secrets with the keyring's primary key. The daemons
                                       can keep running. With --dry-run, only report what would change
  apiserver audit verify [--organization ID] [--expect FILE|HEAD] [--config FILE]
                                       check the audit log, and print the head of each organization
                                       (NUMBER:HASH) or the rows that were tampered with. FILE is the output
                                       of an earlier run. HEAD is one of its heads and requires --organization
  apiserver version
  apiserver help

Every setting can also be an environment variable: ASSAY_ and its path in
capitals, such as ASSAY_DATABASE_URL.

Signals: on SIGTERM or SIGINT, apiserver finishes requests in progress within 25
seconds and stops. A second signal ends it immediately.
SIGHUP reloads the log level and the keyring.
Exit codes: 0 success, 1 failure (audit verify: tampered with), 2 invalid command line or
configuration, 3 audit verify could not check the log.
`
