import { messageOf } from '@probe-mesh/runtime/errors'
import { parseConfig, type Config } from '@probe-mesh/control-plane/app/config'
import {
  markClickHouse,
  ensureSystemId,
  noteClickHouseMarked,
} from '@probe-mesh/control-plane/mesh/identity/stored-identity'
import {
  judgeIdentity,
  type IdentityFacts,
  type Judged,
} from '@probe-mesh/control-plane/mesh/identity/judge-identity'
import { gatherIdentity, type SystemParts } from '@probe-mesh/control-plane/mesh/identity/prepare-stores'
import { acceptSecretsKey } from '@probe-mesh/control-plane/mesh/identity/prove-secrets-key'
import {
  connectPostgres,
  isPostgresUnavailable,
  type Sql,
} from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { pino } from 'pino'
import { defineCommandLine, flag, parseArgv } from '@probe-mesh/runtime/argv'
import { printProblems, type AdminOutput } from '../output.ts'
import { openForBackup } from '../backup/places.ts'
import { acceptControlPlaneSystem, readControlPlaneSystem } from '../../start/processes/control-plane-bus.ts'

const json = flag('print the ids as JSON')
const commands = defineCommandLine({
  call: 'npm run -s admin --',
  about: 'Which system Postgres, ClickHouse and NATS belong to.',
  commands: {
    identity: { summary: 'show the ids', options: { json } },
    'identity accept': {
      summary:
        'write the id of Postgres to ClickHouse and NATS, replacing other ids, and make SECRETS_KEY, if set, the key of this system',
      options: { json },
    },
  },
  notes: `Run accept if a control plane refuses to start although the servers belong together. Examples: ClickHouse
lost its disk and starts empty, a restored copy replaces a system that no longer exists, SECRETS_KEY is new. accept
refuses an empty Postgres. Run it with the environment of the control plane.`,
})

const log = pino({ level: 'silent' })

/**
 * Runs `admin identity`. @returns the exit code: 0 if the parts belong together, 1 with the reason on stderr
 */
export const runIdentityAct = async (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: AdminOutput,
  now: () => number = Date.now,
): Promise<0 | 1> => {
  const fail = (problems: readonly string[]): 1 => printProblems(output, problems)
  const parsed = parseArgv(commands, ['identity', ...argv])
  if (parsed.kind === 'wrong') return fail(parsed.problems)
  if (parsed.kind === 'help') {
    output.out(parsed.text)
    return 0
  }
  const isAccept = parsed.command === 'identity accept'
  const configured = parseConfig(environment)
  if (!configured.ok) return fail(configured.problems)
  const { config } = configured
  try {
    const shown = await withParts(config, async (sql, parts) => {
      if (isAccept) await accept(sql, parts, { config, now })
      const facts = await gatherIdentity(sql, parts)
      return { facts, judged: judgeIdentity(facts) }
    })
    if (shown === null) return fail(['no databases found: set DATABASE_URL or DATA_DIR'])
    output.out(parsed.given.json ? `${JSON.stringify(shown.facts, null, 2)}\n` : print(shown))
    return shown.judged.ok ? 0 : fail([shown.judged.problem])
  } catch (error) {
    return fail([
      isPostgresUnavailable(error) ? `the database does not answer: ${messageOf(error)}` : messageOf(error),
    ])
  }
}

const withParts = async <T>(
  config: Config,
  act: (sql: Sql, parts: SystemParts) => Promise<T>,
): Promise<T | null> => {
  const stores = await openForBackup(config)
  if (stores === null) return null
  const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 1 })
  const { natsServers } = config
  try {
    return await act(sql, {
      databaseUrl: stores.databaseUrl,
      clickhouse: { url: stores.clickhouseUrl, cluster: config.clickhouseCluster },
      readNatsId: natsServers === null ? null : () => readControlPlaneSystem(config, natsServers, log),
    })
  } finally {
    await sql.end({ timeout: 5 })
    await stores.close()
  }
}

/** @throws Error for an empty Postgres, which is most likely the wrong one */
const accept = async (
  sql: Sql,
  parts: SystemParts,
  { config, now }: { config: Config; now: () => number },
): Promise<void> => {
  const { postgres } = await gatherIdentity(sql, parts)
  if (postgres.isEmpty) {
    throw new Error('Postgres is empty: set DATABASE_URL to the Postgres of the system')
  }
  await migratePostgres(sql)
  const id = await ensureSystemId(sql, uuidv7(now()))
  await markClickHouse(parts.clickhouse, id, { replace: true })
  await noteClickHouseMarked(sql)
  const { natsServers, secretsKey } = config
  if (natsServers !== null) await acceptControlPlaneSystem(config, natsServers, id, log)
  if (secretsKey !== null) await acceptSecretsKey(sql, secretsKey)
}

const print = ({ facts, judged }: { facts: IdentityFacts; judged: Judged }): string => {
  const { postgres, clickhouse, nats } = facts
  const lines = [
    `Postgres    ${postgres.id ?? (postgres.isEmpty ? 'empty' : 'no id')}`,
    `ClickHouse  ${clickhouse.ids.join(', ') || (clickhouse.isEmpty ? 'empty' : 'no id')}`,
    ...(nats === null ? [] : [`NATS        ${nats.id ?? 'no id'}`]),
    judged.ok ? 'They belong together.' : 'They do not belong together.',
  ]
  return `${lines.join('\n')}\n`
}
