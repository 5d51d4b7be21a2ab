import { PastOutage } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { describeOutage, pastOutages, type ReadingRun } from './past-outages.ts'
import { minuteMs, t0 } from './testing.ts'

const staleAfterMs = 3 * minuteMs
const letters = { u: 'up', d: 'down', b: 'blocked' } as const

/** One reading a minute from t0: `u`p, `d`own, `b`locked, or a dot for no reading. */
const runs = (region: string, text: string): ReadingRun[] =>
  [...text].flatMap((letter, minute) =>
    letter in letters
      ? [
          {
            region,
            verdict: letters[letter as keyof typeof letters],
            firstMs: t0 + minute * minuteMs,
            lastMs: t0 + minute * minuteMs,
            count: 1,
          },
        ]
      : [],
  )

/** The start and end in minutes after t0, and the regions. */
const outagesOf = (lines: Record<string, string>, nowMinute: number) =>
  pastOutages(
    Object.entries(lines).flatMap(([region, text]) => runs(region, text)),
    staleAfterMs,
    t0 + nowMinute * minuteMs,
  ).map(({ startMs, endMs, regions }) => [
    (startMs - t0) / minuteMs,
    endMs === null ? null : (endMs - t0) / minuteMs,
    regions.join(' '),
  ])

describe('an outage', () => {
  test.each<[string, Record<string, string>, number, unknown[]]>([
    ['needs a failing reading', { fra: 'uuuu' }, 4, []],
    ['needs more than one failing reading in one region', { fra: 'uduuu' }, 4, []],
    ['is two consecutive failing readings', { fra: 'udduuu' }, 5, [[1, 3, 'fra']]],
    ['is one failing reading in each of two regions', { fra: 'uduuu', iad: 'uuduu' }, 4, [[1, 3, 'fra iad']]],
    [
      'is separate from the next if two good readings lie between',
      { fra: 'ddduuddduu' },
      9,
      [
        [5, 8, 'fra'],
        [0, 3, 'fra'],
      ],
    ],
    ['continues through a single good reading', { fra: 'dduddduu' }, 7, [[0, 6, 'fra']]],
    ['is ongoing while it fails', { fra: 'uddd' }, 3, [[1, null, 'fra']]],
    ['is ongoing after one good reading', { fra: 'udddu' }, 4, [[1, null, 'fra']]],
    ['ends with its last region', { fra: 'dduuuuu', iad: 'uddddduu' }, 7, [[0, 6, 'fra iad']]],
    [
      'ends with its last region, even if another region began later',
      { fra: 'ddddddduu', iad: 'udduuuuuu' },
      8,
      [[0, 7, 'fra iad']],
    ],
    ['ends at the last failure if the region goes silent', { fra: 'uddd......' }, 9, [[1, 3, 'fra']]],
    ['is ongoing until the last reading is stale', { fra: 'uddd...' }, 6, [[1, null, 'fra']]],
    ['continues across a gap between failures', { fra: 'dd....dd' }, 7, [[0, null, 'fra']]],
    [
      'is separate from the next if a good reading and a gap lie between',
      { fra: 'ddu....dd' },
      8,
      [
        [7, null, 'fra'],
        [0, 2, 'fra'],
      ],
    ],
    [
      'is separate from the next after a gap of more than six hours',
      { fra: `dd${'.'.repeat(360)}dd` },
      363,
      [
        [362, null, 'fra'],
        [0, 1, 'fra'],
      ],
    ],
    ['continues across a gap of six hours', { fra: `dd${'.'.repeat(359)}dd` }, 362, [[0, null, 'fra']]],
    ['continues through a single refused reading', { fra: 'ddbdduu' }, 6, [[0, 5, 'fra']]],
    ['ends at the last failure if only refused readings follow', { fra: 'ddbbbbbb' }, 7, [[0, 1, 'fra']]],
    ['does not start with refused readings', { fra: 'bbbb' }, 3, []],
  ])('%s', (_, lines, nowMinute, outages) => {
    expect(outagesOf(lines, nowMinute)).toEqual(outages)
  })

  test.each<[string, Record<string, string>, number]>([
    ['no time without a gap', { fra: 'ddddd' }, 0],
    ['a gap between failures', { fra: 'dd....dd' }, 5],
    ['the common part of the gaps of two regions', { fra: 'dd....dddd', iad: 'ddd......d' }, 4],
    ['no gap during which another region failed', { fra: 'dd....dd', iad: 'dddddddd' }, 0],
    ['no gap after the last failure', { fra: 'dd....' }, 0],
  ])('counts %s as unmeasured', (_, lines, minutes) => {
    const all = Object.entries(lines).flatMap(([region, text]) => runs(region, text))
    const [outage] = pastOutages(all, staleAfterMs, t0 + 9 * minuteMs)
    expect((outage?.unmeasuredMs ?? 0) / minuteMs).toBe(minutes)
  })

  test('has the start of its recovery while it is ongoing', () => {
    const recovering = (lines: Record<string, string>) =>
      pastOutages(
        Object.entries(lines).flatMap(([region, text]) => runs(region, text)),
        staleAfterMs,
        t0 + 4 * minuteMs,
      ).map(({ recoveringMs }) => (recoveringMs === null ? null : (recoveringMs - t0) / minuteMs))
    expect(recovering({ fra: 'udddu' })).toEqual([4])
    expect(recovering({ fra: 'udddu', iad: 'udddd' })).toEqual([null])
    expect(recovering({ fra: 'udduu', iad: 'udddu' })).toEqual([4])
  })

  test('is the same from runs as from single readings', () => {
    const text = fc.array(fc.constantFrom('u', 'd', 'b', '.'), { maxLength: 40 })
    forAll([text, text], (one, other) => {
      const readings = [...runs('fra', one.join('')), ...runs('iad', other.join(''))]
      const joined = [...collapse(runs('fra', one.join(''))), ...collapse(runs('iad', other.join('')))]
      const nowMs = t0 + 41 * minuteMs
      expect(pastOutages(joined.toReversed(), staleAfterMs, nowMs)).toEqual(
        pastOutages(readings, staleAfterMs, nowMs),
      )
    })
  })

  test('never overlaps another, is sorted newest first, and starts at a failing reading', () => {
    const text = fc.array(fc.constantFrom('u', 'd', 'b', '.'), { maxLength: 60 })
    forAll([text, text], (one, other) => {
      const readings = [...runs('fra', one.join('')), ...runs('iad', other.join(''))]
      const nowMs = t0 + 60 * minuteMs
      const failing = readings.filter(({ verdict }) => verdict === 'down')
      let before = Infinity
      for (const outage of pastOutages(readings, staleAfterMs, nowMs)) {
        expect(outage.endMs ?? -Infinity).toBeLessThan(before)
        expect(failing.map(({ firstMs }) => firstMs)).toContain(outage.startMs)
        expect(outage.endMs ?? nowMs).toBeGreaterThanOrEqual(outage.startMs)
        expect(PastOutage.parse(describeOutage(outage, [], nowMs)).ongoing).toBe(outage.endMs === null)
        before = outage.startMs
      }
    })
  })

  test('is one of at most 50 in a list', () => {
    expect(outagesOf({ fra: 'dduu'.repeat(60) }, 240)).toHaveLength(50)
  })
})

/** Merges consecutive readings with the same verdict into runs, except across gaps. */
const collapse = (readings: ReadingRun[]): ReadingRun[] => {
  const joined: ReadingRun[] = []
  for (const reading of readings) {
    const last = joined.at(-1)
    if (last?.verdict === reading.verdict && reading.firstMs - last.lastMs <= staleAfterMs) {
      joined[joined.length - 1] = { ...last, lastMs: reading.lastMs, count: last.count + 1 }
    } else joined.push(reading)
  }
  return joined
}

describe('the lead over the vendor', () => {
  const outage = {
    startMs: t0,
    endMs: t0 + 30 * minuteMs,
    regions: ['fra'],
    readings: 9,
    recoveringMs: null,
    unmeasuredMs: 0,
  }
  test.each<[string, number[], number | null]>([
    ['is positive if the vendor posts after our first failure', [11], 660],
    ['is negative if the vendor posts before our first failure', [-5], -300],
    ["counts from the vendor's first post", [20, 3, 12], 180],
    ['is null if the vendor never posts', [], null],
    ['counts a post up to one hour after the end', [90], 5_400],
    ['ignores a post more than one hour after the end', [91], null],
    ['counts a post up to one hour before the start', [-60], -3_600],
    ['ignores a post more than one hour before the start', [-61], null],
  ])('%s', (_, posts, seconds) => {
    const described = describeOutage(
      outage,
      posts.map((minute) => t0 + minute * minuteMs),
      t0 + 1e9,
    )
    expect(described.aheadOfVendorSeconds).toBe(seconds)
  })
})
