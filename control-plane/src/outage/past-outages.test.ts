import { PastOutage } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeOutage, pastOutages } from './past-outages.ts'
import type { ReadingRun } from './past-outages.ts'
import { minuteMs, t0 } from './testing.ts'

const staleAfterMs = 3 * minuteMs
const letters = { u: 'up', d: 'down', b: 'blocked' } as const

/** A reading a minute from t0: `u`p, `d`own, `b`locked, or a dot for none. */
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

/** Start and end in minutes after t0, and the regions. */
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
    ['is none without a failure', { fra: 'uuuu' }, 4, []],
    ['is no single failing reading', { fra: 'uduuu' }, 4, []],
    ['is two in a row', { fra: 'udduuu' }, 5, [[1, 3, 'fra']]],
    ['is one in each of two regions', { fra: 'uduuu', iad: 'uuduu' }, 4, [[1, 3, 'fra iad']]],
    [
      'is two with good readings between, apart',
      { fra: 'ddduuddduu' },
      9,
      [
        [5, 8, 'fra'],
        [0, 3, 'fra'],
      ],
    ],
    ['goes on through a single good reading', { fra: 'dduddduu' }, 7, [[0, 6, 'fra']]],
    ['is ongoing while it fails', { fra: 'uddd' }, 3, [[1, null, 'fra']]],
    ['is ongoing at the first good reading', { fra: 'udddu' }, 4, [[1, null, 'fra']]],
    ['ends with its last region', { fra: 'dduuuuu', iad: 'uddddduu' }, 7, [[0, 6, 'fra iad']]],
    [
      'ends with the last also when another began later',
      { fra: 'ddddddduu', iad: 'udduuuuuu' },
      8,
      [[0, 7, 'fra iad']],
    ],
    ['ends where a region falls silent', { fra: 'uddd......' }, 9, [[1, 3, 'fra']]],
    ['lasts while that is no silence yet', { fra: 'uddd...' }, 6, [[1, null, 'fra']]],
    ['goes on over a silence between failures', { fra: 'dd....dd' }, 7, [[0, null, 'fra']]],
    [
      'begins anew after a good reading and a silence',
      { fra: 'ddu....dd' },
      8,
      [
        [7, null, 'fra'],
        [0, 2, 'fra'],
      ],
    ],
    [
      'begins anew after six hours of silence',
      { fra: `dd${'.'.repeat(360)}dd` },
      363,
      [
        [362, null, 'fra'],
        [0, 1, 'fra'],
      ],
    ],
    ['goes on over a little less', { fra: `dd${'.'.repeat(359)}dd` }, 362, [[0, null, 'fra']]],
    ['is not ended by being refused at once', { fra: 'ddbdduu' }, 6, [[0, 5, 'fra']]],
    ['ends where only refusals follow', { fra: 'ddbbbbbb' }, 7, [[0, 1, 'fra']]],
    ['does not begin by being refused', { fra: 'bbbb' }, 3, []],
  ])('%s', (_, lines, nowMinute, outages) => {
    expect(outagesOf(lines, nowMinute)).toEqual(outages)
  })

  test.each<[string, Record<string, string>, number]>([
    ['none without a silence', { fra: 'ddddd' }, 0],
    ['a silence between failures', { fra: 'dd....dd' }, 5],
    ['what no region measured', { fra: 'dd....dddd', iad: 'ddd......d' }, 4],
    ['nothing where another region failed all the while', { fra: 'dd....dd', iad: 'dddddddd' }, 0],
    ['not the silence after it', { fra: 'dd....' }, 0],
  ])('has %s as not measured', (_, lines, minutes) => {
    const all = Object.entries(lines).flatMap(([region, text]) => runs(region, text))
    const [outage] = pastOutages(all, staleAfterMs, t0 + 9 * minuteMs)
    expect((outage?.unmeasuredMs ?? 0) / minuteMs).toBe(minutes)
  })

  test('tells since when it recovers while it goes on', () => {
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

  test('is the same from runs as from their readings', () => {
    const text = fc.array(fc.constantFrom('u', 'd', 'b', '.'), { maxLength: 40 })
    fc.assert(
      fc.property(text, text, (one, other) => {
        const readings = [...runs('fra', one.join('')), ...runs('iad', other.join(''))]
        const joined = [...collapse(runs('fra', one.join(''))), ...collapse(runs('iad', other.join('')))]
        const nowMs = t0 + 41 * minuteMs
        expect(pastOutages(joined.toReversed(), staleAfterMs, nowMs)).toEqual(
          pastOutages(readings, staleAfterMs, nowMs),
        )
      }),
    )
  })

  test('whatever was read, outages are apart, newest first, and each start is a failing reading', () => {
    const text = fc.array(fc.constantFrom('u', 'd', 'b', '.'), { maxLength: 60 })
    fc.assert(
      fc.property(text, text, (one, other) => {
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
      }),
    )
  })

  test('beyond the fiftieth is not told', () => {
    expect(outagesOf({ fra: 'dduu'.repeat(60) }, 240)).toHaveLength(50)
  })
})

/** Neighbours of one verdict as one run, where no silence lies between them. */
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

describe('the vendor', () => {
  const outage = {
    startMs: t0,
    endMs: t0 + 30 * minuteMs,
    regions: ['fra'],
    readings: 9,
    recoveringMs: null,
    unmeasuredMs: 0,
  }
  test.each<[string, number[], number | null]>([
    ['that posts after us was later by so much', [11], 660],
    ['that posted before us was ahead', [-5], -300],
    ['is taken at its first post', [20, 3, 12], 180],
    ['that never posts is not known to', [], null],
    ['may post an hour after the end', [90], 5_400],
    ['that posts later posts of something else', [91], null],
    ['may post an hour before', [-60], -3_600],
    ['that posted earlier posted of something else', [-61], null],
  ])('%s', (_, posts, seconds) => {
    const told = describeOutage(
      outage,
      posts.map((minute) => t0 + minute * minuteMs),
      t0 + 1e9,
    )
    expect(told.aheadOfVendorSeconds).toBe(seconds)
  })
})
