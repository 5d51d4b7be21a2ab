import type { StreamConsumer, StreamMessage } from '@probe-mesh/bus/port'
import { expect, test } from 'vitest'
import type { Holding } from './context.ts'
import { createPending } from './pending.ts'
import { createStoredSlots } from './stored-slots.ts'

const unused = () => Promise.reject(new Error('not asked here'))
const consumer: StreamConsumer = {
  fetch: unused,
  acknowledge: unused,
  lag: unused,
  close: unused,
}
const hold = (partition: number, epoch: number) => {
  const leaving = new AbortController()
  const holding: Holding = {
    lease: { partition, epoch },
    consumer,
    slots: createStoredSlots(),
    marks: new Map(),
    signal: leaving.signal,
  }
  return { holding, leave: () => leaving.abort() }
}
const message = (partition: number, sequence: number, bytes = 10): StreamMessage => ({
  partition,
  sequence,
  data: new Uint8Array(bytes),
  storedAt: 0,
})
const sequences = (taken: readonly { message: StreamMessage }[]) =>
  taken.map((one) => `${one.message.partition}:${one.message.sequence}`)

test('a batch never joins messages fetched under two leases of one partition', () => {
  const pending = createPending(() => {})
  const [former, present, other] = [hold(1, 1), hold(1, 2), hold(2, 1)]
  pending.add(former.holding, [message(1, 90), message(1, 91)], 0)
  pending.add(other.holding, [message(2, 7)], 0)
  former.leave()
  pending.add(present.holding, [message(1, 50), message(1, 51)], 0)
  expect(sequences(pending.take())).toEqual(['1:50', '1:51', '2:7'])
  expect(pending.dueAt()).toBeNull()
})

test('a batch is in order, within its bounds, and the rest stays', () => {
  const pending = createPending(() => {})
  const { holding } = hold(1, 1)
  pending.add(
    holding,
    Array.from({ length: 1_200 }, (_, n) => message(1, n)),
    0,
  )
  expect(pending.isSealed()).toBe(true)
  expect(pending.take()).toHaveLength(1_000)
  expect(sequences(pending.take()).at(0)).toBe('1:1000')
  const large = 5 * 1024 * 1024
  pending.add(
    holding,
    [1, 2, 3, 4].map((n) => message(1, n, large)),
    0,
  )
  expect(pending.isFull()).toBe(true)
  expect(pending.take()).toHaveLength(2)
  expect(pending.isFull()).toBe(false)
})

test.each([
  ['one that measured', ['{"verdict":"up"}'], 700],
  ['one without a measurement', ['{"verdict":"unmeasured"}'], 4_900],
  ['both', ['{"verdict":"unmeasured"}', '{"verdict":"unmeasured"},{"verdict":"down"}'], 700],
  ['one that cannot be read', ['{}'], 700],
])('a batch waits longer only where nothing was measured: %s', (_, texts, dueAt) => {
  const pending = createPending(() => {})
  const messages = texts.map((text, n) => ({ ...message(1, n), data: Buffer.from(text) }))
  pending.add(hold(1, 1).holding, messages, 0)
  expect(pending.dueAt()).toBe(dueAt)
  pending.take()
  pending.add(hold(1, 1).holding, [message(1, 9)], 10_000)
  expect(pending.dueAt()).toBe(10_700)
})
