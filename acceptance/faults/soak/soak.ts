import { writeFile } from 'node:fs/promises'
import { setTimeout as elapse } from 'node:timers/promises'
import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'
import { connectClickHouse, type ClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { createRandom } from '@probe-mesh/control-plane/src/public-answers/simulation/random'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { staleAfterMs } from '@probe-mesh/control-plane/src/status/freshness'
import { startDeadlineMs } from '@probe-mesh/probe-agent/src/schedule/start-deadline'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { brokenFlips, flipsSince, readJournals } from '../../testing/audit.ts'
import { comeToRest } from '../../testing/come-to-rest.ts'
import { createChecks } from '../../testing/create-checks.ts'
import { everythingAssigned } from '../../testing/everything-assigned.ts'
import type { Part } from '@probe-mesh/infra/testing/processes/part'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { witnessFlips } from '../../testing/witness.ts'
import { joinDocument } from '../join-document.ts'
import { runStamp } from '../run-stamp.ts'
import { courseOf } from './course.ts'
import { createFaults } from './fault.ts'
import { agentOutages, inflict, type Inflicted } from './inflict.ts'
import { judgeSoak } from './judge.ts'
import { readLedger } from './ledger.ts'
import type { SoakPlan } from '../soak-plan.ts'
import { printedSoak, soakSection } from './report.ts'
import { sampleParts, type Sample } from './sample.ts'
import { watchFailures, type FailureWatch } from './watch-failures.ts'

/**
 * Runs a mesh of real processes under load for the given time, with a fault every half minute. Then compares
 * the databases with the agents' journals.
 */

declare module 'vitest' {
  export interface ProvidedContext {
    /** A `SoakPlan` as JSON. */
    soak: string
  }
}

const plan: SoakPlan = JSON.parse(inject('soak'))
const intervalSeconds = 5
const checks = Math.round((plan.rate * intervalSeconds) / plan.regions.length)
/** Checks of a target that fails repeatedly. */
const witnesses = 5
const faultEveryMs = 30_000
const sampleEveryMs = 10_000
const spanMs = plan.minutes * 60_000
const warmUpMs = Math.min(600_000, spanMs / 4)
/** A shorter soak cannot distinguish a leak from a warm-up. */
const minutesJudgedMin = 30
/** The minimum length of a published run. */
const minutesWrittenMin = 60
const restMsMax = 30 * 60_000

let mesh: Processes
let target: Target
let witness: Target
let sql: Sql
let clickhouse: ClickHouse

beforeAll(async () => {
  target = await startTarget()
  witness = await startTarget()
  mesh = await startProcesses({
    regions: plan.regions,
    tiers: { scale: { intervalSecondsMin: 1, monitors: checks + witnesses } },
    budgetScale: 10_000,
    cutOff: plan.regions,
  })
  sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 4 })
  clickhouse = connectClickHouse(mesh.clickhouseUrl)
}, 180_000)
afterAll(async () => {
  await Promise.all([sql?.end({ timeout: 1 }), clickhouse?.close()])
  await mesh?.close()
  await Promise.all([target.close(), witness.close()])
}, 120_000)

const allParts = (): Part[] => [
  ...mesh.controlPlanes,
  ...mesh.agents,
  mesh.nats,
  mesh.postgres,
  mesh.clickhouse,
]
/** The first part of each kind is never killed, so that growth becomes visible. */
const survivors = (): Part[] => [
  ...mesh.controlPlanes.slice(0, 1),
  ...plan.regions.flatMap((region) => mesh.agents.find((one) => one.region === region) ?? []),
]

/** @throws Error with the output of a part that ended by itself */
const expectAllLive = (): void => {
  for (const part of survivors()) if (!part.isAlive) part.resume()
}

const startLoad = async (): Promise<{ ids: string[]; witnessIds: string[] }> => {
  const inputs = (count: number, of: Target) =>
    Array.from({ length: count }, (_, n) => ({
      name: `${n}`,
      url: of.url(`/${n}`),
      intervalSeconds,
    }))
  const ids = await createChecks(mesh, inputs(checks, target))
  const witnessIds = await createChecks(mesh, inputs(witnesses, witness))
  await vi.waitFor(
    async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::integer as count from check_states where status = 'operational'`
      expect(row?.count).toBe(checks + witnesses)
    },
    { timeout: 180_000, interval: 500 },
  )
  return { ids, witnessIds }
}

const sumOfControlPlanes = async (metric: string): Promise<number> => {
  const values = await Promise.all(mesh.controlPlanes.map((one) => one.metric(metric)))
  return values.reduce((sum, value) => sum + value, 0)
}

/** One line a minute. */
const printProgress = (minute: number, watch: FailureWatch, inflicted: readonly Inflicted[]): void =>
  console.info(
    `minute ${minute} of ${plan.minutes}: ${target.hits() + witness.hits()} requests at the targets, ` +
      `${inflicted.length} faults, ${watch.failures.length} failures seen; last ${inflicted.at(-1)?.kind ?? 'none'}`,
  )

/** Takes samples, causes faults and prints progress until the time is over. */
const endure = async (watch: FailureWatch): Promise<{ samples: Sample[]; inflicted: Inflicted[] }> => {
  const samples: Sample[] = []
  const inflicted: Inflicted[] = []
  const endMs = Date.now() + spanMs
  const over = AbortSignal.timeout(spanMs)
  const everyMs = async (ms: number, act: () => void | Promise<void>): Promise<void> => {
    for (let turn = 1; !over.aborted; turn++) {
      const nextMs = endMs - spanMs + turn * ms
      await elapse(Math.max(0, nextMs - Date.now()), undefined, { signal: over }).catch(() => {})
      if (!over.aborted) await act()
    }
  }
  const mortal = (parts: readonly Part[]) => parts.filter((part) => !survivors().includes(part))
  const namesOf = (parts: readonly Part[]) => parts.map(({ name }) => name)
  const draw = createFaults(createRandom(plan.seed).uniform, {
    agents: namesOf(mesh.agents),
    mortalAgents: namesOf(mortal(mesh.agents)),
    controlPlanes: namesOf(mesh.controlPlanes),
    mortalControlPlanes: namesOf(mortal(mesh.controlPlanes)),
    regions: plan.regions,
  })
  let minute = 0
  await Promise.all([
    everyMs(sampleEveryMs, () => {
      expectAllLive()
      samples.push(...sampleParts(allParts(), Date.now()))
    }),
    everyMs(faultEveryMs, async () => void inflicted.push(await inflict(mesh, draw()))),
    everyMs(60_000, () => printProgress(++minute, watch, inflicted)),
  ])
  return { samples, inflicted }
}

test(
  `${plan.minutes} minutes at ${plan.rate} checks a second with a fault every ${faultEveryMs / 1_000} s`,
  { timeout: spanMs + restMsMax },
  async () => {
    const { ids, witnessIds } = await startLoad()
    const assignedAt = await everythingAssigned(mesh, (checks + witnesses) * plan.regions.length)
    const watch = watchFailures(sql, witness, witnessIds)
    const { samples, inflicted } = await endure(watch)
    await watch.close()
    if (plan.jsonFile !== null) {
      await writeFile(plan.jsonFile, JSON.stringify({ plan, inflicted, samples }))
    }
    const pausedAt = await comeToRest(mesh, sql)

    const slotMsMax = startDeadlineMs(intervalSeconds) + 2 * attemptDeadlineMs(intervalSeconds)
    const journals = await readJournals(mesh.journalDir)
    const ledger = await readLedger(
      { sql, clickhouse },
      [...ids, ...witnessIds],
      journals,
      agentOutages(mesh, inflicted),
      { fromMs: assignedAt, toMs: pausedAt - slotMsMax },
    )
    const accusing = (await flipsSince(sql, ids, 0)).filter(({ to }) => to === 'down' || to === 'degraded')
    const wrongly = await witnessFlips(sql, witnessIds, watch.failures, staleAfterMs(intervalSeconds))
    const [flips] = await sql<{ count: number }[]>`select count(*)::integer as count from flips`
    const chains = await brokenFlips(sql)
    const lived = new Set(survivors().map(({ name }) => name))
    const courses = courseOf(samples, warmUpMs)
    const ours = [...mesh.controlPlanes, ...mesh.agents]
    const verdicts = judgeSoak({
      ledger,
      falseDowns: accusing.length,
      brokenFlips: chains,
      flips: flips?.count ?? 0,
      partitions: {
        held: await sumOfControlPlanes('lease_partitions_held'),
        ingested: await sumOfControlPlanes('ingest_partitions_followed'),
        assessed: await sumOfControlPlanes('assess_partitions_followed'),
      },
      failures: watch.failures.length,
      failuresMissed: [...watch.unseen, ...wrongly],
      courses: courses.filter(({ part }) => lived.has(part)),
      isLong: plan.minutes >= minutesJudgedMin,
      exitCodes: await Promise.all(ours.map((part) => part.stop())),
    })
    const run = { stamp: runStamp(Date.now()), plan, checks, inflicted, courses, verdicts }
    console.info(printedSoak(run))
    for (const wrong of [...watch.unseen, ...wrongly, ...chains].slice(0, 20)) console.info(wrong)
    if (plan.minutes >= minutesWrittenMin) {
      await joinDocument(soakSection(run))
      console.info('written: docs/reliability.md')
    }
    expect(verdicts.filter(({ verdict }) => verdict === 'broken')).toEqual([])
  },
)
