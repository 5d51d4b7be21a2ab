import type { StreamMessage } from '@probe-mesh/bus/port'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { expect, test } from 'vitest'
import { readingAt } from '../status/testing.ts'
import { createDecodeOnce } from './decode-once.ts'

const now = Date.now()
const message = (sequence: number, latencyMs = 1): StreamMessage => {
  const reading = { ...readingAt('fra', 'up', now), latencyMs }
  const partition = partitionOf(reading.checkId)
  const head = { version: 1, agent: 'a', region: 'fra', partition, batch: 1 }
  const data = Buffer.from(JSON.stringify({ ...head, readings: [reading] }))
  return { partition, sequence, data, storedAt: now }
}
const latencyIn = (decoded: { readings: { latencyMs: number | null }[] }) => decoded.readings[0]?.latencyMs

test('the second reader gets the decoded message of the first', () => {
  const decode = createDecodeOnce()
  const [first, second] = [decode(message(1)), decode(message(1))]
  expect(second).toBe(first)
  expect(latencyIn(second)).toBe(1)
})

test('a message of a new stream is not confused with an old one of the same sequence', () => {
  const decode = createDecodeOnce()
  decode(message(1, 1))
  expect(latencyIn(decode(message(1, 2)))).toBe(2)
})

test('drops messages that no second reader fetches', () => {
  const decode = createDecodeOnce()
  const first = decode(message(0))
  for (let n = 1; n <= 2_000; n++) decode(message(n))
  expect(decode(message(0))).not.toBe(first)
})
