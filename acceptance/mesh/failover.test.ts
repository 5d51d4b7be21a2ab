import { setTimeout as elapse } from 'node:timers/promises'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { ok, startReceiver } from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { prepareStores } from '@probe-mesh/control-plane/mesh/identity/prepare-stores'
import pino from 'pino'
import { staleAfterMs } from '@probe-mesh/control-plane/src/status/freshness'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startPostgres } from '@probe-mesh/infra/start/embedded/postgres/start'
import { brokenFlips, readJournals, storedIds } from '../testing/audit.ts'
import { comeToRest } from '../testing/come-to-rest.ts'
import { createChecks } from '../testing/create-checks.ts'
import { everythingAssigned } from '../testing/everything-assigned.ts'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { createTestOwner } from '@probe-mesh/infra/testing/processes/account'
import { createPostgresPair, type PostgresPair } from './testing/postgres-pair.ts'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { actAs } from '../web/system/client.ts'
import { witnessFlips, type Failure } from '../testing/witness.ts'

/**
 * Repeatedly kills the primary of two Postgres servers under load and promotes its standby, with the files of
 * the deployment. No reading may be lost and no message sent twice.
 */

const failovers = Number(process.env['FAILOVERS'] ?? 10)
const regions = ['fra', 'nrt']
const checks = 40
const witnesses = 5
const intervalSeconds = 1
const patience = { timeout: 180_000, interval: 100 }

let mesh: Processes
let pair: PostgresPair
let target: Target
let witness: Target
let receiver: Awaited<ReturnType<typeof startReceiver>>
let sql: Sql

beforeAll(async () => {
  ;[target, witness, receiver] = await Promise.all([startTarget(), startTarget(), startReceiver(ok)])
  mesh = await startProcesses({
    regions,
    tiers: { scale: { intervalSecondsMin: 1, monitors: 1_000 } },
    budgetScale: 10_000,
    environment: { CHANNEL_ALLOW: '127.0.0.0/8' },
    createPostgres: async (folder, nextPort) => {
      pair = await createPostgresPair(folder, nextPort)
      return pair
    },
  })
  sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 2 })
}, 240_000)
afterAll(async () => {
  await sql?.end({ timeout: 1 })
  await mesh?.close()
  await Promise.all([target, witness, receiver].map((one) => one?.close()))
}, 120_000)

const everyWitnessIs = async (ids: readonly string[], status: string): Promise<void> => {
  await vi.waitFor(async () => {
    const rows = await sql<{ status: string }[]>`
      select status from check_states where check_id = any(${[...ids]}::uuid[])`
    expect(rows.map((row) => row.status)).toEqual(ids.map(() => status))
  }, patience)
}

/** Messages with the same content under different ids, which a receiver cannot recognise as duplicates. */
const sentTwice = (): string[] => {
  const ids = new Map<string, Set<string>>()
  for (const { headers, body } of receiver.received) {
    const { data } = JSON.parse(body) as { data: unknown }
    const content = JSON.stringify(data)
    ids.set(content, (ids.get(content) ?? new Set()).add(String(headers['webhook-id'])))
  }
  return [...ids].flatMap(([content, of]) => (of.size > 1 ? [content] : []))
}

/** The start of a control plane on these servers, up to the check of their system. */
const start = (databaseUrl: string): Promise<string> =>
  prepareStores({
    databaseUrl,
    clickhouse: { url: mesh.clickhouseUrl, cluster: null },
    readNatsId: null,
    secretsKey: 'the secrets key of the tests, 32 characters',
    now: Date.now,
    log: pino({ level: 'silent' }),
  })

test(
  `with ${failovers} failovers of Postgres under load no reading is lost, and no flip or message is sent twice`,
  { timeout: 1_800_000 },
  async (context) => {
    const owner = await createTestOwner(mesh.databaseUrl)
    const act = await actAs(new URL(mesh.apiUrl).origin, owner)
    const { id } = await act('createChannel', {
      body: { type: 'json', name: 'hook', config: { url: receiver.url } },
    })
    await act('testChannel', { params: { id } })
    await act('createAlertRule', { body: { name: 'everything' } })
    const inputs = Array.from({ length: checks }, (_, n) => ({
      name: `${n}`,
      url: (n < witnesses ? witness : target).url(`/${n}`),
      intervalSeconds,
    }))
    const witnessIds = (await createChecks({ ...mesh, apiKey: owner.apiKey }, inputs)).slice(0, witnesses)
    await everyWitnessIs(witnessIds, 'operational')
    await everythingAssigned(mesh, checks * regions.length)

    const failures: Failure[] = []
    const tookMs: number[] = []
    for (let round = 0; round < failovers; round++) {
      // alternately at the start and at the end of a target's outage
      const isFailing = round % 2 === 0
      const fromMs = Date.now()
      witness.behave(isFailing ? 'fail' : 'ok')
      await elapse(Math.random() * 2_000)
      const startedAt = performance.now()
      await pair.failOver()
      await everyWitnessIs(witnessIds, isFailing ? 'down' : 'operational')
      tookMs.push(Math.round(performance.now() - startedAt))
      if (isFailing) failures.push({ fromMs, toMs: Number.POSITIVE_INFINITY })
      else {
        const last = failures.at(-1)
        if (last !== undefined) last.toMs = fromMs
      }
    }
    witness.behave('ok')
    await everyWitnessIs(witnessIds, 'operational')
    await comeToRest(mesh, sql)

    const clickhouse = connectClickHouse(mesh.clickhouseUrl)
    const stored = await storedIds(clickhouse).finally(() => clickhouse.close())
    const journals = await readJournals(mesh.journalDir)
    const journalled = [...journals.values()].reduce((all, ids) => all.union(ids), new Set())
    const unique = new Set(stored)
    expect(stored.length - unique.size).toBe(0)
    expect(unique.symmetricDifference(journalled)).toEqual(new Set())
    expect(await brokenFlips(sql)).toEqual([])
    const ended = failures.filter(({ toMs }) => Number.isFinite(toMs))
    expect(await witnessFlips(sql, witnessIds, ended, staleAfterMs(intervalSeconds))).toEqual([])
    expect(sentTwice()).toEqual([])
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    await recordFigure(
      context,
      `${failovers} failovers: ${stored.length} readings stored, 0 lost, 0 twice; ${ids.size} messages, ` +
        `${receiver.received.length - ids.size} sent again under their id; from the kill to the next verdict ` +
        `at most ${Math.max(...tookMs)} ms`,
    )
  },
)

test('refuses or skips a wrong Postgres that is listed first', { timeout: 300_000 }, async () => {
  const [system] = await sql<{ id: string }[]>`select id from system`
  // an empty server
  const folder = testFolder('empty-')
  const empty = await startPostgres({ dataDir: folder, log: silentLog, durable: false })
  try {
    await expect(start(empty.url)).rejects.toThrow(
      `Postgres is empty, and ClickHouse is of system ${system?.id}`,
    )
  } finally {
    await empty.close()
  }
  // a server that never followed, listed before the right one
  const unrelated = await pair.startUnrelated()
  try {
    await expect(start(pair.urlOf(unrelated.port, pair.primaryPort))).rejects.toThrow(
      /accept writes, and neither follows the other/,
    )
  } finally {
    await unrelated.close()
  }
  // a former primary with old data, listed before the promoted one
  const former = await pair.startFormer()
  try {
    const url = pair.urlOf(former.port, pair.primaryPort)
    const found = connectPostgres(url, { connectionsMax: 1 })
    const [row] = await found<{ port: string }[]>`select current_setting('port') as port`
    expect(Number(row?.port)).toBe(pair.primaryPort)
    await found.end()
    expect(await start(url)).toBe(system?.id)
  } finally {
    await former.close()
  }
})
