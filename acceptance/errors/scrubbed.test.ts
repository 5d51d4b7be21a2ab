import { closeSync, openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test, vi } from 'vitest'
import { createMeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { dumpClickHouse, dumpPostgres } from './dump-stores.ts'
import { marker, planted, plantedSecrets } from './planted.ts'
import { readEverything } from './read-everything.ts'
import { waitUntilIdle } from './conserve.ts'
import { sendPlanted, validCount } from './send-planted.ts'
import { createSearch, linesOf, type Trace } from './traces.ts'

const search = createSearch(plantedSecrets)
const marks = createSearch([marker])
/** The corpus, one event that is sent twice, and one event for /store/. */
const storedCount = validCount + 2

const createProject = async (sql: Sql, accountId: string, names: readonly string[] = []) => {
  const id = await insertTestErrorProject(sql, accountId)
  await sql`update error_projects set scrub_names = ${[...names]} where id = ${id}`
  const [row] = await sql<{ number: string; key: string }[]>`
    select number, public_key as key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${id}`
  if (row === undefined) throw new Error('no project')
  return { id, ...row }
}
const accountOf = async (sql: Sql, tier: string): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`
    select a.id from accounts a join api_keys k on k.account_id = a.id where a.tier = ${tier}`
  if (row === undefined) throw new Error(`no account has the tier ${tier}`)
  return row.id
}

const expectNone = (traces: readonly Trace[]): void => expect(linesOf(traces)).toEqual([])

test.each(['in the process', 'on NATS'])(
  'with the stream %s no file, database, log or answer contains a received secret',
  { timeout: 900_000 },
  async (stream) => {
    const folder = testFolder('errors-scrubbed-')
    const [dataDir, natsDir] = [join(folder, 'data'), join(folder, 'nats')]
    await mkdir(natsDir)
    const nats =
      stream === 'on NATS'
        ? await startTestNats({ configuration: () => `jetstream { store_dir: "${natsDir}" }` })
        : null
    const log = openSync(join(folder, 'log'), 'w')
    const mesh = await createMeshProcess({
      dataDir,
      environment: {
        LOG_LEVEL: 'trace',
        BUDGET_SCALE: '1000',
        TRUST_PROXY: '127.0.0.1',
        TIER_OVERRIDES: JSON.stringify({ free: { errorEventsPerMonth: 0 } }),
        ...(nats === null ? {} : { NATS_URL: nats.url }),
      },
      logTo: log,
    })
    try {
      await mesh.start()
      const origin = new URL(mesh.apiUrl).origin
      const { databaseUrl, clickhouseUrl } = await mesh.stores()
      const sql = connectPostgres(databaseUrl, { connectionsMax: 2 })
      const clickhouse = connectClickHouse(clickhouseUrl)
      const dumps = []
      try {
        const names = planted.flatMap((each) => each.names)
        const open = await createProject(sql, await accountOf(sql, 'scale'), names)
        // within seconds the ingest knows the used up quota; until then these events are on the stream too
        const spent = await createProject(sql, await accountOf(sql, 'free'), names)
        const bus = nats === null ? join(dataDir, 'bus') : natsDir
        const answers = await sql.begin(async (tx) => {
          // the lock stops the persister, so that all events stay on the stream until the search ends
          await tx`set local idle_in_transaction_session_timeout = 0`
          await tx`lock table error_event_ids in access exclusive mode`
          const answers = await sendPlanted({ origin, open, spent })
          await vi.waitFor(async () => expect(await marks.inFiles(bus)).not.toEqual([]))
          expectNone(await search.inFiles(bus))
          return answers
        })
        expect(answers.slice(0, validCount).filter(({ status }) => status !== 200)).toEqual([])
        expectNone(answers.flatMap(({ text }, at) => search.inBytes(`answer ${at}`, Buffer.from(text))))

        await waitUntilIdle([origin], sql, (await mesh.credentials()).metricsToken)
        const counts = await sql<{ outcome: string; events: number }[]>`
          select outcome, events::integer from error_counts where project_id = ${open.id}`
        expect(Object.fromEntries(counts.map((row) => [row.outcome, row.events]))).toMatchObject({
          stored: storedCount,
          duplicate: 1,
        })
        const [quota] = await sql`
          select events::integer from error_counts
          where project_id = ${spent.id} and outcome = 'quota'`
        expect(quota).toEqual({ events: planted.length })

        const readAnswers = await readEverything(mesh, open.id, plantedSecrets)
        expect(readAnswers.filter(({ text }) => text.includes('[removed: ')).length).toBeGreaterThan(100)
        expectNone(readAnswers.flatMap(({ where, text }) => search.inBytes(where, Buffer.from(text))))
        dumps.push(...(await dumpClickHouse(clickhouse)), ...(await dumpPostgres(sql)))
      } finally {
        await Promise.all([sql.end(), clickhouse.close()])
      }
      // the marker proves that the searched files and tables contain events
      expect(await marks.inFiles(join(dataDir, 'postgres'))).not.toEqual([])
      expect(dumps.filter(({ text }) => text.includes(marker)).map(({ table }) => table)).toContain(
        'clickhouse error_occurrences',
      )
      expectNone(dumps.flatMap(({ table, text }) => search.inBytes(table, Buffer.from(text))))
      expectNone(await search.inFiles(folder))
      expect(await mesh.stop()).toBe(0)
      expectNone(await search.inFiles(folder))
    } finally {
      await mesh.close()
      await nats?.close()
      closeSync(log)
    }
  },
)
