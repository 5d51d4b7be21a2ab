import { parseConfig, type Config } from '@probe-mesh/control-plane/app/config'
import { parseArgv } from '@probe-mesh/runtime/argv'
import { connectPostgres, isPostgresUnavailable } from '@probe-mesh/control-plane/stores/postgres/connect'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { runDoctorAct } from '../doctor/run-doctor-act.ts'
import { findSecretsKey } from '../../start/stores/secrets-key.ts'
import { regionKeyOf } from '@probe-mesh/control-plane/secrets/region-key'
import { findRunningStores } from '../../start/stores/running-stores.ts'
import { runIdentityAct } from '../identity/run-identity-act.ts'
import { runAgentAct } from '../../deploy/nats/run-agent-act.ts'
import { postgresRefusal } from '../../start/processes/postgres-refusal.ts'
import { adminCommands, commandOf } from './command.ts'
import { perform } from './perform.ts'
import type { AdminOutput } from '../output.ts'
import { printOutcome } from './print.ts'

/** Runs one operator command. @returns the exit code: 0 for success, 1 with the reason on stderr */
export const runAdmin = async (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: AdminOutput,
): Promise<0 | 1> => {
  // agent credentials are files, not rows of a database
  if (argv[0] === 'agent') return runAgentAct(argv.slice(1), environment, output)
  // these also work without a database
  if (argv[0] === 'backup' || argv[0] === 'restore') {
    // its encryption takes longer to load than the rest
    const { runBackupAct } = await import('../backup/run-backup-act.ts')
    return runBackupAct(argv, environment, output)
  }
  if (argv[0] === 'identity') return runIdentityAct(argv.slice(1), environment, output)
  if (argv[0] === 'doctor') return runDoctorAct(argv.slice(1), environment, output)
  const fail = (message: string): 1 => {
    output.error(`admin: ${message}\n`)
    return 1
  }
  const parsed = parseArgv(adminCommands, argv)
  if (parsed.kind === 'wrong') return fail(parsed.problems.join('\n  '))
  if (parsed.kind === 'help') {
    output.out(parsed.text)
    return 0
  }
  const command = commandOf(parsed)
  const configured = parseConfig(environment)
  if (!configured.ok) return fail(configured.problems.join('\n  '))
  const { config } = configured
  if (command.act === 'region-key') {
    const secretsKey = await findSecretsKey(config)
    if (secretsKey === null) return fail(noSecretsKey)
    const key = regionKeyOf(secretsKey, command.region)
    output.out(command.json ? `${JSON.stringify({ region: command.region, key })}\n` : `${key}\n`)
    return 0
  }
  const databaseUrl = await findDatabaseUrl(config)
  if ('message' in databaseUrl) return fail(databaseUrl.message)

  const sql = connectPostgres(databaseUrl.url, { connectionsMax: 2 })
  try {
    const outcome = await perform({ sql, now: Date.now, rules: config }, command)
    if (isRefusal(outcome)) {
      const problems = outcome.errors.map(({ path, message }) => `\n  ${path}: ${message}`)
      return fail(`${outcome.message} (${outcome.refused})${problems.join('')}`)
    }
    const printed = printOutcome(outcome, command.json)
    output.out(printed.out)
    output.error(printed.note)
    return 0
  } catch (error) {
    const refusal = postgresRefusal(error, databaseUrl.url)
    if (refusal !== null) return fail(refusal)
    if (!isPostgresUnavailable(error)) throw error
    return fail('the database does not answer: start it, or correct DATABASE_URL')
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const noSecretsKey =
  'SECRETS_KEY is not set. Set it as on the control planes, or set DATA_DIR to the folder of an instance that runs here.'

/** `DATABASE_URL`, else the database of the instance that runs on `DATA_DIR`. */
const findDatabaseUrl = async ({
  databaseUrl,
  dataDir,
}: Config): Promise<{ url: string } | { message: string }> => {
  if (databaseUrl !== null) return { url: databaseUrl }
  const running = await findRunningStores(dataDir)
  if (running !== null) return { url: running.databaseUrl }
  return {
    message: `no instance runs on ${dataDir}: start it with npm start, or set DATABASE_URL (or DATA_DIR)`,
  }
}
