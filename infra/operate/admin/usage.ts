export const usage = `The operator's acts, on the database of a running instance.

  npm run -s admin -- account create --name <name> --email <address> [--tier <tier>]
  npm run -s admin -- account list
  npm run -s admin -- tier set <account> <tier>
  npm run -s admin -- suspend account <account>
  npm run -s admin -- resume account <account>
  npm run -s admin -- usage
  npm run -s admin -- key create <account> --name <name> [--scope <scope>]
  npm run -s admin -- key list <account>
  npm run -s admin -- key revoke <key id>
  npm run -s admin -- check create --account <account> --file <file>
  npm run -s admin -- check list --account <account>
  npm run -s admin -- check edit <check id> --file <file>
  npm run -s admin -- check steps <check id> --file <file>
  npm run -s admin -- regions
  npm run -s admin -- quarantines
  npm run -s admin -- agent enroll|rotate|list|revoke|tell   (agent --help)
  npm run -s admin -- doctor                                 (doctor --help)
  npm run -s admin -- identity [accept]                      (identity --help)
  npm run -s admin -- backup --to <file> --key-file <file>   (backup --help)
  npm run -s admin -- restore --from <file> --key-file <file>

  <account>  an account's id, or the e-mail address of its first user
  <tier>     free (default), growth or scale
  <scope>    read (default) or read_write
  <file>     JSON: a check of any type but http, what changes of it, or {"steps": [...]};
             docs/checks.md has the fields of each type

  suspend    refuses keys, sessions, agents and error events of an account, pauses its checks and holds
             its messages back; its status pages can be read. resume undoes all of it

  usage      shows which accounts use the shared pools of the control planes at this moment

  regions    shows which regions are quarantined, and which were lately

  quarantines
             shows whose hosts failed in one region only: accounts, domains and networks with
             their shares, also of what was refused as evidence

  doctor     looks at everything that has to work, and says what to do about what does not

  identity   shows which system Postgres, ClickHouse and NATS belong to, and joins them where you say so

  --json     print the result as JSON
  --help     print this

Works on DATABASE_URL, or on the instance that runs on DATA_DIR (default .data). Passwords and keys
are printed once, when they are made. A revoked key stops working within 5 seconds. Checks are held
to REGIONS, TARGET_ALLOW and TIER_OVERRIDES: set them as the control plane has them.
`
