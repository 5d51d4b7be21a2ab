import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { openBatches } from '@probe-mesh/control-plane/src/mesh/ingest/ingest-batches-store'
import { startDeadlineMs } from '@probe-mesh/probe-agent/src/schedule/start-deadline'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, inject, test, vi } from 'vitest'
import {
  brokenFlips,
  countAnswered,
  countsOf,
  dueSlots,
  journalledIds,
  pauseEverything,
  storedIds,
} from '../testing/audit.ts'
import { createMeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { explainedByKills } from '../testing/outage.ts'
import { startTarget } from '@probe-mesh/infra/testing/target'

const kills = inject('kills')
const checks = 60
const intervalSeconds = 1
const assignedTimeout = { timeout: 60_000, interval: 100 }
/** The maximum time from a slot to its reading: a late start and both attempts. */
const slotMsMax = startDeadlineMs(intervalSeconds) + 2 * attemptDeadlineMs(intervalSeconds)
/** The random time between two kills, long enough to interrupt work. */
const lifeMsMin = 300
const lifeMsMax = 2_500

const folder = testFolder('kill-')

const target = useOnce(() => startTarget())
const mesh = useOnce(() =>
  createMeshProcess({
    dataDir: join(folder, 'data'),
    environment: {
      TARGET_ALLOW: '127.0.0.0/8',
      TIER_OVERRIDES: JSON.stringify({ scale: { intervalSecondsMin: 1 } }),
      BUDGET_SCALE: '10000',
      JOURNAL_DIR: join(folder, 'journal'),
    },
  }),
)

test(
  `killed ${kills} times under load, it stores every run once and flips nothing twice`,
  { timeout: 600_000 },
  async (context) => {
    await mesh.start()
    const { apiKey } = await mesh.credentials()
    const client = createApiClient({ apiUrl: mesh.apiUrl, apiKey })
    for (let n = 0; n < checks; n++) {
      const answer = await client.call('createCheck', {
        body: { name: `check ${n}`, url: target.url(`/${n}`), intervalSeconds },
      })
      expect(answer.ok).toBe(true)
    }
    // the delay of new checks is not part of this test
    const assignedAt = await vi.waitFor(async () => {
      const assigned = await mesh.metric('probe_mesh_agent_assignments')
      expect(assigned).toBe(checks * regionsDefault.length)
      return Date.now()
    }, assignedTimeout)

    const outages: { fromMs: number; toMs: number }[] = []
    for (let round = 0; round < kills; round++) {
      target.behave(round % 3 === 1 ? 'fail' : 'ok')
      await elapse(lifeMsMin + Math.random() * (lifeMsMax - lifeMsMin))
      const fromMs = await mesh.kill()
      outages.push({ fromMs, toMs: await mesh.start() })
    }
    await elapse(lifeMsMax)

    const stores = await mesh.stores()
    const sql = connectPostgres(stores.databaseUrl)
    const clickhouse = connectClickHouse(stores.clickhouseUrl)
    try {
      await pauseEverything(sql)
      const pausedAt = Date.now()
      await vi.waitFor(
        async () => {
          expect(await mesh.metric('probe_mesh_agent_assignments')).toBe(0)
          expect(await mesh.metric('probe_mesh_agent_runs_in_progress')).toBe(0)
          expect(await mesh.metric('probe_mesh_agent_runs_waiting')).toBe(0)
          expect(await mesh.metric('probe_mesh_agent_spool_readings')).toBe(0)
          // the record of a batch is deleted a moment after its agents are notified
          expect(await openBatches(sql)).toEqual([])
        },
        { timeout: 60_000, interval: 200 },
      )

      const stored = await storedIds(clickhouse)
      const unique = new Set(stored)
      expect(stored.length).toBe(unique.size)
      const raw = await countsOf(clickhouse, 'readings_raw')
      expect(await countsOf(clickhouse, 'readings_minute')).toEqual(raw)
      expect(await countsOf(clickhouse, 'readings_hour')).toEqual(raw)

      const journalled = await journalledIds(join(folder, 'journal'))
      expect(unique.symmetricDifference(journalled)).toEqual(new Set())

      const due = (await dueSlots(sql, pausedAt - slotMsMax)).filter(({ slotMs }) => slotMs >= assignedAt)
      const missed = due.filter((slot) => !unique.has(slot.id))
      const isExplained = explainedByKills(journalled, outages, slotMsMax)
      const unexplained = missed.filter((slot) => !isExplained(slot))
      expect(unexplained, `outages ${JSON.stringify(outages)}`).toEqual([])

      expect(await brokenFlips(sql)).toEqual([])
      const [flips] = await sql<{ count: number }[]>`select count(*)::integer as count from flips`
      expect(flips?.count).toBeGreaterThan(checks)
      // every stored response has a request; a busy machine may have skipped some
      expect(target.hits()).toBeGreaterThanOrEqual(await countAnswered(clickhouse))
      await recordFigure(
        context,
        `${kills} kills: ${stored.length} readings stored of ${due.length} slots due, ` +
          `${missed.length} due inside the outages, ${flips?.count} flips, ${target.hits()} requests at the target`,
      )
    } finally {
      await Promise.all([sql.end(), clickhouse.close()])
    }
    expect(await mesh.stop()).toBe(0)
  },
)
