import { parseConfig } from '@probe-mesh/control-plane/app/config'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { connectPostgres, isPostgresAway } from '@probe-mesh/control-plane/stores/postgres/connect'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { runBackupAct } from '../backup/run-backup-act.ts'
import { runDoctorAct } from '../doctor/run-doctor-act.ts'
import { findRunningStores } from '../../start/stores/running-stores.ts'
import { runIdentityAct } from '../identity/run-identity-act.ts'
import { runAgentAct } from '../../deploy/nats/run-agent-act.ts'
import { postgresRefusal } from '../../start/processes/postgres-refusal.ts'
import { parseCommand } from './command.ts'
import { perform } from './perform.ts'
import type { AdminOutput } from '../output.ts'
import { printOutcome } from './print.ts'

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

/** Runs one command of the operator. @returns the exit code: 0 done, 1 not done and why on stderr */
export const runAdmin = async (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: AdminOutput,
): Promise<0 | 1> => {
  // who may connect is said by files, and no database knows it
  if (argv[0] === 'agent') return runAgentAct(argv.slice(1), environment, output)
  // these work where the database is away, or is not there yet
  if (argv[0] === 'backup' || argv[0] === 'restore') return runBackupAct(argv, environment, output)
  if (argv[0] === 'identity') return runIdentityAct(argv.slice(1), environment, output)
  if (argv[0] === 'doctor') return runDoctorAct(argv.slice(1), environment, output)
  const fail = (message: string): 1 => {
    output.error(`admin: ${message}\n`)
    return 1
  }
  const parsed = parseCommand(argv)
  if (!parsed.ok) return fail(parsed.message)
  const { command, json } = parsed
  if (command.act === 'help') {
    output.out(usage)
    return 0
  }
  const configured = parseConfig(environment)
  if (!configured.ok) return fail(configured.problems.join('\n  '))
  const { config } = configured
  const databaseUrl = await findDatabaseUrl(config)
  if ('message' in databaseUrl) return fail(databaseUrl.message)

  const sql = connectPostgres(databaseUrl.url, { connectionsMax: 2 })
  try {
    const outcome = await perform({ sql, now: Date.now, rules: config }, command)
    if (isRefusal(outcome)) {
      const problems = outcome.errors.map(({ path, message }) => `\n  ${path}: ${message}`)
      return fail(`${outcome.message} (${outcome.refused})${problems.join('')}`)
    }
    const printed = printOutcome(outcome, json)
    output.out(printed.out)
    output.error(printed.note)
    return 0
  } catch (error) {
    const refusal = postgresRefusal(error, databaseUrl.url)
    if (refusal !== null) return fail(refusal)
    if (!isPostgresAway(error)) throw error
    return fail('the database does not answer; is the address right, and does it run?')
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** `DATABASE_URL`, or the database of the instance that runs on `DATA_DIR`. */
const findDatabaseUrl = async ({
  databaseUrl,
  dataDir,
}: Config): Promise<{ url: string } | { message: string }> => {
  if (databaseUrl !== null) return { url: databaseUrl }
  const running = await findRunningStores(dataDir)
  if (running !== null) return { url: running.databaseUrl }
  return {
    message: `nothing runs on ${dataDir}: start it with npm start, or set DATABASE_URL (or DATA_DIR)`,
  }
}
