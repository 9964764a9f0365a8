package main

// usage is what apiserver help prints.
const usage = `apiserver serves the HTTP API. Any number of apiservers may share one database.

Usage:
  apiserver [--config FILE]            serve until SIGTERM or SIGINT
  apiserver migrate [--config FILE]    bring the database's schema up to date
  apiserver bootstrap --organization NAME --email ADDRESS [--scopes LIST] [--config FILE]
                                       make an organization with its owner and first API key,
                                       and print {organization_id, user_id, password, api_key};
                                       LIST is separated by commas, without it the key holds every scope
  apiserver user list [--organization NAME] [--config FILE]
                                       print the people who may sign in
  apiserver user add --email ADDRESS --role ROLE [--name NAME] [--no-password] [--organization NAME] [--config FILE]
                                       add a person, and print the password to begin with, which has to be
                                       replaced after signing in, within seven days; ROLE is owner, reviewer or viewer;
                                       without a password the person signs in with OpenID Connect
  apiserver user set-role --email ADDRESS --role ROLE [--organization NAME] [--config FILE]
  apiserver user set-password --email ADDRESS [--organization NAME] [--config FILE]
                                       make and print another password to begin with
  apiserver user remove --email ADDRESS [--organization NAME] [--config FILE]
                                       the last three end the person's sessions at once;
                                       the organization has to be named where there are several
  apiserver integrations check [--config FILE]
                                       list the integrations that were led to another address, or deleted and
                                       connected again, by a version that did not compare the traders: people of
                                       two platforms may have become one there
  apiserver keyring new                print a new keyring, for the file that keyring_file names
  apiserver rekey [--dry-run] [--config FILE]
                                       move everything that is stored sealed to the keyring's primary key,
                                       while the daemons run; --dry-run only says what would be done
  apiserver audit verify [--organization ID] [--expect FILE|HEAD] [--config FILE]
                                       check the audit log and print each organization's head, NUMBER:HASH,
                                       or what was done to which row; FILE is what an earlier run has printed,
                                       HEAD is one of its heads, and needs --organization
  apiserver version
  apiserver help

Every setting of the file can be given as an environment variable instead:
ASSAY_ and its path in capitals, such as ASSAY_DATABASE_URL.

Signals: SIGTERM and SIGINT let the requests under way end and stop, within 25
seconds; a second one ends the process at once.
SIGHUP reads the log level and the keyring again.
Exit codes: 0 done, 1 failed (audit verify: tampered with), 2 invalid command line or configuration,
3 audit verify could not check.
`
