import { setTimeout as elapse } from 'node:timers/promises'
import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { staleAfterMs } from '@probe-mesh/control-plane/src/status/freshness'
import { startDeadlineMs } from '@probe-mesh/probe-agent/src/schedule/start-deadline'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { brokenFlips, countAnswered, countsOf, dueSlots, readJournals, storedIds } from '../testing/audit.ts'
import { comeToRest } from '../testing/come-to-rest.ts'
import { createChecks } from '../testing/create-checks.ts'
import { everythingAssigned } from '../testing/everything-assigned.ts'
import { unexplainedSlots, type AgentOutage } from '../testing/outage.ts'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { startProcesses } from '@probe-mesh/infra/testing/processes/processes'
import type { AgentPart } from '@probe-mesh/infra/testing/processes/compose'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { witnessFlips, type Failure } from '../testing/witness.ts'

/**
 * Kills parts of the mesh at random instants. Afterwards every reading is stored once, only slots of dead
 * agents are missing, and every status change was notified once. Counted from the databases and the agents'
 * journals.
 */

const rounds = inject('kills')
const regions = ['iad', 'sjc', 'fra', 'nrt']
/** More checks if the test runs by name and has the machine for itself. */
const checks = rounds > 5 ? 125 : 50
/** Checks of a target that fails until every part has seen it. */
const witnesses = 5
const intervalSeconds = 1
/** The random time between two kills, long enough to interrupt work. */
const lifeMs = { min: 300, max: 2_500 }
const deathMs = { min: 200, max: 3_000 }
const statusTimeout = { timeout: 180_000, interval: 100 }

let sql: Sql

const target = useOnce(() => startTarget())
const witness = useOnce(() => startTarget())
const mesh = useOnce(() =>
  startProcesses({
    regions,
    tiers: { scale: { intervalSecondsMin: 1, monitors: 1_000 } },
    budgetScale: 10_000,
  }),
)
beforeAll(() => {
  sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 2 })
})
afterAll(async () => {
  await sql?.end({ timeout: 1 })
})

const between = ({ min, max }: { min: number; max: number }): number => min + Math.random() * (max - min)
const pick = <T>(choices: readonly T[]): T => {
  const choice = choices[Math.floor(Math.random() * choices.length)]
  if (choice === undefined) throw new Error('the list is empty')
  return choice
}
const isAgent = (part: Part): part is AgentPart => mesh.agents.some((agent) => agent === part)

/** Each kind of part equally often, in random order. */
const victims = (): Part[] => {
  const kinds: (readonly Part[])[] = [
    mesh.agents,
    mesh.controlPlanes,
    [mesh.nats],
    [mesh.postgres],
    [mesh.clickhouse],
  ]
  const all = Array.from({ length: rounds }, (_, round) => pick(kinds[round % kinds.length] ?? []))
  return all
    .map((part) => ({ part, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ part }) => part)
}

const everyWitnessIs = async (ids: readonly string[], status: string): Promise<void> => {
  await vi.waitFor(async () => {
    const rows = await sql<{ status: string }[]>`
      select status from check_states where check_id = any(${[...ids]}::uuid[])`
    expect(rows.map((row) => row.status)).toEqual(ids.map(() => status))
  }, statusTimeout)
}

/** The longest absence of each part, until it was ready again. */
const longestAbsence = (killed: readonly { name: string; ms: number }[]): string =>
  [...new Set(killed.map(({ name }) => name))]
    .toSorted()
    .map((name) => {
      const times = killed.filter((one) => one.name === name).map(({ ms }) => ms)
      return `${name} ${Math.max(...times)} ms`
    })
    .join(', ')

test(
  `with ${rounds} parts killed under load, every reading is stored once and every flip is notified once`,
  { timeout: 900_000 },
  async (context) => {
    const body = (n: number, of: Target) => ({
      name: `${n}`,
      url: of.url(`/${n}`),
      intervalSeconds,
    })
    const inputs = Array.from({ length: checks }, (_, n) => body(n, n < witnesses ? witness : target))
    const witnessIds = (await createChecks(mesh, inputs)).slice(0, witnesses)
    await everyWitnessIs(witnessIds, 'operational')
    const assignedAt = await everythingAssigned(mesh, checks * regions.length)

    const outages: AgentOutage[] = []
    const failures: Failure[] = []
    const killed: { name: string; ms: number }[] = []
    let failingSince: number | null = null
    const recover = async () => {
      if (failingSince === null) return
      await everyWitnessIs(witnessIds, 'down')
      failures.push({ fromMs: failingSince, toMs: Date.now() })
      failingSince = null
      witness.behave('ok')
    }
    for (const [round, victim] of victims().entries()) {
      target.behave(round % 3 === 1 ? 'fail' : 'ok')
      if (round % 10 === 3) {
        await everyWitnessIs(witnessIds, 'operational')
        failingSince = Date.now()
        witness.behave('fail')
      }
      if (round % 10 === 8) await recover()
      await elapse(between(lifeMs))
      const fromMs = await victim.kill()
      await elapse(between(deathMs))
      const toMs = await victim.start()
      killed.push({ name: victim.name, ms: toMs - fromMs })
      if (isAgent(victim)) outages.push({ agent: victim.name, region: victim.region, fromMs, toMs })
    }
    target.behave('ok')
    await recover()
    await everyWitnessIs(witnessIds, 'operational')

    const pausedAt = await comeToRest(mesh, sql)
    const journals = await readJournals(mesh.journalDir)
    const clickhouse = connectClickHouse(mesh.clickhouseUrl)
    try {
      const stored = await storedIds(clickhouse)
      const unique = new Set(stored)
      const journalled = [...journals.values()].reduce((all, ids) => all.union(ids), new Set())
      expect(stored.length - unique.size).toBe(0)
      expect(unique.symmetricDifference(journalled)).toEqual(new Set())
      // by the targets' own counts: every stored response has a request
      const requests = target.hits() + witness.hits()
      expect(requests).toBeGreaterThanOrEqual(await countAnswered(clickhouse))
      const raw = await countsOf(clickhouse, 'readings_raw')
      expect(await countsOf(clickhouse, 'readings_minute')).toEqual(raw)
      expect(await countsOf(clickhouse, 'readings_hour')).toEqual(raw)

      // slots that may have been waiting at the pause are not counted
      const slotMsMax = startDeadlineMs(intervalSeconds) + 2 * attemptDeadlineMs(intervalSeconds)
      const due = (await dueSlots(sql, pausedAt - slotMsMax)).filter((slot) => slot.slotMs >= assignedAt)
      const missed = due.filter((slot) => !unique.has(slot.id)).length
      const unexplained = unexplainedSlots(due, journals, outages)
      const order = killed.map(({ name }) => name).join(', ')
      expect(unexplained, `unexplained after ${order}`).toEqual([])

      expect(await brokenFlips(sql)).toEqual([])
      expect(await witnessFlips(sql, witnessIds, failures, staleAfterMs(intervalSeconds))).toEqual([])
      const [flips] = await sql<{ count: number }[]>`select count(*)::integer as count from flips`
      await recordFigure(
        context,
        `${rounds} parts killed: ${stored.length} readings stored of ${due.length} slots due, ` +
          `${missed} missed by ${outages.length} dead agents, ${requests} requests at the targets, ${flips?.count} flips, ` +
          `${failures.length} long failures of ${witnesses} witnesses all seen; longest absences: ${longestAbsence(killed)}`,
      )
    } finally {
      await clickhouse.close()
    }
    const ours = [...mesh.controlPlanes, ...mesh.agents]
    const ends = await Promise.all(
      ours.map(async (part) => ({
        name: part.name,
        code: await part.stop(),
        printed: part.printed(),
      })),
    )
    expect(ends.filter(({ code }) => code !== 0)).toEqual([])
  },
)
