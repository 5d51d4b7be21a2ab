import { aReading } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { ReadingsMessage } from '@probe-mesh/contracts/reading/reading'
import { describe, expect, test } from 'vitest'
import { encodeReading } from './spool/spool.ts'
import { backoffMs } from './backoff.ts'
import { encodeMessage, messageIdOf } from './message.ts'

const head = { agent: 'fra-1', region: 'fra', partition: 3, batch: 17, after: 16 }

describe('a message of readings', () => {
  test.each([0, 1, 2, 100])('contains %i readings in the form of the schema', (count) => {
    const readings = Array.from({ length: count }, () => aReading({ reason: 'quotes " and ü' }))
    const bytes = encodeMessage(
      head,
      readings.map((reading) => encodeReading(reading).bytes),
    )
    const parsed = ReadingsMessage.parse(JSON.parse(Buffer.from(bytes).toString()))
    expect(parsed).toEqual({ version: 1, ...head, readings })
  })

  test('is named by its agent, partition and batch', () => {
    expect(messageIdOf(head)).toBe('fra-1:3:17')
  })
})

describe('the pause before a retry', () => {
  test('is anything from nothing to a doubling bound of at most 30 s', () => {
    expect([0, 1, 2].map((attempt) => backoffMs(attempt, 1))).toEqual([100, 200, 400])
    expect(backoffMs(3, 0)).toBe(0)
    expect(backoffMs(9, 1)).toBe(30_000)
    expect(backoffMs(5_000, 0.5)).toBe(15_000)
  })
})
