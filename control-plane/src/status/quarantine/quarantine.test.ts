import { describe, expect, test } from 'vitest'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import { staleAfterMs } from '../freshness.ts'
import { unansweredAt as readingAt } from '../testing.ts'
import { holdReading } from './held-readings.ts'
import { cleanMs, judgeSurvey, nextQuarantine, silentMsMax, type Quarantine } from './quarantine.ts'
import { examplesOf, nothingSurveyed, sinceMsOf, surveyRegions, type Survey } from './survey.ts'
import { watchHosts } from './testing.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt']
const t0 = 1_700_000_000_000
const minute = 60_000

type Said = Partial<Record<string, Verdict>>

/** Hosts with three measurements, the last two as in `said`, in other regions `up`. */
const fleet = (
  count: number,
  failing: number,
  { said = { fra: 'down' }, from = regions }: { said?: Said; from?: readonly string[] } = {},
) => {
  const watch = watchHosts(60)
  for (let host = 0; host < count; host++) {
    for (const [round, atMs] of [t0, t0 + minute, t0 + 2 * minute].entries()) {
      for (const [index, region] of from.entries()) {
        const verdict = (round > 0 && host < failing ? said[region] : undefined) ?? 'up'
        watch.take(`host-${String(host).padStart(2, '0')}`, readingAt(region, verdict, atMs + index))
      }
    }
  }
  return { watch, nowMs: t0 + 2 * minute + 1_000 }
}
const surveyOf = (...given: Parameters<typeof fleet>): Map<string, Survey> => {
  const { watch, nowMs } = fleet(...given)
  return watch.survey(nowMs)
}

describe('a region is quarantined when an unlikely share of distinct hosts fails in it only', () => {
  test.each<[string, Parameters<typeof fleet>, string[]]>([
    ['8 hosts of which 3 fail', [8, 3], ['fra']],
    ['7 hosts of which all fail', [7, 7], []],
    ['10 hosts of which exactly 30 % fail', [10, 3], []],
    ['10 hosts of which 4 fail', [10, 4], ['fra']],
    ['12 hosts that all fail', [12, 12], ['fra']],
    ['two at once', [12, 12, { said: { fra: 'down', nrt: 'down' } }], ['fra', 'nrt']],
    ['what most regions cannot reach', [12, 12, { said: { fra: 'down', nrt: 'down', iad: 'down' } }], []],
    ['what fails everywhere', [12, 12, { said: { iad: 'down', sjc: 'down', fra: 'down', nrt: 'down' } }], []],
    [
      'what is blocked elsewhere',
      [12, 12, { said: { fra: 'down', iad: 'blocked', sjc: 'blocked', nrt: 'blocked' } }],
      ['fra'],
    ],
    ['what is blocked there', [12, 12, { said: { fra: 'blocked' } }], []],
    ['what is not measured there', [12, 12, { said: { fra: 'unmeasured' } }], []],
    [
      'what no other region measures any more',
      [12, 12, { said: { fra: 'down', iad: 'unmeasured', sjc: 'unmeasured', nrt: 'unmeasured' } }],
      [],
    ],
    ['what is measured in it alone', [12, 12, { from: ['fra'] }], []],
    ['what is measured in two regions', [12, 12, { from: ['fra', 'iad'] }], ['fra']],
  ])('%s: %o', (_, given, expected) => {
    const surveys = surveyOf(...given)
    const unlikely = [...surveys].flatMap(([region, survey]) =>
      judgeSurvey(survey) === 'broken' ? [region] : [],
    )
    expect(unlikely).toEqual(expected)
  })

  test('any answer proves the network of its region works', () => {
    const watch = watchHosts(60)
    for (let host = 0; host < 12; host++) {
      for (const region of ['iad', 'sjc', 'nrt', 'fra']) {
        const isBad = region === 'fra'
        const answered = { cause: isBad ? 'status_mismatch' : 'ok', httpStatus: isBad ? 503 : 200 }
        for (const ago of [2, 1]) {
          const at = t0 - ago * 60_000 + (isBad ? 1 : 0)
          watch.take(`host-${host}`, readingAt(region, isBad ? 'down' : 'up', at, answered))
        }
      }
    }
    const survey = watch.survey(t0).get('fra') ?? nothingSurveyed
    expect(survey.catalog).toEqual({ hosts: 12, failing: 0, sources: 12, sourcesFailing: 0 })
  })

  test('the survey has counts, examples and a start', () => {
    const fra = surveyOf(12, 5).get('fra') ?? nothingSurveyed
    const counted = { hosts: 12, sources: 12 }
    expect(fra.catalog).toEqual({ ...counted, failing: 5, sourcesFailing: 5 })
    expect(examplesOf(fra)).toEqual(['host-00', 'host-01', 'host-02', 'host-03', 'host-04'])
    expect(sinceMsOf(fra)).toBe(t0 + minute + 2)
    expect(surveyOf(12, 5).get('iad')).toEqual({
      ...nothingSurveyed,
      catalog: { ...counted, failing: 0, sourcesFailing: 0 },
    })
  })

  test('two regions that fail at once, each with different hosts, are each the only one', () => {
    const { watch, nowMs } = fleet(12, 5)
    for (let host = 7; host < 12; host++) {
      for (const ms of [1, 2].map((round) => nowMs + round * minute)) {
        for (const region of regions) {
          const verdict = region === 'nrt' ? 'down' : 'up'
          watch.take(`host-${String(host).padStart(2, '0')}`, readingAt(region, verdict, ms))
        }
      }
    }
    const surveys = watch.survey(nowMs + 2 * minute - 10_000)
    expect(surveys.get('fra')).toMatchObject({ catalog: { failing: 5 } })
    expect(surveys.get('nrt')).toMatchObject({ catalog: { failing: 5 } })
  })

  test('readings count for two intervals plus delivery', () => {
    const { watch } = fleet(12, 5)
    const lastAtMs = t0 + 2 * minute
    expect(watch.survey(lastAtMs + staleAfterMs(60)).get('fra')).toMatchObject({
      catalog: { hosts: 12 },
    })
    expect(watch.survey(lastAtMs + staleAfterMs(60) + 10).get('fra')).toBeUndefined()
  })
})

describe('another region contradicts a failure', () => {
  const failingIn = (readings: readonly ReturnType<typeof readingAt>[], atMs: number): number => {
    const watch = watchHosts(60)
    for (const reading of readings) watch.take('host', reading)
    return watch.survey(atMs).get('fra')?.failing.length ?? 0
  }
  const confirmed = { kind: 'confirmation' } as const
  test.each<[string, ReturnType<typeof readingAt>[], number]>([
    [
      'when it was asked because of it',
      [readingAt('fra', 'down', t0), readingAt('iad', 'up', t0 + 5, confirmed)],
      1,
    ],
    [
      'when it measured between two failures',
      [readingAt('fra', 'down', t0), readingAt('iad', 'up', t0 + 5), readingAt('fra', 'down', t0 + 9)],
      1,
    ],
    [
      'also when the later one arrives before it',
      [readingAt('fra', 'down', t0), readingAt('fra', 'down', t0 + 9), readingAt('iad', 'up', t0 + 5)],
      1,
    ],
    [
      'not when it measured before them',
      [readingAt('iad', 'up', t0 - 5), readingAt('fra', 'down', t0), readingAt('fra', 'down', t0 + 9)],
      0,
    ],
    [
      'not when it measured after them',
      [readingAt('fra', 'down', t0), readingAt('fra', 'down', t0 + 9), readingAt('iad', 'up', t0 + 15)],
      0,
    ],
    [
      'not when a good reading came between',
      [
        readingAt('fra', 'down', t0),
        readingAt('iad', 'up', t0 + 5),
        readingAt('fra', 'up', t0 + 7),
        readingAt('fra', 'down', t0 + 9),
      ],
      0,
    ],
    [
      'not when the failure is the probe’s own',
      [readingAt('fra', 'down', t0, { fault: 'probe' }), readingAt('iad', 'up', t0 + 5, confirmed)],
      0,
    ],
    [
      'not when a third region fails as well',
      [
        readingAt('fra', 'down', t0),
        readingAt('iad', 'up', t0 + 5, confirmed),
        readingAt('nrt', 'down', t0 + 6),
      ],
      0,
    ],
  ])('%s', (_, readings, failing) => {
    expect(failingIn(readings, t0 + minute)).toBe(failing)
  })

  test('an old contradiction no longer counts', () => {
    const readings = [
      readingAt('fra', 'down', t0),
      readingAt('iad', 'up', t0 + 5, confirmed),
      readingAt('iad', 'unmeasured', t0 + 10),
      readingAt('sjc', 'blocked', t0 - 10),
    ]
    const later = Array.from({ length: 4 }, (_, n) => readingAt('fra', 'down', t0 + (n + 1) * minute))
    const awake = readingAt('sjc', 'up', t0 + 4 * minute + 5)
    expect(failingIn([...readings, ...later, awake], t0 + 4 * minute + 6)).toBe(0)
  })

  test('a reading that is not newer changes nothing', () => {
    const held = holdReading(new Map(), readingAt('fra', 'down', t0), t0)
    expect(holdReading(held, readingAt('fra', 'up', t0), t0)).toBe(held)
    expect(holdReading(held, readingAt('fra', 'up', t0 - 1), t0)).toBe(held)
  })
})

describe('many checks of one host are one host', () => {
  /** One host's checks, each with the readings of its regions at two instants. */
  const hostOf = (...checks: Said[]) => ({
    host: 'example.com',
    owner: { kind: 'catalog' as const },
    site: 'example.com',
    checks: checks.map((said) => {
      let held: ReturnType<typeof holdReading> = new Map()
      for (const atMs of [t0, t0 + minute]) {
        for (const [index, region] of Object.keys(said).entries()) {
          const reading = readingAt(region, said[region] ?? 'up', atMs + index)
          held = holdReading(held, reading, atMs + index)
        }
      }
      return { intervalSeconds: 60, held }
    }),
  })
  const up = { iad: 'up', fra: 'up', nrt: 'up' } as const
  const failsInFra = { ...up, fra: 'down' } as const
  test.each<[string, Said[], number]>([
    ['that fails with all of them', [failsInFra, failsInFra], 1],
    ['that is well where any of them is', [failsInFra, up], 0],
    ['that is well elsewhere where any of them is', [failsInFra, { iad: 'down', fra: 'down' }], 1],
    [
      'that fails elsewhere too where none of them is well there',
      [
        { fra: 'down', nrt: 'up' },
        { fra: 'down', iad: 'down' },
      ],
      0,
    ],
    [
      'whose check fails in two regions, though another is well in one of them',
      [
        { fra: 'down', iad: 'down', nrt: 'up' },
        { iad: 'up', nrt: 'up' },
      ],
      0,
    ],
    ['of which a check with one region says nothing', [failsInFra, { fra: 'up' }], 1],
  ])('%s', (_, checks, failing) => {
    const survey = surveyRegions([hostOf(...checks)], t0 + minute + 100).get('fra')
    expect(survey?.catalog).toMatchObject({ hosts: 1, failing })
  })
})

describe('a quarantine', () => {
  const of = (hosts: number, failing: number): Survey => ({
    ...nothingSurveyed,
    catalog: { hosts, failing, sources: hosts, sourcesFailing: failing },
    failing: Array.from({ length: failing }, (_, n) => ({
      host: `host-${n}`,
      owner: { kind: 'catalog' },
      site: `host-${n}`,
      network: null,
      failingSinceMs: t0,
    })),
  })
  const begun = nextQuarantine(null, of(12, 5), t0 + 9)
  const after = (...surveys: [Survey, number][]): Quarantine | null =>
    surveys.reduce<Quarantine | null>(
      (held, [survey, afterMs]) => nextQuarantine(held, survey, t0 + afterMs),
      begun,
    )

  test('begins with the first of its failures', () => {
    expect(begun).toEqual({ sinceMs: t0, cleanSinceMs: null, comparedAtMs: t0 + 9 })
    expect(nextQuarantine(null, of(12, 3), t0)).toBeNull()
    expect(nextQuarantine(null, nothingSurveyed, t0)).toBeNull()
  })

  test.each<[string, [Survey, number][], boolean]>([
    [
      'ends after two clean minutes',
      [
        [of(12, 3), minute],
        [of(12, 3), minute + cleanMs],
      ],
      true,
    ],
    [
      'lasts until then',
      [
        [of(12, 3), minute],
        [of(12, 3), minute + cleanMs - 1],
      ],
      false,
    ],
    [
      'counts the two minutes anew after an unlikely share',
      [
        [of(12, 0), minute],
        [of(12, 4), 2 * minute],
        [of(12, 0), 3 * minute],
        [of(12, 0), 3 * minute + cleanMs - 1],
      ],
      false,
    ],
    [
      'counts them anew after silence',
      [
        [of(12, 0), minute],
        [nothingSurveyed, 2 * minute],
        [of(12, 0), 3 * minute],
        [of(12, 0), 3 * minute + cleanMs - 1],
      ],
      false,
    ],
    [
      'is judged by the share of however few hosts are left',
      [
        [of(2, 0), minute],
        [of(2, 0), minute + cleanMs],
      ],
      true,
    ],
    [
      'lasts while one of two hosts fails',
      [
        [of(2, 1), minute],
        [of(2, 1), minute + cleanMs],
      ],
      false,
    ],
    [
      'lasts through a silence',
      [
        [of(12, 5), minute],
        [nothingSurveyed, minute + silentMsMax - 1],
      ],
      false,
    ],
    [
      'ends with a silence of ten minutes',
      [
        [of(12, 5), minute],
        [nothingSurveyed, minute + silentMsMax],
      ],
      true,
    ],
  ])('%s', (_, surveys, ends) => {
    expect(after(...surveys) === null).toBe(ends)
  })
})
