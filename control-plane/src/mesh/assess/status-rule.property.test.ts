import { defaultStatusRule, type StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { newCheckState } from '../../status/state.ts'
import type { AssessedCheck } from '../../status/states-store.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'
import { modelOf } from './testing-rule-model.ts'

// Every rule, against a model that knows only the readings and the words of the specification.

const regions = ['iad', 'sjc', 'fra', 'nrt', 'lhr']
const intervalSeconds = 60
const t0 = 1_700_000_000_000
/** Two attempts and 5 s (S-908). */
const weighMs = 2 * 10_000 + 5_000
const numRuns = 500

const ruleArbitrary: fc.Arbitrary<StatusRule> = fc.record({
  failingRegions: fc.constantFrom<StatusRule['failingRegions']>('majority', 'any', 'all', 1, 2, 3, 4, 5),
  failures: fc.constantFrom(null, 1, 2, 3, 5),
  slowMs: fc.constantFrom(null, 500),
})
const configuredArbitrary = fc.subarray(regions, { minLength: 1 })

type Step = { aheadMs: number } & (
  | {
      kind: 'reading'
      region: string
      verdict: Verdict
      as: 'scheduled' | 'confirmation'
      isSilent: boolean
      latencyMs: number | null
      lateMs: number
    }
  | { kind: 'silence' }
  | { kind: 'quarantine'; regions: string[] }
)

const stepsOf = (verdicts: readonly Verdict[]): fc.Arbitrary<Step[]> => {
  const aheadMs = fc.integer({ min: 1, max: 30_000 })
  const reading = fc.record({
    kind: fc.constant('reading' as const),
    aheadMs,
    region: fc.constantFrom(...regions),
    verdict: fc.constantFrom(...verdicts),
    as: fc.constantFrom('scheduled' as const, 'scheduled' as const, 'confirmation' as const),
    isSilent: fc.boolean(),
    latencyMs: fc.constantFrom(100, 900, 900, null),
    lateMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 400_000 })),
  })
  const silence = fc.record({
    kind: fc.constant('silence' as const),
    aheadMs: fc.integer({ min: 1, max: 300_000 }),
  })
  const quarantine = fc.record({
    kind: fc.constant('quarantine' as const),
    aheadMs,
    regions: fc.subarray(regions, { maxLength: 2 }),
  })
  return fc.array(
    fc.oneof(
      { weight: 14, arbitrary: reading },
      { weight: 1, arbitrary: silence },
      { weight: 1, arbitrary: quarantine },
    ),
    { minLength: 20, maxLength: 90 },
  )
}
const anyVerdicts: readonly Verdict[] = ['up', 'down', 'down', 'down', 'blocked', 'unmeasured']

/** The assessor's memory with one check, on a clock that the test moves. */
const assessorOf = (
  configured: readonly string[],
  statusRule: StatusRule | null,
  everySeconds = intervalSeconds,
) => {
  let nowMs = t0
  const state = createAssessmentState(() => nowMs)
  const stored: AssessedCheck = {
    checkId,
    accountId: 'account',
    name: 'test',
    host: 'example.com',
    regions: [...configured],
    intervalSeconds: everySeconds,
    paused: false,
    statusRule,
    state: newCheckState,
  }
  state.load(stored, { partition: 0, epoch: 1 })
  return {
    ...state,
    forward: (ms: number): number => (nowMs += ms),
    status: (): string => state.get(checkId)?.state.status ?? 'none',
    version: (): number => state.get(checkId)?.state.version ?? 0,
  }
}

const toReading = (step: Extract<Step, { kind: 'reading' }>, nowMs: number): Reading =>
  readingAt(step.region, step.verdict, nowMs - step.lateMs, {
    kind: step.as,
    latencyMs: step.latencyMs,
    ...(step.verdict === 'down' && step.isSilent && { cause: 'connect_timeout', httpStatus: null }),
  })

/** Plays the steps for the assessor and for the model; after each, the observer looks at both. */
const play = (
  configured: readonly string[],
  rule: StatusRule,
  steps: readonly Step[],
  look: (moment: {
    step: Step
    before: string
    after: string
    flips: number
    nowMs: number
    model: ReturnType<typeof modelOf>
    quarantined: readonly string[]
  }) => void,
): void => {
  const assessor = assessorOf(configured, rule)
  const model = modelOf(configured, rule)
  let quarantined: readonly string[] = []
  for (const step of steps) {
    const nowMs = assessor.forward(step.aheadMs)
    const before = assessor.status()
    const version = assessor.version()
    if (step.kind === 'quarantine') {
      quarantined = step.regions
      assessor.quarantine(new Set(step.regions))
      model.quarantine(step.regions)
    }
    if (step.kind === 'silence') assessor.sweep(() => true)
    if (step.kind === 'reading') {
      const reading = toReading(step, nowMs)
      assessor.observe(reading)
      model.note(reading)
    }
    look({
      step,
      before,
      after: assessor.status(),
      flips: assessor.version() - version,
      nowMs,
      model,
      quarantined,
    })
  }
}

describe('for every rule and any events in any order', () => {
  test('down needs as many regions as the rule says, failing now, and often enough in a row', () => {
    forAll(
      [configuredArbitrary, ruleArbitrary, stepsOf(anyVerdicts)],
      { numRuns },
      (configured, rule, steps) => {
        play(configured, rule, steps, ({ before, after, nowMs, model }) => {
          if (after === 'down' && before !== 'down') expect(model.mayBeDown(nowMs)).toBe(true)
        })
      },
    )
  })

  test('refused, unmeasured and good readings, silence and quarantines never lead to down', () => {
    const others = stepsOf(['up', 'blocked', 'unmeasured'])
    forAll([configuredArbitrary, ruleArbitrary, others], { numRuns }, (configured, rule, steps) => {
      play(configured, rule, steps, ({ after }) => expect(after).not.toBe('down'))
    })
  })

  test('only a fresh good reading of a region that counts leads to operational, and silence leads to stale', () => {
    forAll(
      [configuredArbitrary, ruleArbitrary, stepsOf(anyVerdicts)],
      { numRuns },
      (configured, rule, steps) => {
        play(configured, rule, steps, ({ step, before, after, quarantined }) => {
          if (after === before) return
          if (step.kind === 'quarantine') expect(after).toBe(before)
          if (step.kind === 'silence') expect(['stale', 'degraded', 'down']).toContain(after)
          if (after !== 'operational') return
          expect(step).toMatchObject({ kind: 'reading', verdict: 'up' })
          expect(step.kind === 'reading' && quarantined.includes(step.region)).toBe(false)
        })
      },
    )
  })

  test('a good reading makes an operational check worse only where a region was slow twice', () => {
    forAll(
      [configuredArbitrary, ruleArbitrary, stepsOf(['up', 'up', 'down'])],
      { numRuns },
      (configured, rule, steps) => {
        play(configured, rule, steps, ({ step, before, after, flips, model }) => {
          if (before !== 'operational' || after === 'operational' || after === 'stale') return
          // it was stale in between
          if (flips > 1 || step.kind !== 'reading' || step.verdict !== 'up') return
          expect(after).toBe('degraded')
          expect(model.slow()).not.toEqual([])
        })
      },
    )
  })

  test('a check that answers is degraded exactly while most regions were slow twice, as far as is known', () => {
    const rounds = fc.array(fc.array(fc.constantFrom(100, 900, 900, null), { minLength: 5, maxLength: 5 }), {
      minLength: 2,
      maxLength: 12,
    })
    forAll(
      [configuredArbitrary, fc.constantFrom(10, 30, 60, 300), rounds],
      { numRuns },
      (configured, everySeconds, latencies) => {
        const rule = { ...defaultStatusRule, slowMs: 500 }
        const assessor = assessorOf(configured, rule, everySeconds)
        const model = modelOf(configured, rule)
        for (const [round, of] of latencies.entries()) {
          for (const [at, region] of configured.entries()) {
            // slots are spread over the interval
            const nowMs = assessor.forward((everySeconds * 1_000) / configured.length)
            const reading = readingAt(region, 'up', nowMs, { latencyMs: of[at] ?? null })
            assessor.observe(reading)
            model.note(reading)
            const heard = round === 0 ? at + 1 : configured.length
            const isSlow = model.slow().length * 2 > heard
            expect(assessor.status()).toBe(isSlow ? 'degraded' : 'operational')
          }
        }
      },
    )
  })

  test('a region that only loses answers is not believed before its own network would show', () => {
    const silent = fc.array(
      fc.record({
        verdict: fc.constantFrom<Verdict>('up', 'down', 'down'),
        aheadMs: fc.integer({ min: 1, max: 9_000 }),
      }),
      { minLength: 5, maxLength: 30 },
    )
    forAll(
      [fc.subarray(regions, { minLength: 3 }), ruleArbitrary, silent],
      { numRuns },
      (configured, rule, steps) => {
        const assessor = assessorOf(configured, rule)
        const [lost = '', ...others] = configured
        let sinceMs: number | null = null
        let goods = 0
        for (const { verdict, aheadMs } of steps) {
          const nowMs = assessor.forward(aheadMs)
          for (const region of others) assessor.observe(readingAt(region, 'up', nowMs - 1))
          const fromMs: number = sinceMs ?? nowMs
          goods = verdict === 'up' ? goods + 1 : 0
          // a failure lasts until two good readings in a row
          sinceMs = goods >= 2 || (sinceMs === null && goods > 0) ? null : fromMs
          assessor.observe(
            readingAt(lost, verdict, nowMs, verdict === 'down' ? { cause: 'connect_timeout' } : {}),
          )
          assessor.sweep(() => true)
          if (assessor.status() !== 'down') continue
          expect(nowMs - fromMs).toBeGreaterThanOrEqual(weighMs)
          return
        }
      },
    )
  })
})

describe('while the same regions fail in slot after slot', () => {
  /** How many of so many voting regions must fail, by the words of the rule. */
  const neededOf = ({ failingRegions }: StatusRule, count: number): number => {
    if (count === 1 || failingRegions === 'any') return 1
    if (failingRegions === 'all') return count
    return failingRegions === 'majority' ? Math.floor(count / 2) + 1 : Math.min(failingRegions, count)
  }

  test('the check is down from the slot that the rule names, if so many regions fail, else never', () => {
    forAll(
      [
        configuredArbitrary.chain((configured) => fc.tuple(fc.constant(configured), fc.subarray(configured))),
        ruleArbitrary,
      ],
      { numRuns },
      ([configured, failing], rule) => {
        const assessor = assessorOf(configured, { ...rule, slowMs: null })
        const isEnough = failing.length >= neededOf(rule, configured.length)
        const round = (isOutage: boolean, as: 'scheduled' | 'confirmation'): void => {
          const nowMs = assessor.forward(as === 'scheduled' ? 55_000 : 5_000)
          for (const region of configured) {
            const verdict = isOutage && failing.includes(region) ? 'down' : 'up'
            const reading = readingAt(region, verdict, nowMs, {
              kind: as,
              ...(as === 'confirmation' && { slot: nowMs }),
            })
            assessor.observe(reading)
          }
        }
        round(false, 'scheduled')
        expect(assessor.status()).toBe('operational')
        for (let slot = 1; slot <= 7; slot++) {
          round(true, 'scheduled')
          round(true, 'confirmation')
          const isDown = isEnough && slot >= (rule.failures ?? 1)
          expect(assessor.status()).toBe(isDown ? 'down' : failing.length > 0 ? 'degraded' : 'operational')
        }
        round(false, 'scheduled')
        round(false, 'confirmation')
        expect(assessor.status()).not.toBe('down')
      },
    )
  })
})
