import { describe, expect, test } from 'vitest'
import { createConnectivity } from './connectivity.ts'
import { createOfflineRest } from './offline-rest.ts'
import { answering, assignmentOf, contextOf, ok, setUp } from './testing/run.ts'
import { resolverOf } from '../request/testing/ask.ts'

const offline = { offline: true, answered: false }
const up = { offline: false, answered: true }

const world = () => {
  const clock = { ms: 100_000, lostSince: 90_000 as number | null }
  const rest = createOfflineRest({ lostSince: () => clock.lostSince }, () => clock.ms)
  /** Which of these checks are attempted, when each is due now. */
  const attempted = (...checks: string[]): string[] => checks.filter((check) => !rest.skips(check))
  return { clock, rest, attempted }
}

describe('while the network is lost', () => {
  test('a check rests after an attempt that found so; others are attempted', () => {
    const { rest, attempted } = world()
    rest.note('a', offline)
    rest.note('b', { offline: false, answered: false })
    // the first of those that rest looks whether the network is back
    expect(attempted('a', 'b', 'c')).toEqual(['a', 'b', 'c'])
    expect(attempted('a', 'b', 'c')).toEqual(['b', 'c'])
  })

  test('one resting check in 10 s is attempted', () => {
    const { clock, rest, attempted } = world()
    for (const check of ['a', 'b', 'c']) rest.note(check, offline)
    const seen: string[] = []
    for (let n = 0; n < 30; n += 1) {
      seen.push(...attempted('a', 'b', 'c'))
      clock.ms += 1_000
    }
    expect(seen).toHaveLength(3)
  })

  test('the answer of any target wakes all', () => {
    const { rest, attempted } = world()
    for (const check of ['a', 'b', 'c']) rest.note(check, offline)
    attempted('a')
    expect(attempted('a', 'b', 'c')).toEqual([])
    rest.note('other', up)
    expect(attempted('a', 'b', 'c')).toEqual(['a', 'b', 'c'])
  })

  test('a canary that answers wakes all, and a new loss lets none rest before its own attempt', () => {
    const { clock, rest, attempted } = world()
    for (const check of ['a', 'b']) rest.note(check, offline)
    attempted('a')
    clock.lostSince = null
    expect(attempted('a', 'b')).toEqual(['a', 'b'])
    clock.lostSince = clock.ms
    expect(attempted('a', 'b')).toEqual(['a', 'b'])
  })
})

describe('no check rests for the sake of others', () => {
  /** Attempts of checks while none is answered: the slots of check `n` of `count` begin at its share of the interval. */
  const attemptsOf = (count: number, intervalMs: number, forMs: number) => {
    const { clock, rest } = world()
    const checks = Array.from({ length: count }, (_, n) => `check ${n}`)
    const attempts = new Map(checks.map((check): [string, number[]] => [check, [0]]))
    for (const check of checks) rest.note(check, offline)
    const startMs = clock.ms
    for (let ms = 0; ms < forMs; ms += intervalMs / count) {
      const check = checks[Math.round((ms % intervalMs) / (intervalMs / count))] ?? ''
      clock.ms = startMs + ms
      if (!rest.skips(check)) attempts.get(check)?.push(ms)
    }
    const gaps = [...attempts.values()].map((all) =>
      Math.max(...all.map((ms, n) => (all[n + 1] ?? forMs) - ms)),
    )
    return { longestMs: Math.max(...gaps), attempts: [...attempts.values()].flat().length - count }
  }

  test('where one is always the first of 10 s, the other is attempted too', () => {
    expect(attemptsOf(2, 10_000, 600_000).longestMs).toBeLessThanOrEqual(50_000)
  })

  test.each([
    [30, 60_000],
    [1_000, 10_000],
    [1_000, 300_000],
  ])(
    'each of %i is attempted within 10 min and an interval of %i ms, and few runs are',
    (count, intervalMs) => {
      const { longestMs, attempts } = attemptsOf(count, intervalMs, 3_600_000)
      expect(longestMs).toBeLessThanOrEqual(600_000 + intervalMs)
      expect(attempts).toBeLessThanOrEqual(3_600_000 / 10_000 + count * 6)
    },
  )

  test('a loss that none of them found lets none rest, also where nobody looked meanwhile', () => {
    const { clock, rest, attempted } = world()
    rest.note('a', offline)
    attempted('a')
    clock.ms += 1_000
    clock.lostSince = clock.ms
    expect(attempted('a')).toEqual(['a'])
  })
})

test('without knowledge of the canaries no check rests', () => {
  const rest = createOfflineRest({})
  rest.note('a', offline)
  expect([rest.skips('a'), rest.skips('a')]).toEqual([false, false])
})

describe('a run of an agent without a network', () => {
  const lost = () => {
    const clock = { ms: 0, works: false }
    const connectivity = createConnectivity({
      canaries: [{ host: 'canary', port: 1 }],
      reach: async () => clock.works,
      now: () => (clock.ms += 10_000),
    })
    let asked = 0
    const nowhere = resolverOf({ 'site.example.com': 'ENOTFOUND' })
    const resolver = {
      ...nowhere,
      resolve4: (name: string) => ((asked += 1), nowhere.resolve4(name)),
    }
    const { run } = setUp({ resolver, connectivity })
    const attempts = async (work: Promise<unknown>): Promise<number> => {
      const before = asked
      await work
      return asked - before
    }
    return { clock, connectivity, run, attempts }
  }
  const [one, other] = [
    '0190a000-0000-7000-8000-000000000001',
    '0190a000-0000-7000-8000-000000000002',
  ] as const
  const url = 'http://site.example.com/'

  test('is unmeasured with the same cause, without an attempt; a run on demand is attempted', async () => {
    const { run, attempts } = lost()
    for (const checkId of [one, other]) await run(url, { checkId })
    await run(url, { checkId: one })
    let reading: unknown
    expect(await attempts(run(url, { checkId: other }).then((last) => (reading = last)))).toBe(0)
    expect(reading).toMatchObject({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'probe_offline',
      attempts: 0,
    })
    const asked = run(url, { checkId: other }, contextOf({ kind: 'manual' }))
    expect(await attempts(asked)).toBeGreaterThan(0)
  })

  test('is attempted again after any target answered, and after the canaries answer', async () => {
    const { clock, connectivity, run, attempts } = lost()
    const rests = async (): Promise<void> => {
      for (const checkId of [one, other, one]) await run(url, { checkId })
      expect(await attempts(run(url, { checkId: other }))).toBe(0)
    }
    await rests()
    await run((await answering(ok)).url, { checkId: '0190a000-0000-7000-8000-000000000003' })
    expect(await attempts(run(url, { checkId: other }))).toBeGreaterThan(0)
    await rests()
    clock.works = true
    await connectivity.online()
    expect(await attempts(run(url, { checkId: other }))).toBeGreaterThan(0)
  })
})

test('the region counts: the same check rests only where it found no network', () => {
  const { rest, attempted } = world()
  const { region, checkId } = assignmentOf(url)
  rest.note(`${region} ${checkId}`, offline)
  attempted(`${region} ${checkId}`)
  expect(attempted(`${region} ${checkId}`, `nrt ${checkId}`)).toEqual([`nrt ${checkId}`])
})

const url = 'http://site.example.com/'
