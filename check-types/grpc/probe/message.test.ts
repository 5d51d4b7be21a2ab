import fc from 'fast-check'
import { service as health } from 'grpc-health-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { decodeResponse, encodeRequest } from './message.ts'

/** The messages of protobuf.js, by the protocol's own definition. */
const check = health['Check']
if (check === undefined) throw new Error('the definition has no Check')

const framed = (message: Uint8Array, flag = 0): Buffer => {
  const prefix = Buffer.from([flag, 0, 0, 0, 0])
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}
const of = (...bytes: number[]): Buffer => framed(Uint8Array.from(bytes))

describe('a request', () => {
  test('is read by protobuf.js with the same service', () => {
    forAll([fc.string({ unit: 'grapheme', maxLength: 200 })], (service) => {
      const bytes = encodeRequest(service)
      expect(bytes[0]).toBe(0)
      expect(bytes.readUInt32BE(1)).toBe(bytes.length - 5)
      expect(check.requestDeserialize(bytes.subarray(5))).toEqual({ service })
    })
  })

  test('of the whole server has an empty message', () => {
    expect([...encodeRequest('')]).toEqual([0, 0, 0, 0, 0])
  })
})

describe('an answer', () => {
  test.each(['SERVING', 'NOT_SERVING', 'UNKNOWN', 'SERVICE_UNKNOWN'])('of protobuf.js: %s', (status) => {
    expect(decodeResponse(framed(check.responseSerialize({ status })))).toEqual({ ok: true, status })
  })

  test.each([
    ['nothing is the default', of(), 'UNKNOWN'],
    ['the last value counts', of(8, 2, 8, 1), 'SERVING'],
    ['a long number is the same', of(8, 0x81, 0x80, 0x80, 0), 'SERVING'],
    [
      'unknown fields are skipped',
      of(16, 9, 25, ...Buffer.alloc(8), 34, 2, 8, 2, 45, 0, 0, 0, 0, 8, 1),
      'SERVING',
    ],
    ['the same field of another type is unknown', of(8, 1, 10, 1, 2), 'SERVING'],
  ])('%s', (_, bytes, status) => expect(decodeResponse(bytes)).toEqual({ ok: true, status }))

  test.each([
    [Buffer.alloc(0), 'there is no message'],
    [Buffer.alloc(4), 'the message is cut'],
    [of(8, 1).subarray(0, 6), 'the message is cut'],
    [Buffer.concat([of(8, 1), of(8, 1)]), 'there is more than one message'],
    [framed(Buffer.from([8, 1]), 1), 'the message is compressed, which the probe did not offer'],
    [Buffer.from('<html></html>'), 'the message has no valid prefix'],
    [Buffer.from([0, 0xff, 0xff, 0xff, 0xff]), 'the message has more than 4 KB'],
    [of(8), 'the message is cut'],
    [of(8, ...Buffer.alloc(11, 0xff)), 'the message is cut'],
    [of(18, 0xff, 0xff, 0xff, 0xff, 0x0f), 'the message is cut'],
    [of(25, 1), 'the message is cut'],
    [of(0, 1), 'the message has an invalid field'],
    [of(11, 12), 'the message has an invalid field'],
    [of(8, 4), 'the status 4 is not known'],
    [of(8, ...Buffer.alloc(9, 0xff), 1), 'the status -1 is not known'],
  ])('that is wrong has a problem: %j', (bytes, problem) => {
    expect(decodeResponse(bytes)).toEqual({ ok: false, problem })
  })

  test('never throws, and agrees with protobuf.js where that reads a known status', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .array(fc.constantFrom(0, 1, 2, 3, 8, 16, 18, 29, 0x81), { maxLength: 12 })
        .map(Uint8Array.from.bind(Uint8Array)),
    )
    forAll([bytes], (message) => {
      expect(decodeResponse(Buffer.from(message))).toHaveProperty('ok')
      const decoded = decodeResponse(framed(message))
      if (!decoded.ok) return
      expect(check.responseDeserialize(Buffer.from(message))).toEqual({ status: decoded.status })
    })
  })
})
