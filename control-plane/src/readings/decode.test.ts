import { limits } from '@probe-mesh/contracts/schema/limits'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { expect, test } from 'vitest'
import { readingAt } from '../status/testing.ts'
import { aheadReason, decodeMessage } from './decode.ts'
import { poisonOf, poisonPayloadBytesMax } from './poison.ts'

const now = Date.now()
const reading = readingAt('fra', 'up', now)
const partition = partitionOf(reading.checkId)
const head = `"version":1,"agent":"fra-1","region":"fra","partition":${partition},"batch":1`
const message = (readings: string): string => `{${head},"readings":[${readings}]}`
const sound = JSON.stringify(reading)
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const decode = (text: string | Uint8Array, region?: string) =>
  decodeMessage({
    partition,
    sequence: 1,
    data: typeof text === 'string' ? Buffer.from(text) : text,
    storedAt: now,
    ...(region === undefined ? {} : { region }),
  })

test.each([
  ['nested 4,385 deep', message(`{"x":${nested(4_385)}}`), 'nested deeper'],
  ['nested 20,000 deep', message(nested(20_000)), 'nested deeper'],
  ['cut off inside 200,000 levels', '['.repeat(200_000), 'nested deeper'],
  ['of 100,000 readings', message(Array(100_000).fill('0').join()), 'more than 100 readings'],
  ['of readings that are no list', `{${head},"readings":{"length":1e9}}`, 'not a message'],
  ['null', 'null', 'not a message'],
  ['broken', '{"version":1,', 'not JSON'],
  ['empty', '', 'not JSON'],
  ['larger than any', `"${'x'.repeat(limits.readingsMessageBytesMax)}"`, 'larger than'],
])('a message that is %s is poison as a whole', (_, text, reason) => {
  const decoded = decode(text)
  expect(decoded).toMatchObject({ sender: null, readings: [] })
  expect(decoded.poison).toMatchObject([{ reason: expect.stringContaining(reason) }])
})

test('a deeply nested reading does not affect the others', () => {
  const depth = limits.jsonDepthMax - 3
  const decoded = decode(message(`${sound},{"checkId":${nested(depth)}},${sound}`))
  expect(decoded.readings).toHaveLength(2)
  expect(decoded.poison).toHaveLength(1)
})

test.each([90_000, 3_700_000])(
  'a reading %i ms ahead of its arrival is put aside with that as the reason, its neighbour is not',
  (aheadMs) => {
    const at = now + aheadMs
    const ahead = JSON.stringify({ ...reading, slot: at, measuredAt: at })
    const decoded = decode(message(`${ahead},${sound}`))
    expect(decoded.readings).toHaveLength(1)
    expect(decoded.poison).toMatchObject([{ reason: aheadReason }])
  },
)

test('a reading of a type that only a newer version knows counts without its details', () => {
  const newer = { ...reading, details: { type: 'quic', streams: 3 } }
  const decoded = decode(message(JSON.stringify(newer)))
  expect(decoded.readings).toEqual([{ ...reading, details: null }])
  expect(decoded.poison).toEqual([])
  const wrong = { ...reading, details: { type: 'tcp' } }
  expect(decode(message(JSON.stringify(wrong))).poison).toHaveLength(1)
})

test('rejects a message that names another region than its publisher', () => {
  expect(decode(message(sound), 'fra').readings).toHaveLength(1)
  const forged = decode(message(sound), 'iad')
  expect(forged).toMatchObject({ sender: null, readings: [] })
  expect(poisonOf([forged], now)).toMatchObject([{ owner: 'iad' }])
})

test('stored poison is bounded and valid text', () => {
  const long = JSON.stringify({ 'a\0\ud800': 'x'.repeat(200_000) })
  const decoded = decode(message(`${long},{"checkId":"\\u0000\\ud800"}`))
  for (const { payload, reason, owner } of poisonOf([decoded], now)) {
    expect(payload.length).toBeLessThanOrEqual(poisonPayloadBytesMax)
    expect(reason).not.toContain('\0')
    expect(reason.isWellFormed()).toBe(true)
    expect(owner).toBe('fra')
  }
})
