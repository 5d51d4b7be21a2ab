import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import {
  singlesPerMinuteMax,
  addToBatch,
  messagesPerMinuteMax,
  newBatch,
  closeBatch,
  type MessageBatch,
} from './message-batch.ts'
import { t0 } from './testing.ts'

test('sends a message that arrives alone after two seconds', () => {
  const batch = addToBatch(newBatch, t0)
  expect(batch.sendAtMs).toBe(t0 + 2_000)
  expect(closeBatch(batch, 1, t0 + 2_000)).toMatchObject({ asDigest: false })
})

test('extends the wait with each message, up to fifteen seconds', () => {
  let batch = newBatch
  for (let ms = 0; ms <= 14_900; ms += 100) batch = addToBatch(batch, t0 + ms)
  expect(batch.sendAtMs).toBe(t0 + 15_000)
})

test('sends one digest a minute after the first digest', () => {
  const { batch, asDigest } = closeBatch(addToBatch(newBatch, t0), 6, t0 + 2_000)
  expect(asDigest).toBe(true)
  const several = addToBatch(addToBatch(batch, t0 + 10_000), t0 + 11_000)
  expect(several.sendAtMs).toBe(t0 + 62_000)
  expect(addToBatch(batch, t0 + 62_000).sendAtMs).toBe(t0 + 64_000)
})

test('sends a message that arrives alone without waiting for the next digest', () => {
  let { batch } = closeBatch(addToBatch(newBatch, t0), 6, t0 + 2_000)
  for (let n = 0; n < singlesPerMinuteMax; n++) {
    const cameMs = t0 + 10_000 + n * 5_000
    batch = addToBatch(batch, cameMs)
    expect(batch.sendAtMs).toBe(cameMs + 2_000)
    const sent = closeBatch(batch, 1, cameMs + 2_000)
    expect(sent.asDigest).toBe(false)
    batch = sent.batch
  }
  // the allowance for single messages is used up
  expect(addToBatch(batch, t0 + 50_000).sendAtMs).toBe(t0 + 62_000)
})

test('sends up to ten messages a minute singly and the rest as one digest', () => {
  let batch: MessageBatch = newBatch
  const sent: number[] = []
  let waiting = 0
  for (let ms = 0; ms < 60_000; ms += 500) {
    if (ms % 3_000 === 0) {
      batch = addToBatch(batch, t0 + ms)
      waiting += 1
    }
    if (batch.sendAtMs !== null && batch.sendAtMs <= t0 + ms) {
      sent.push(waiting)
      batch = closeBatch(batch, waiting, t0 + ms).batch
      waiting = 0
    }
  }
  expect(sent).toEqual(Array(10).fill(1))
  expect(waiting).toBe(10)
  expect(batch.sendAtMs).toBe(t0 + 62_000)
  expect(closeBatch(batch, 10, t0 + 62_000).asDigest).toBe(true)
})

test('delays no message by more than 62 s and sends at most twenty a minute', () => {
  forAll([fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 })], { numRuns: 500 }, (gaps) => {
    let batch: MessageBatch = newBatch
    let nowMs = t0
    let waiting: number[] = []
    const sent: number[] = []
    const sendUntil = (untilMs: number): void => {
      while (batch.sendAtMs !== null && batch.sendAtMs <= untilMs) {
        const atMs = batch.sendAtMs
        const { batch: next, asDigest } = closeBatch(batch, waiting.length, atMs)
        for (const cameMs of waiting) expect(atMs - cameMs).toBeLessThanOrEqual(62_000)
        sent.push(...(asDigest ? [atMs] : waiting.map(() => atMs)))
        waiting = []
        batch = next
      }
    }
    for (const gap of gaps) {
      nowMs += gap
      sendUntil(nowMs)
      batch = addToBatch(batch, nowMs)
      waiting.push(nowMs)
    }
    sendUntil(nowMs + 120_000)
    expect(waiting).toEqual([])
    for (const atMs of sent) {
      const minute = sent.filter((other) => other >= atMs && other < atMs + 60_000)
      expect(minute.length).toBeLessThanOrEqual(2 * (messagesPerMinuteMax + singlesPerMinuteMax))
    }
  })
})
