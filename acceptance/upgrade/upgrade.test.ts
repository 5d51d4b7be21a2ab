import { setTimeout as elapse } from 'node:timers/promises'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { ownEpoch } from '@probe-mesh/control-plane/src/stores/postgres/schema-epoch'
import { expect, test, vi } from 'vitest'
import { readLedger } from '../faults/soak/ledger.ts'
import { brokenFlips, readJournals } from '../testing/audit.ts'
import { comeToRest } from '../testing/come-to-rest.ts'
import { createChecks } from '../testing/create-checks.ts'
import { everythingAssigned } from '../testing/everything-assigned.ts'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import {
  hasCommit,
  checkOutFormerVersion,
  type FormerVersion,
} from '@probe-mesh/infra/testing/former-version'
import type { EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { startTarget } from '@probe-mesh/infra/testing/target'
import { followStatuses } from './follow-statuses.ts'
import { createVersions, everyStatusIs, formerCommit } from './versions.ts'

/** Upgrades a mesh of an earlier version part by part while it measures. */

const regions = ['fra', 'iad', 'nrt']
const healthy = 24
const witnesses = 6
const intervalSeconds = 10
/** The pause between two parts, in which all checks are measured. */
const restMs = 1.2 * intervalSeconds * 1_000
/** The printed length of a refusal. */
const refusalCharactersMax = 300
const patience = { timeout: 180_000, interval: 250 }

type Stage = {
  mesh: Processes
  sql: Sql
  ids: { healthy: string[]; witnesses: string[] }
  /** All targets of the witnesses fail, or none. */
  fail(isFailing: boolean): void
  /** Stops a part like an operator and starts it as another version; null: this one. */
  replace(part: EntryPart, by: FormerVersion | null): Promise<void>
}

/** Starts a mesh of a former version or of this one, with its checks. */
const withMesh = async (
  begun: FormerVersion | null,
  work: (stage: Stage) => Promise<void>,
): Promise<void> => {
  const [target, witness] = await Promise.all([startTarget(), startTarget()])
  const versions = createVersions(begun)
  const mesh = await startProcesses({
    regions,
    tiers: { scale: { intervalSecondsMin: 1, monitors: 1_000 } },
    budgetScale: 10_000,
    ...versions.options,
  })
  const sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 2 })
  try {
    const inputs = Array.from({ length: healthy + witnesses }, (_, n) => ({
      name: `${n}`,
      url: (n < healthy ? target : witness).url(`/${n}`),
      intervalSeconds,
    }))
    const ids = await createChecks(mesh, inputs)
    await everyStatusIs(sql, ids, 'operational', patience)
    await everythingAssigned(mesh, ids.length * regions.length)
    await work({
      mesh,
      sql,
      ids: { healthy: ids.slice(0, healthy), witnesses: ids.slice(healthy) },
      fail: (isFailing) => witness.behave(isFailing ? 'fail' : 'ok'),
      replace: versions.replace,
    })
  } finally {
    await sql.end({ timeout: 1 })
    await mesh.close()
    await Promise.all([target.close(), witness.close()])
  }
}

/** The witnesses fail and recover; the current lease holders judge. */
const seeOutage = async ({ sql, ids, fail }: Stage): Promise<void> => {
  fail(true)
  await everyStatusIs(sql, ids.witnesses, 'down', patience)
  fail(false)
  await everyStatusIs(sql, ids.witnesses, 'operational', patience)
}

/** Replaces every part by another version in the documented order, and counts the readings. */
const replaceAll = async (
  stage: Stage,
  by: FormerVersion | null,
  record: (figure: string) => Promise<void>,
): Promise<void> => {
  const { mesh, sql, ids } = stage
  const fromMs = Date.now()
  const replacing = new Set<EntryPart>()
  const following = followStatuses(mesh, new Set(ids.healthy), replacing)
  const steps: string[] = []
  const replace = async (part: EntryPart): Promise<void> => {
    const begun = new Date().toISOString()
    replacing.add(part)
    await stage.replace(part, by)
    replacing.delete(part)
    steps.push(`${part.name} replaced between ${begun} and ${new Date().toISOString()}`)
  }
  const replaceControlPlanes = async (): Promise<void> => {
    for (const controlPlane of mesh.controlPlanes) {
      await elapse(restMs)
      await replace(controlPlane)
      await elapse(restMs)
      // at first with control planes of both versions
      await seeOutage(stage)
    }
  }
  if (by === null) await replaceControlPlanes()
  for (const agent of mesh.agents) {
    await replace(agent)
    await elapse(restMs)
  }
  // an older control plane does not know all messages to newer agents
  if (by !== null) await replaceControlPlanes()
  await seeOutage(stage)
  const followed = await following.end()
  const pausedAt = await comeToRest(mesh, sql)

  const clickhouse = connectClickHouse(mesh.clickhouseUrl)
  const journals = await readJournals(mesh.journalDir)
  const span = { fromMs, toMs: pausedAt - intervalSeconds * 1_000 }
  const all = [...ids.healthy, ...ids.witnesses]
  const ledger = await readLedger({ sql, clickhouse }, all, journals, [], span).finally(() =>
    clickhouse.close(),
  )
  const flips = await sql<{ to: string; at: Date }[]>`
    select to_status as to, at from flips where check_id = any(${ids.healthy}::uuid[])
    and at >= ${new Date(fromMs)} order by at`
  const accusing = flips.filter(({ to }) => to === 'down' || to === 'degraded')
  const staleMs = followed.longestMs.get('stale') ?? 0
  await record(
    `${ledger.stored} readings, lost ${ledger.lost}, twice ${ledger.duplicated}; ` +
      `${ledger.missed} of ${ledger.due} slots missed; stale for ${staleMs} ms at most; ` +
      `${accusing.length} false flips; ${followed.answers} answers, ${followed.refused.length} refused`,
  )
  const refusals = followed.refused.map((text) => text.slice(0, refusalCharactersMax))
  console.info([...steps, JSON.stringify(flips), ...refusals].join('\n'))
  expect(staleMs).toBeLessThanOrEqual(intervalSeconds * 1_000)
  expect(accusing).toEqual([])
  expect(ledger).toMatchObject({ lost: 0, duplicated: 0, invented: 0, missed: 0 })
  expect(await brokenFlips(sql)).toEqual([])
  expect(followed.refused).toEqual([])
}

const patient = { timeout: 1_200_000 }

test.for([
  [
    'a mesh of 2026-11-29 is upgraded part by part: no check is stale, no reading lost, no flip false',
    'from',
  ],
  ['a mesh rolls back to 2026-11-29 part by part without loss', 'back to'],
] as const)('%s', patient, async ([, way], context) => {
  if (!(await hasCommit(formerCommit))) return context.skip(`this clone has no commit ${formerCommit}`)
  const former = await checkOutFormerVersion(formerCommit)
  const record = (figure: string) => recordFigure(context, `${way} 2026-11-29: ${figure}`)
  const [begun, by] = way === 'from' ? [former, null] : [null, former]
  await withMesh(begun, (stage) => replaceAll(stage, by, record)).finally(former.close)
})

test(
  'after a later version claims the database, running processes stop and new ones refuse to start',
  patient,
  async () => {
    await withMesh(null, async ({ mesh, sql, replace }) => {
      const [first, second] = mesh.controlPlanes
      if (first === undefined || second === undefined) throw new Error('this test needs two control planes')
      await sql`update schema_epoch set epoch = ${ownEpoch + 2}, least = ${ownEpoch + 1}`
      for (const part of [first, second]) {
        await vi.waitFor(async () => {
          const answer = await fetch(`${part.url}/readyz`)
          expect(await answer.json()).toMatchObject({
            ready: false,
            notReady: ['version'],
            reasons: [expect.stringContaining('start a newer version')],
          })
          expect(await part.metric('lease_partitions_held')).toBe(0)
        }, patience)
      }
      await expect(replace(first, null)).rejects.toThrow(
        /cannot start:\n.*upgraded by a newer version.*Nothing was changed/,
      )
    })
  },
)
