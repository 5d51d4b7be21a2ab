import { describe, expect, test } from 'vitest'
import { staleAfterMs } from './freshness.ts'
import { describeStatus } from './status.ts'
import { answerAt, play, readingAt, unansweredAt } from './testing.ts'

const four = { regions: ['iad', 'sjc', 'fra', 'nrt'], intervalSeconds: 60 }
const one = { regions: ['fra'], intervalSeconds: 60 }
const t0 = 1_700_000_000_000

describe('opening', () => {
  test('a check is unknown before its first reading', () => {
    const described = describeStatus(play(four).state(), four, t0)
    expect(described.status).toBe('unknown')
    expect(described.statusReason).toBe('no reading yet')
    expect(described.regionStatuses.map((region) => region.status)).toEqual(four.regions.map(() => 'unknown'))
  })

  test.each([
    [['up', 'up', 'up', 'up'], 'operational'],
    [['down', 'up', 'up', 'up'], 'degraded'],
    [['down', 'down', 'up', 'up'], 'degraded'],
    [['down', 'down', 'down', 'up'], 'down'],
    [['down', 'down', 'down', 'down'], 'down'],
    [['blocked', 'up', 'up', 'up'], 'operational'],
    [['blocked', 'blocked', 'blocked', 'blocked'], 'degraded'],
    [['blocked', 'blocked', 'blocked', 'down'], 'degraded'],
    [['blocked', 'blocked', 'down', 'down'], 'down'],
    [['unmeasured', 'unmeasured', 'unmeasured', 'unmeasured'], 'unknown'],
    [['unmeasured', 'unmeasured', 'unmeasured', 'up'], 'operational'],
    [['unmeasured', 'unmeasured', 'unmeasured', 'down'], 'degraded'],
  ] as const)('regions reporting %j make it %s', (verdicts, expected) => {
    const game = play(four)
    verdicts.forEach((verdict, index) => {
      game.observe(answerAt(four.regions[index] ?? '', verdict, t0 + index, t0))
    })
    expect(game.state().status).toBe(expected)
  })

  test('one region is enough if only one is configured', () => {
    const game = play(one)
    expect(game.observe(answerAt('fra', 'down', t0))).toBe('down')
  })

  test('one failed slot changes nothing before a confirmation', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    expect(game.observe(readingAt('fra', 'down', t0 + 60_000))).toBe('operational')
    expect(game.confirmed).toEqual([four.regions])
    expect(game.observe(answerAt('fra', 'up', t0 + 60_100, t0 + 60_000))).toBe('operational')
    game.observe(readingAt('fra', 'down', t0 + 120_000))
    expect(game.observe(answerAt('fra', 'down', t0 + 120_100, t0 + 120_000))).toBe('degraded')
  })

  test('without a confirmation the next slot confirms', () => {
    const game = play(one)
    game.observe(readingAt('fra', 'up', t0))
    expect(game.observe(readingAt('fra', 'down', t0 + 60_000))).toBe('operational')
    expect(game.observe(readingAt('fra', 'down', t0 + 120_000))).toBe('down')
  })

  test('a failure that moves between two halves of the regions is never down', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    for (let round = 1; round < 40; round++) {
      const at = t0 + round * 60_000
      for (const [index, region] of four.regions.entries()) {
        const verdict = index % 2 === round % 2 ? 'down' : 'up'
        game.observe(answerAt(region, verdict, at + index * 100, at))
      }
    }
    expect(game.changes.map(({ to }) => to)).not.toContain('down')
  })

  test('a failure without an answer in few regions is held back, then counts', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    game.observe(unansweredAt('fra', 'down', t0 + 60_000))
    game.observe(unansweredAt('fra', 'down', t0 + 61_000, { kind: 'confirmation' }))
    expect(game.pass(t0 + 84_999)).toBe('operational')
    expect(game.pass(t0 + 85_000)).toBe('degraded')
    expect(game.state().statusReason).toBe('1 of 4 regions fail (fra): down for the test')
  })

  test.each(['certificate_expired', 'certificate_wrong_host', 'dns_not_found'])(
    'a failure that the agent proved counts when it is confirmed, like a 503: %s',
    (cause) => {
      for (const proven of [true, false]) {
        const game = play(four)
        for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
        game.observe(unansweredAt('fra', 'down', t0 + 60_000, { cause, proven }))
        const asked = unansweredAt('fra', 'down', t0 + 61_000, { cause, proven, kind: 'confirmation' })
        expect(game.observe(asked)).toBe(proven ? 'degraded' : 'operational')
      }
    },
  )

  test('it is held back equally long if the clock of the agent is slow', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    const behindMs = 9_000
    game.observe(unansweredAt('fra', 'down', t0 + 60_000 - behindMs), t0 + 60_000)
    const asked = unansweredAt('fra', 'down', t0 + 61_000 - behindMs, { kind: 'confirmation' })
    game.observe(asked, t0 + 61_000)
    expect(game.pass(t0 + 84_999)).toBe('operational')
    expect(game.pass(t0 + 85_000)).toBe('degraded')
  })

  test('a failure without an answer in most regions counts at once', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    game.observe(unansweredAt('fra', 'down', t0 + 60_000))
    const asked = { kind: 'confirmation', slot: t0 + 60_000 } as const
    expect(game.observe(unansweredAt('iad', 'down', t0 + 60_100, asked))).toBe('operational')
    expect(game.observe(unansweredAt('sjc', 'down', t0 + 60_200, asked))).toBe('down')
  })

  test('regions that fall silent do not turn a split into an outage', () => {
    const game = play(four)
    game.observe(readingAt('iad', 'up', t0))
    game.observe(readingAt('sjc', 'up', t0))
    const later = t0 + staleAfterMs(60)
    game.observe(answerAt('fra', 'down', later))
    game.observe(answerAt('nrt', 'down', later))
    expect(game.state().status).toBe('degraded')
    expect(game.pass(later + 1_000)).toBe('degraded')
    expect(game.observe(readingAt('fra', 'down', later + 60_000))).toBe('down')
  })
})

describe('closing', () => {
  const downEverywhere = () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    for (const region of four.regions) game.observe(answerAt(region, 'down', t0 + 60_000))
    return game
  }

  test('an outage closes with the second good reading per region', () => {
    const game = downEverywhere()
    for (const region of four.regions) {
      expect(game.observe(readingAt(region, 'up', t0 + 120_000))).toBe('down')
    }
    expect(game.observe(readingAt('iad', 'up', t0 + 180_000))).toBe('down')
    expect(game.observe(readingAt('sjc', 'up', t0 + 180_000))).toBe('degraded')
    game.observe(readingAt('fra', 'up', t0 + 180_000))
    expect(game.observe(readingAt('nrt', 'up', t0 + 180_000))).toBe('operational')
  })

  test('a 2-2 split does not oscillate, whichever side reports last', () => {
    const game = downEverywhere()
    for (let round = 2; round < 40; round++) {
      for (const [index, region] of four.regions.entries()) {
        game.observe(readingAt(region, index < 2 ? 'up' : 'down', t0 + round * 60_000 + index))
      }
    }
    expect(game.changes.map((change) => change.to)).toEqual(['operational', 'degraded', 'down', 'degraded'])
  })

  test('a site that answers only challenges after an outage is degraded, not down', () => {
    const game = downEverywhere()
    for (const region of four.regions) game.observe(readingAt(region, 'blocked', t0 + 120_000))
    expect(game.state().status).toBe('degraded')
    expect(game.state().statusReason).toContain('blocked (iad, sjc, fra, nrt)')
  })
})

describe('time', () => {
  test('an unmeasured check becomes stale when its last reading expires', () => {
    const game = play(one)
    game.observe(readingAt('fra', 'up', t0))
    const staleAt = t0 + staleAfterMs(60)
    expect(game.pass(staleAt)).toBe('operational')
    expect(describeStatus(game.state(), one, staleAt).status).toBe('operational')
    expect(describeStatus(game.state(), one, staleAt + 1).status).toBe('stale')
    expect(game.pass(staleAt + 1)).toBe('stale')
    expect(game.changes.at(-1)).toMatchObject({ from: 'operational', to: 'stale', atMs: staleAt })
  })

  test('unobserved silence is recorded as stale before the next reading counts', () => {
    const game = play(one)
    game.observe(readingAt('fra', 'up', t0))
    game.observe(readingAt('fra', 'up', t0 + 3_600_000))
    expect(game.changes.map(({ to, atMs }) => [to, atMs])).toEqual([
      ['operational', t0],
      ['stale', t0 + staleAfterMs(60)],
      ['operational', t0 + 3_600_000],
    ])
  })

  test('a failing region that falls silent and returns well makes nothing worse', () => {
    const game = play(four)
    const others = ['iad', 'sjc', 'fra']
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    game.observe(readingAt('nrt', 'down', t0 + 1))
    game.observe(readingAt('nrt', 'down', t0 + 2, { kind: 'confirmation' }))
    expect(game.state().status).toBe('degraded')
    let nowMs = t0
    while (nowMs < t0 + 2 * staleAfterMs(60)) {
      nowMs += 60_000
      for (const region of others) game.observe(readingAt(region, 'up', nowMs))
    }
    expect(game.state().status).toBe('operational')
    const flips = game.changes.length
    game.observe(readingAt('nrt', 'up', nowMs + 1))
    expect(game.state().status).toBe('operational')
    expect(game.changes).toHaveLength(flips)
  })

  test('time measured but not yet evaluated is no silence', () => {
    const game = play(one)
    game.observe(readingAt('fra', 'up', t0))
    const judgedAt = t0 + staleAfterMs(60) + 30_000
    for (const afterMs of [60_000, 120_000, staleAfterMs(60)]) {
      game.observe(readingAt('fra', 'up', t0 + afterMs), judgedAt)
    }
    expect(game.changes.map(({ to }) => to)).toEqual(['operational'])
    expect(game.pass(judgedAt)).toBe('operational')
  })

  test('a late reading updates the region and flips nothing', () => {
    const game = play(one)
    game.observe(readingAt('fra', 'up', t0))
    const late = readingAt('fra', 'down', t0 + 60_000)
    expect(game.observe(late, late.measuredAt + staleAfterMs(60) + 1)).not.toBe('down')
    expect(game.changes.map((change) => change.to)).not.toContain('down')
  })

  test('a reading from a clock that runs ahead counts as measured when it arrived', () => {
    const game = play(one)
    game.observe(readingAt('fra', 'up', t0 + 300_000), t0)
    expect(describeStatus(game.state(), one, t0).measuredAt).toBe(new Date(t0).toISOString())
  })
})

describe('evidence', () => {
  test('the same reading twice is counted once', () => {
    const game = play(one)
    game.observe(answerAt('fra', 'down', t0))
    const first = readingAt('fra', 'up', t0 + 60_000)
    game.observe(first)
    game.observe(first)
    expect(game.state().status).toBe('down')
  })

  test('a region that starts to fail requests all regions, until the check is down', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    game.observe(readingAt('sjc', 'down', t0 + 60_000))
    game.observe(answerAt('fra', 'down', t0 + 60_500, t0 + 60_000))
    game.observe(readingAt('nrt', 'down', t0 + 61_000))
    expect(game.confirmed).toEqual([four.regions, four.regions])
  })

  test('the first good slot requests all regions, and a recovering region once more', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    for (const region of four.regions) game.observe(answerAt(region, 'down', t0 + 60_000))
    const at = t0 + 90_000
    game.observe(readingAt('fra', 'up', at))
    for (const region of four.regions) game.observe(answerAt(region, 'up', at + 100, at))
    for (const region of four.regions) game.observe(answerAt(region, 'up', at + 200, at + 100))
    expect(game.confirmed).toEqual([four.regions, ['iad'], ['sjc'], ['nrt']])
    expect(game.state().status).toBe('operational')
  })

  test('a region that returns well after long silence has nothing to recover from', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'up', t0))
    game.observe(answerAt('fra', 'down', t0 + 60_000))
    for (let round = 2; round < 12; round++) {
      for (const region of ['iad', 'sjc', 'nrt']) {
        game.observe(readingAt(region, 'up', t0 + round * 60_000))
      }
    }
    const before = game.changes.length
    expect(game.observe(readingAt('fra', 'up', t0 + 12 * 60_000))).toBe('operational')
    expect(game.changes.slice(before).map(({ to }) => to)).not.toContain('degraded')
  })

  test('an unmeasured slot explains stale and never counts against the target', () => {
    const game = play(one)
    game.observe(readingAt('fra', 'up', t0))
    const later = t0 + staleAfterMs(60) + 1
    game.observe(readingAt('fra', 'unmeasured', later, { reason: 'the probe has no working network' }))
    const described = describeStatus(game.state(), one, later)
    expect(described.status).toBe('stale')
    expect(described.statusReason).toBe('not measured: the probe has no working network')
    expect(described.regionStatuses[0]).toMatchObject({ status: 'stale', fresh: false })
  })

  test('a removed region no longer counts', () => {
    const game = play(four)
    for (const region of four.regions) game.observe(readingAt(region, 'down', t0))
    const described = describeStatus(game.state(), { ...four, regions: ['ams'] }, t0)
    expect(described.status).toBe('unknown')
    expect(described.regionStatuses.map((region) => region.region)).toEqual(['ams'])
  })
})
