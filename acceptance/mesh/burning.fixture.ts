// The part of a control plane that judges objectives. A test kills it.
import { judgeNextAccount } from '@probe-mesh/control-plane/src/objectives/judge-burns'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import { runLoop } from '@probe-mesh/runtime/loop'
import pino from 'pino'

export type BurningOptions = { databaseUrl: string; clickhouseUrl: string }

const run = async ({ databaseUrl, clickhouseUrl }: BurningOptions): Promise<void> => {
  const log = pino({ level: 'warn' }, pino.destination(2))
  const context = {
    sql: connectPostgres(databaseUrl, { connectionsMax: 2, role: 'probe_mesh_system' }),
    clickhouse: connectClickHouse(clickhouseUrl),
    publicUrl: 'https://mesh.example.org',
    tokens: createUnsubscribeTokens('the secrets key of the tests, 32 characters'),
    log,
    now: Date.now,
  }
  process.send?.('ready')
  await runLoop({
    signal: new AbortController().signal,
    everyMs: 5,
    round: async () => void (await judgeNextAccount(context)),
    onError: (error) => log.warn({ err: error }, 'retrying'),
  })
}

const given = process.argv[2]
if (given !== undefined) await run(JSON.parse(given) as BurningOptions)
