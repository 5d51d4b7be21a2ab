import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { findStatesOfChecks, recordFlips } from '../../status/states-store.ts'
import { insertTestCheck } from '../../stores/postgres/testing.ts'
import { readingAt } from '../../status/testing.ts'
import { createAssessmentState, type AssessmentState } from './assessment-state.ts'
import type { AssessContext, Holding } from './context.ts'
import { assessMetrics } from './metrics.ts'
import { writeFlips, writeBehind } from './write-states.ts'

/**
 * Three control planes over one Postgres, in any order: one judges, another takes over, a former owner keeps
 * judging, any of them dies at any point. Readings arrive twice, late, or not at all.
 */

const database = useTestDatabase()
const sql = database.use()

const regions = ['iad', 'sjc', 'fra', 'nrt']
const planesCount = 3
/** Readings that a dying control plane had observed and recorded, but not acknowledged. */
const diedInMax = 6
/** Enough to find faults by chance in a few seconds of a whole test run. */
const numRuns = 15

type Step =
  | { kind: 'reading'; region: string; verdict: Verdict; aheadMs: number; lateMs: number }
  | { kind: 'repeat'; back: number }
  | { kind: 'silence'; aheadMs: number }
  | { kind: 'read'; plane: number; count: number }
  | { kind: 'record' | 'write' | 'write what matters' | 'sweep' | 'take over' | 'die'; plane: number }
  | { kind: 'die having recorded'; plane: number }

const plane = fc.nat(planesCount - 1)
const stepsOf = (verdicts: readonly Verdict[]): fc.Arbitrary<Step[]> => {
  const reading = fc.record({
    kind: fc.constant('reading' as const),
    region: fc.constantFrom(...regions),
    verdict: fc.constantFrom(...verdicts),
    aheadMs: fc.integer({ min: 0, max: 12_000 }),
    lateMs: fc.oneof(
      { weight: 5, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 600_000 }) },
    ),
  })
  const of = <K extends Step['kind']>(...kinds: K[]) => fc.record({ kind: fc.constantFrom(...kinds), plane })
  return fc.array(
    fc.oneof(
      { weight: 8, arbitrary: reading },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('repeat' as const), back: fc.nat(9) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('silence' as const),
          aheadMs: fc.integer({ min: 0, max: 400_000 }),
        }),
      },
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('read' as const),
          plane,
          count: fc.integer({ min: 1, max: 6 }),
        }),
      },
      { weight: 6, arbitrary: of('record', 'write', 'write what matters', 'sweep') },
      { weight: 2, arbitrary: of('take over') },
      { weight: 1, arbitrary: of('die', 'die having recorded') },
    ) as fc.Arbitrary<Step>,
    { minLength: 30, maxLength: 60 },
  )
}

type FlipRow = {
  version: number
  from_status: string
  to_status: string
  none_up: boolean
  told: string[]
}

/** A control plane that owns the partition, or believes so. */
type Plane = {
  assessmentState: AssessmentState
  context: AssessContext
  holding: Holding
  position: number
}

/**
 * A stream of one check's readings and its owners, with the real assessment state, operations and database.
 */
const open = async () => {
  const checkId = await insertTestCheck(sql, { regions, allRegions: true })
  const partition = partitionOf(checkId)
  const stream: Reading[] = []
  const planes: (Plane | null)[] = Array.from({ length: planesCount }, () => null)
  let acknowledged = 0
  let owner = -1
  let nowMs = Date.now()
  const now = (): number => nowMs

  const acquireLease = async (): Promise<Lease> => {
    const [row] = await sql<{ epoch: string }[]>`
      update partition_leases set epoch = epoch + 1 where partition = ${partition} returning epoch`
    return { partition, epoch: Number(row?.epoch) }
  }
  const takeOver = async (at: number): Promise<void> => {
    const lease = await acquireLease()
    const assessmentState = createAssessmentState(now)
    const holding: Holding = {
      lease,
      takenAtMs: nowMs,
      signal: new AbortController().signal,
      consumer: {
        fetch: async () => [],
        acknowledge: async (sequence) => {
          acknowledged = Math.max(acknowledged, sequence)
        },
        lag: async () => ({ messages: 0, bytes: 0 }),
        close: async () => undefined,
      },
      processed: null,
      changedWhileLoading: null,
      caughtUp: true,
    }
    const context = {
      sql,
      assessmentState,
      now,
      metrics: assessMetrics(new Registry(), assessmentState),
      holdings: new Map([[partition, holding]]),
      retry: <T>(attempt: () => Promise<T>) => attempt(),
    } as unknown as AssessContext
    for (const check of await findStatesOfChecks(sql, [checkId])) assessmentState.load(check, lease)
    planes[at] = { assessmentState, context, holding, position: acknowledged }
    owner = at
  }
  /** Like the assessor: a flip is in Postgres before its reading counts as processed. */
  const read = async (at: number, count: number): Promise<Reading[]> => {
    const reader = planes[at]
    if (reader === null || reader === undefined) return []
    const some = stream.slice(reader.position, reader.position + count)
    if (some.length === 0) return []
    for (const reading of some) reader.assessmentState.observe(reading)
    reader.position += some.length
    await writeFlips(reader.context)
    reader.holding.processed = reader.position
    return some
  }
  const play = async (step: Step): Promise<readonly Reading[]> => {
    const acting = 'plane' in step ? (planes[step.plane] ?? null) : null
    switch (step.kind) {
      case 'reading': {
        nowMs += step.aheadMs
        const reading = readingAt(step.region, step.verdict, nowMs - step.lateMs, { checkId })
        stream.push(reading)
        return []
      }
      case 'repeat': {
        const again = stream.at(-1 - step.back)
        if (again !== undefined) stream.push(again)
        return []
      }
      case 'silence':
        nowMs += step.aheadMs
        return []
      case 'read':
        return read(step.plane, step.count)
      case 'record':
        if (acting !== null) await writeFlips(acting.context)
        return []
      case 'write':
      case 'write what matters':
        if (acting === null) return []
        acting.holding.writeAllAtMs = step.kind === 'write' ? nowMs : nowMs + 1
        await writeBehind(acting.context)
        return []
      case 'sweep':
        acting?.assessmentState.sweep(() => true)
        if (acting !== null) await writeFlips(acting.context)
        return []
      case 'take over':
        await takeOver(step.plane)
        return []
      case 'die having recorded': {
        if (acting === null) return []
        const some = stream.slice(acting.position, acting.position + diedInMax)
        for (const reading of some) acting.assessmentState.observe(reading)
        await recordFlips(sql, acting.assessmentState.flips(), nowMs)
        planes[step.plane] = null
        return some
      }
      case 'die':
        planes[step.plane] = null
        return []
      default:
        return step satisfies never
    }
  }
  return {
    play,
    isOwner: (at: number) => at === owner && planes[at] !== null,
    flips: () => sql<FlipRow[]>`
      select version, from_status, to_status, none_up, array(
        select kind from outbox where payload -> 'flip' ->> 'id' = flips.id::text order by kind) as told
      from flips where check_id = ${checkId} order by version`,
    /** Some control plane owns the partition, and has read and written everything. */
    settle: async () => {
      await takeOver(0)
      await read(0, stream.length)
      await play({ kind: 'write', plane: 0 })
      const [check] = await findStatesOfChecks(sql, [checkId])
      const newest = (region: string, isUnmeasured: boolean): number =>
        Math.max(
          0,
          ...stream
            .filter((one) => one.region === region)
            .filter(({ verdict }) => (verdict === 'unmeasured') === isUnmeasured)
            .map(({ measuredAt }) => measuredAt),
        )
      return {
        acknowledged: acknowledged === stream.length,
        // no acknowledged reading is missing in the state
        known: regions.map((region) => {
          const held = check?.state.regions[region]
          const { measuredAt = 0, unmeasuredAt = 0 } = held ?? {}
          // an unconfirmed failure is stored next to the counting reading
          return [region, Math.max(measuredAt, held?.suspect?.measuredAt ?? 0), unmeasuredAt]
        }),
        published: regions.map((region) => [region, newest(region, false), newest(region, true)]),
      }
    },
  }
}

/** Plays the steps; after each the observer gets its readings and the flips that it recorded. */
const playAll = async (
  steps: readonly Step[],
  look: (moment: {
    step: Step
    taken: readonly Reading[]
    recorded: readonly FlipRow[]
    byOwner: boolean
  }) => void,
): Promise<FlipRow[]> => {
  const game = await open()
  let counted = 0
  for (const step of steps) {
    const byOwner = 'plane' in step && game.isOwner(step.plane)
    const taken = await game.play(step)
    const flips = await game.flips()
    look({ step, taken, recorded: flips.slice(counted), byOwner })
    counted = flips.length
  }
  const { acknowledged, known, published } = await game.settle()
  expect(acknowledged).toBe(true)
  expect(known).toEqual(published)
  return [...(await game.flips())]
}

describe('with any owner, and any number of takeovers', () => {
  test('flips form one chain, each with one outbox row for live pages and one for the alert rules', async () => {
    await forAllAsync([stepsOf(['up', 'down', 'blocked', 'unmeasured'])], { numRuns }, async (steps) => {
      const flips = await playAll(steps, ({ recorded, step, byOwner }) => {
        // a former owner, or a takeover alone, changes nothing
        if (!byOwner || step.kind === 'take over') expect(recorded).toEqual([])
      })
      let [last, lastMark] = ['unknown', false]
      for (const [at, flip] of flips.entries()) {
        expect(flip.version).toBe(at + 1)
        expect(flip.from_status).toBe(last)
        // live pages get no event if only a mark changes
        const isMark = flip.to_status === last
        if (isMark) expect(flip.none_up).not.toBe(lastMark)
        expect(flip.told).toEqual(isMark ? ['alert'] : ['alert', 'flip'])
        last = flip.to_status
        lastMark = flip.none_up
      }
    })
  })

  test('silence yields stale only, and only readings lead to operational or down', async () => {
    await forAllAsync([stepsOf(['up', 'down', 'blocked', 'unmeasured'])], { numRuns }, async (steps) => {
      await playAll(steps, ({ recorded, taken }) => {
        for (const { to_status: to } of recorded) {
          if (taken.length === 0) expect(to).toBe('stale')
          if (to === 'operational') expect(taken.map(({ verdict }) => verdict)).toContain('up')
          if (to === 'down') expect(taken.map(({ verdict }) => verdict)).toContain('down')
        }
      })
    })
  })

  test('without a down reading nothing is ever down, without an up reading nothing operational', async () => {
    const without = fc.constantFrom<Verdict>('up', 'down')
    const arbitrary = without.chain((verdict) => {
      const others = (['up', 'down', 'blocked', 'unmeasured'] as const).filter((one) => one !== verdict)
      return fc.tuple(fc.constant(verdict), stepsOf(others))
    })
    await forAllAsync([arbitrary], { numRuns }, async ([verdict, steps]) => {
      const flips = await playAll(steps, () => undefined)
      const never = verdict === 'up' ? 'operational' : 'down'
      expect(flips.filter(({ to_status: to }) => to === never)).toEqual([])
    })
  })
})
