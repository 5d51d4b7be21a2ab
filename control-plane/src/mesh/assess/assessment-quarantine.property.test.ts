import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import type { AssessedCheck } from '../../status/states-store.ts'
import { newCheckState } from '../../status/state.ts'
import { describeStatus } from '../../status/status.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const t0 = 1_700_000_000_000
const lease = { partition: 0, epoch: 1 }

type Step =
  | { kind: 'reading'; region: string; verdict: Verdict }
  | { kind: 'silence' }
  | { kind: 'quarantine'; regions: string[] }
  | { kind: 'load' }

const stepArbitrary: fc.Arbitrary<Step & { aheadMs: number }> = fc
  .tuple(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          kind: fc.constant('reading' as const),
          region: fc.constantFrom(...regions),
          verdict: fc.constantFrom<Verdict>('up', 'down', 'down', 'blocked', 'unmeasured'),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'silence' as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'load' as const }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('quarantine' as const),
          regions: fc.subarray(regions),
        }),
      },
    ),
    fc.integer({ min: 1, max: 40_000 }),
  )
  .map(([step, aheadMs]) => ({ ...step, aheadMs }))
const stepsArbitrary = fc.array(stepArbitrary, { minLength: 20, maxLength: 80 })
const configuredArbitrary = fc.oneof(fc.constant(regions), fc.subarray(regions, { minLength: 1 }))

type Moment = {
  step: Step
  quarantined: ReadonlySet<string>
  before: AssessedCheck
  after: AssessedCheck
  nowMs: number
}

const play = (
  configured: readonly string[],
  steps: readonly (Step & { aheadMs: number })[],
  look: (moment: Moment) => void,
) => {
  let nowMs = t0
  let quarantined: ReadonlySet<string> = new Set()
  const assessmentState = createAssessmentState(() => nowMs)
  const stored: AssessedCheck = {
    checkId,
    accountId: 'account',
    name: 'test',
    host: 'example.com',
    regions: [...configured],
    intervalSeconds: 60,
    paused: false,
    state: newCheckState,
  }
  assessmentState.load(stored, lease)
  const held = (): AssessedCheck => {
    const check = assessmentState.get(checkId)
    if (check === undefined) throw new Error('not held')
    return check
  }
  for (const step of steps) {
    nowMs += step.aheadMs
    const before = held()
    if (step.kind === 'reading') assessmentState.observe(readingAt(step.region, step.verdict, nowMs))
    if (step.kind === 'silence') assessmentState.sweep(() => true)
    if (step.kind === 'quarantine') {
      quarantined = new Set(step.regions)
      assessmentState.quarantine(quarantined)
    }
    // a restart: the written state is loaded again
    if (step.kind === 'load') {
      assessmentState.forget(checkId)
      assessmentState.load(before, lease)
    }
    look({ step, quarantined, before, after: held(), nowMs })
  }
  return { held, assessmentState, quarantined, now: () => nowMs }
}
const saidAt = ({ state, ...schedule }: AssessedCheck, nowMs: number) =>
  describeStatus(state, schedule, nowMs)

test('neither the start nor the end of a quarantine changes a status', () => {
  forAll([configuredArbitrary, stepsArbitrary], (configured, steps) => {
    play(configured, steps, ({ step, before, after }) => {
      if (step.kind !== 'quarantine') return
      expect(after.state.status).toBe(before.state.status)
      expect(after.state.version).toBe(before.state.version)
    })
  })
})

test('readings of a quarantined region change no status', () => {
  forAll([configuredArbitrary, stepsArbitrary], (configured, steps) => {
    play(configured, steps, ({ step, quarantined, before, after }) => {
      if (step.kind !== 'reading' || !quarantined.has(step.region)) return
      expect(after.state.status).toBe(before.state.status)
    })
  })
})

test('a quarantined region is never shown as down and never counts towards a change to down', () => {
  forAll([configuredArbitrary, stepsArbitrary], (configured, steps) => {
    play(configured, steps, ({ quarantined, before, after, nowMs }) => {
      const said = saidAt(after, nowMs)
      const down = said.regionStatuses.filter(({ status }) => status === 'down')
      expect(down.filter(({ region }) => quarantined.has(region))).toEqual([])
      if (after.state.status !== 'down' || before.state.status === 'down') return
      expect(down.length).toBeGreaterThanOrEqual(configured.length === 1 ? 1 : 2)
    })
  })
})

test('only a fresh up reading of a region that counts leads to operational', () => {
  forAll([configuredArbitrary, stepsArbitrary], (configured, steps) => {
    play(configured, steps, ({ step, quarantined, before, after }) => {
      if (after.state.status !== 'operational' || before.state.status === 'operational') return
      expect(step).toMatchObject({ kind: 'reading', verdict: 'up' })
      expect(step.kind === 'reading' && quarantined.has(step.region)).toBe(false)
    })
  })
})

test('a down that only quarantined regions reported ends with the next up reading of another region', () => {
  forAll([stepsArbitrary, fc.subarray(regions, { minLength: 1, maxLength: 3 })], (steps, broken) => {
    // only the broken regions fail
    const failing = steps.filter(
      (step) => step.kind !== 'reading' || step.verdict !== 'down' || broken.includes(step.region),
    )
    const end = [...failing, { kind: 'quarantine' as const, regions: broken, aheadMs: 1 }]
    const { assessmentState, held, now } = play(regions, end, () => undefined)
    const well = regions.find((region) => !broken.includes(region)) ?? ''
    assessmentState.observe(readingAt(well, 'up', now()))
    expect(held().state.status).toBe('operational')
  })
})
