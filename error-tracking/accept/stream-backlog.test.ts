import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createStreamBacklog } from './stream-backlog.ts'

test('a backlog is full for its own account only, until enough is processed', () => {
  const backlog = createStreamBacklog({ messages: 250, bytes: 1_000_000 })
  for (let sequence = 1; sequence <= 250; sequence++) {
    expect(backlog.isFull('hog')).toBe(false)
    backlog.add('hog', { partition: 1, sequence, bytes: 10 })
  }
  expect(backlog.isFull('hog')).toBe(true)
  expect(backlog.isFull('other')).toBe(false)
  backlog.counted(2, 1_000)
  backlog.counted(1, 99)
  expect(backlog.isFull('hog')).toBe(true)
  backlog.counted(1, 100)
  expect(backlog.isFull('hog')).toBe(false)
  backlog.counted(1, 250)
  expect(backlog.size()).toBe(0)
  expect(backlog.partitions()).toEqual([])
})

test('limits bytes as well as messages', () => {
  const backlog = createStreamBacklog({ messages: 1_000, bytes: 100 })
  backlog.add('hog', { partition: 0, sequence: 1, bytes: 100 })
  expect(backlog.isFull('hog')).toBe(true)
})

test('the size is never less than the number of waiting messages', () => {
  const step = fc.record({
    account: fc.nat(3),
    partition: fc.nat(2),
    messages: fc.nat(250),
    counted: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  forAll([fc.array(step, { maxLength: 20 })], (steps) => {
    const backlog = createStreamBacklog({ messages: 1e9, bytes: 1e9 })
    const waiting: { partition: number; sequence: number }[] = []
    let sequence = 0
    for (const { account, partition, messages, counted } of steps) {
      for (let n = 0; n < messages; n++) {
        sequence += 1
        backlog.add(`a${account}`, { partition, sequence, bytes: 1 })
        waiting.push({ partition, sequence })
      }
      const upTo = Math.floor(sequence * counted)
      backlog.counted(partition, upTo)
      const left = waiting.filter((one) => one.partition !== partition || one.sequence > upTo)
      waiting.splice(0, waiting.length, ...left)
      expect(backlog.size()).toBeGreaterThanOrEqual(waiting.length)
    }
    for (const partition of [0, 1, 2]) backlog.counted(partition, sequence)
    expect(backlog.size()).toBe(0)
  })
})
