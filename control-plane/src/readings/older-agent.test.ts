import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { expect, test } from 'vitest'
import { decodeMessage } from './decode.ts'

const storedAt = Date.parse('2026-11-22T10:00:05Z')
const checkId = '0199aaaa-0000-7000-8000-000000000001'
const partition = partitionOf(checkId)

/** A message as the first agents wrote it, byte for byte: before `after`, `details` and `screenshot`. */
const recorded = `{"version":1,"agent":"fra-1","region":"fra","partition":${partition},"batch":7,"readings":[{"checkId":"${checkId}","region":"fra","slot":1795341600000,"kind":"scheduled","number":0,"verdict":"up","fault":"none","cause":"ok","reason":null,"httpStatus":200,"latencyMs":12.3,"timings":{"dnsMs":1,"connectMs":2,"tlsMs":3,"ttfbMs":4,"transferMs":2.3},"measuredAt":1795341600010,"attempts":1,"lateMs":10,"address":"192.0.2.1","certificateExpiresAt":null}]}`

const decode = (text: string) => decodeMessage({ partition, sequence: 1, data: Buffer.from(text), storedAt })

test('stores readings of older agents unchanged', () => {
  const decoded = decode(recorded)
  expect(decoded.poison).toEqual([])
  expect(decoded.sender).toEqual({ agent: 'fra-1', region: 'fra', batch: 7, after: null })
  expect(decoded.readings).toMatchObject([{ checkId, verdict: 'up', latencyMs: 12.3 }])
  expect(decoded.readings[0]?.details).toBeUndefined()
})

test('ignores fields that newer agents add', () => {
  const newer = recorded
    .replace('"batch":7', '"batch":7,"colour":"red"')
    .replace('"attempts":1', '"attempts":1,"quic":{"version":2}')
  const decoded = decode(newer)
  expect(decoded.poison).toEqual([])
  expect(decoded.readings).toEqual(decode(recorded).readings)
})

test('rejects a message of another format version as a whole, with the reason', () => {
  const decoded = decode(recorded.replace('"version":1', '"version":2'))
  expect(decoded.readings).toEqual([])
  expect(decoded.poison).toMatchObject([{ reason: expect.stringMatching(/version/) }])
})

test('rejects a reading with an unknown verdict and stores the others', () => {
  const reading = /\[(?<one>\{.*\})\]/.exec(recorded)?.groups?.['one'] ?? ''
  const other = reading.replace('"up"', '"sideways"')
  const decoded = decode(recorded.replace(reading, `${other},${reading}`))
  expect(decoded.readings).toHaveLength(1)
  expect(decoded.poison).toHaveLength(1)
})
