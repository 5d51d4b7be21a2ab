import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { staleAfterMs } from './freshness.ts'
import { observeReading, observeTime, type Assessment, type StatusChange } from './observe.ts'
import { newCheckState, type CheckState } from './state.ts'
import { describeStatus } from './status.ts'
import { answerAt } from './testing.ts'
import { asUnmeasured, withdrawVote } from './withdraw.ts'

const t0 = 1_700_000_000_000
const minute = 60_000

/** A check whose regions lose their votes. */
const playing = (regions: readonly string[]) => {
  const schedule = { regions, intervalSeconds: 60 }
  let state: CheckState = newCheckState
  let nowMs = t0
  const changes: StatusChange[] = []
  const quarantined = new Set<string>()
  const take = (assessment: Assessment): void => {
    state = assessment.state
    changes.push(...assessment.changes)
  }
  return {
    changes,
    state: () => state,
    said: () => describeStatus(state, schedule, nowMs),
    told: () => changes.map(({ to, unconfirmed }) => (unconfirmed === true ? `${to}, unconfirmed` : to)),
    quarantine: (...broken: string[]) => {
      for (const region of broken) {
        quarantined.add(region)
        state = withdrawVote(state, region, nowMs)
      }
    },
    release: () => quarantined.clear(),
    pass: (ms: number) => {
      nowMs += ms
      take(observeTime(state, schedule, nowMs))
    },
    measure: (saw: Record<string, Verdict>) => {
      const roundAtMs = nowMs
      for (const [region, verdict] of Object.entries(saw)) {
        nowMs += 100
        const reading = answerAt(region, verdict, nowMs, roundAtMs)
        const counted = quarantined.has(region) ? asUnmeasured(reading) : reading
        take(observeReading(state, schedule, counted, nowMs))
      }
    },
  }
}

describe('an outage that too few regions may confirm', () => {
  test('is degraded and unconfirmed, with the number of regions that could not vote', () => {
    const check = playing(['iad', 'fra'])
    check.measure({ iad: 'up', fra: 'up' })
    check.pass(minute)
    check.measure({ iad: 'up' })
    check.quarantine('fra')
    check.pass(2 * minute)
    check.measure({ fra: 'down', iad: 'down' })
    expect(check.told()).toEqual(['operational', 'degraded, unconfirmed'])
    expect(check.said()).toMatchObject({
      status: 'degraded',
      statusReason:
        '1 of 1 regions fail (iad): down for the test; 1 of 2 regions could not vote (fra: quarantined)',
    })
  })

  test('is unconfirmed even if it was degraded before the votes were withheld', () => {
    const check = playing(['iad', 'fra'])
    check.measure({ iad: 'up', fra: 'up' })
    check.pass(minute)
    check.measure({ fra: 'up', iad: 'down' })
    check.quarantine('fra')
    check.pass(3 * minute)
    check.measure({ fra: 'up', iad: 'down' })
    // without measurements for so long, it was stale in between
    expect(check.told()).toEqual(['operational', 'degraded', 'stale', 'degraded, unconfirmed'])
  })

  test('keeps the time of its status', () => {
    const check = playing(['iad', 'fra'])
    check.measure({ iad: 'up', fra: 'up' })
    check.measure({ iad: 'down' })
    const since = check.said().statusSince
    check.quarantine('fra')
    for (let n = 0; n < 4; n++) {
      check.pass(minute)
      check.measure({ fra: 'down', iad: 'down' })
    }
    expect(check.told()).toEqual(['operational', 'degraded', 'degraded, unconfirmed'])
    expect(check.said().statusSince).toBe(since)
  })

  test('is down as soon as a region that may vote confirms it, and operational after', () => {
    const check = playing(['iad', 'fra'])
    check.measure({ iad: 'up', fra: 'up' })
    check.quarantine('fra')
    check.pass(3 * minute)
    check.measure({ fra: 'down', iad: 'down' })
    check.release()
    expect(check.told().at(-1)).toBe('degraded, unconfirmed')
    check.measure({ fra: 'down', iad: 'down' })
    expect(check.told().at(-1)).toBe('down')
    check.measure({ fra: 'up', iad: 'up' })
    check.measure({ fra: 'up', iad: 'up' })
    expect(check.told().at(-1)).toBe('operational')
    expect(check.state().unconfirmed).toBeUndefined()
  })

  test('is not unconfirmed if the voting regions disagree, or none is quarantined', () => {
    const split = playing(['iad', 'sjc', 'fra', 'nrt'])
    split.measure({ iad: 'up', sjc: 'up', fra: 'up', nrt: 'up' })
    split.quarantine('fra', 'nrt')
    split.pass(3 * minute)
    split.measure({ fra: 'down', nrt: 'down', sjc: 'up', iad: 'down' })
    expect(split.told().at(-1)).toBe('degraded')
    const silent = playing(['iad', 'fra'])
    silent.measure({ iad: 'up', fra: 'up' })
    silent.pass(3 * minute)
    silent.measure({ iad: 'down' })
    expect(silent.told().at(-1)).toBe('degraded')
  })

  test('is down if the two remaining regions agree', () => {
    const check = playing(['iad', 'sjc', 'fra', 'nrt'])
    check.measure({ iad: 'up', sjc: 'up', fra: 'up', nrt: 'up' })
    check.quarantine('fra', 'nrt')
    check.pass(3 * minute)
    check.measure({ fra: 'down', nrt: 'down', sjc: 'down', iad: 'down' })
    expect(check.told().at(-1)).toBe('down')
  })
})

describe('a check that only a quarantined region measures', () => {
  test('is stale and unconfirmed once that region sees it fail', () => {
    const check = playing(['fra'])
    check.measure({ fra: 'up' })
    check.quarantine('fra')
    check.pass(minute)
    check.measure({ fra: 'up' })
    check.pass(staleAfterMs(60))
    expect(check.told()).toEqual(['operational', 'stale'])
    check.measure({ fra: 'down' })
    check.measure({ fra: 'down' })
    expect(check.told()).toEqual(['operational', 'stale', 'stale, unconfirmed'])
    expect(check.said().statusReason).toBe(
      "not measured: the region's own network failed (quarantined); 1 of 1 regions could not vote (fra: quarantined), 1 of them saw it fail: down for the test",
    )
    check.measure({ fra: 'up' })
    expect(check.told().at(-1)).toBe('stale')
    expect(check.state().unconfirmed).toBeUndefined()
  })

  test('is unconfirmed when it becomes stale after it was down', () => {
    const check = playing(['fra'])
    check.measure({ fra: 'up' })
    check.measure({ fra: 'down' })
    check.quarantine('fra')
    check.pass(1_000)
    expect(check.told()).toEqual(['operational', 'down', 'stale, unconfirmed'])
  })
})

test('a check that fails in all voting regions never hides it', () => {
  const all = ['iad', 'sjc', 'fra', 'nrt']
  forAll(
    [fc.subarray(all, { minLength: 1 }), fc.subarray(all, { minLength: 1, maxLength: 2 }), fc.boolean()],
    (regions, broken, wasUp) => {
      const check = playing(regions)
      const everywhere = (verdict: Verdict) => Object.fromEntries(regions.map((region) => [region, verdict]))
      if (wasUp) check.measure(everywhere('up'))
      check.quarantine(...broken.filter((region) => regions.includes(region)))
      for (let n = 0; n < 6; n++) {
        check.pass(minute)
        check.measure(everywhere('down'))
      }
      const last = check.changes.at(-1)
      const isTold = last?.to === 'down' || last?.unconfirmed === true
      // a region without any reading cannot become stale
      const isUnknown = check.said().status === 'unknown'
      expect(isTold || isUnknown).toBe(true)
      if (isUnknown) expect(regions.every((region) => broken.includes(region))).toBe(true)
    },
  )
})
