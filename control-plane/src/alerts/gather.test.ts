import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alonePerPaceMax, gather, messagesPerPaceMax, newGathering, release } from './gather.ts'
import type { Gathering } from './gather.ts'
import { t0 } from './testing.ts'

test('one message alone is sent after two seconds', () => {
  const gathering = gather(newGathering, t0)
  expect(gathering.sendAtMs).toBe(t0 + 2_000)
  expect(release(gathering, 1, t0 + 2_000)).toMatchObject({ asDigest: false })
})

test('each that comes makes the others wait, for fifteen seconds at most', () => {
  let gathering = newGathering
  for (let ms = 0; ms <= 14_900; ms += 100) gathering = gather(gathering, t0 + ms)
  expect(gathering.sendAtMs).toBe(t0 + 15_000)
})

test('after a digest there is one a minute', () => {
  const { gathering, asDigest } = release(gather(newGathering, t0), 6, t0 + 2_000)
  expect(asDigest).toBe(true)
  const several = gather(gather(gathering, t0 + 10_000), t0 + 11_000)
  expect(several.sendAtMs).toBe(t0 + 62_000)
  expect(gather(gathering, t0 + 62_000).sendAtMs).toBe(t0 + 64_000)
})

test('one that comes alone is not held back by the minute of the digest', () => {
  let { gathering } = release(gather(newGathering, t0), 6, t0 + 2_000)
  for (let n = 0; n < alonePerPaceMax; n++) {
    const cameMs = t0 + 10_000 + n * 5_000
    gathering = gather(gathering, cameMs)
    expect(gathering.sendAtMs).toBe(cameMs + 2_000)
    const sent = release(gathering, 1, cameMs + 2_000)
    expect(sent.asDigest).toBe(false)
    gathering = sent.gathering
  }
  // so many, and no more
  expect(gather(gathering, t0 + 50_000).sendAtMs).toBe(t0 + 62_000)
})

test('messages that trickle in are told singly up to ten a minute, the rest as one', () => {
  let gathering: Gathering = newGathering
  const told: number[] = []
  let waiting = 0
  for (let ms = 0; ms < 60_000; ms += 500) {
    if (ms % 3_000 === 0) {
      gathering = gather(gathering, t0 + ms)
      waiting += 1
    }
    if (gathering.sendAtMs !== null && gathering.sendAtMs <= t0 + ms) {
      told.push(waiting)
      gathering = release(gathering, waiting, t0 + ms).gathering
      waiting = 0
    }
  }
  expect(told).toEqual(Array(10).fill(1))
  expect(waiting).toBe(10)
  expect(gathering.sendAtMs).toBe(t0 + 62_000)
  expect(release(gathering, 10, t0 + 62_000).asDigest).toBe(true)
})

test('whatever comes, nothing waits longer than 62 seconds and a minute has twenty messages at most', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 }), (gaps) => {
      let gathering: Gathering = newGathering
      let nowMs = t0
      let waiting: number[] = []
      const sent: number[] = []
      const sendUntil = (untilMs: number): void => {
        while (gathering.sendAtMs !== null && gathering.sendAtMs <= untilMs) {
          const atMs = gathering.sendAtMs
          const { gathering: next, asDigest } = release(gathering, waiting.length, atMs)
          for (const cameMs of waiting) expect(atMs - cameMs).toBeLessThanOrEqual(62_000)
          sent.push(...(asDigest ? [atMs] : waiting.map(() => atMs)))
          waiting = []
          gathering = next
        }
      }
      for (const gap of gaps) {
        nowMs += gap
        sendUntil(nowMs)
        gathering = gather(gathering, nowMs)
        waiting.push(nowMs)
      }
      sendUntil(nowMs + 120_000)
      expect(waiting).toEqual([])
      for (const atMs of sent) {
        const minute = sent.filter((other) => other >= atMs && other < atMs + 60_000)
        expect(minute.length).toBeLessThanOrEqual(2 * (messagesPerPaceMax + alonePerPaceMax))
      }
    }),
    { numRuns: 500 },
  )
})
