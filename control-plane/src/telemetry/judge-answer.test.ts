import { describe, expect, test } from 'vitest'
import { judgeAnswer } from './judge-answer.ts'

const json = 'application/json'
const protobuf = 'application/x-protobuf'

type More = {
  encoding?: 'json' | 'protobuf'
  signal?: 'traces' | 'metrics'
  retryAfter?: string | null
  cut?: boolean
}
const judged = async (
  httpStatus: number,
  contentType: string | null,
  body: string | Buffer,
  more: More = {},
) => {
  const { encoding = 'json', signal = 'traces', retryAfter = null, cut = false } = more
  return judgeAnswer(
    { signal, encoding },
    { httpStatus, retryAfter, contentType, bytes: Buffer.from(body), cut },
    '',
    0,
  )
}

/** Messages as the definitions of OpenTelemetry encode them. */
const partial = Buffer.from('0a0808021204736f2069', 'hex')
const warned = Buffer.from('0a0412026869', 'hex')

describe('a success is 2xx with a message of OTLP or with nothing', () => {
  test.each<[string, number, string | null, string | Buffer, More, number]>([
    ['the whole', 200, json, '{}', {}, 0],
    ['nothing, as JSON', 200, json, '', {}, 0],
    ['nothing, without a type', 200, null, '', {}, 0],
    ['nothing, as protobuf', 200, protobuf, '', { encoding: 'protobuf' }, 0],
    ['202 without a body', 202, null, '', {}, 0],
    ['204', 204, null, '', {}, 0],
    ['a charset', 200, 'application/json; charset=utf-8', '{"partialSuccess":{}}', {}, 0],
    ['null for no partial success', 200, json, '{"partialSuccess":null}', {}, 0],
    ['unknown fields', 200, json, '{"more":1,"partialSuccess":{"more":2}}', {}, 0],
    ['refused spans as a text', 200, json, '{"partialSuccess":{"rejectedSpans":"3"}}', {}, 3],
    ['refused spans as a number', 200, json, '{"partialSuccess":{"rejectedSpans":3}}', {}, 3],
    [
      'refused points of metrics',
      200,
      json,
      '{"partialSuccess":{"rejectedDataPoints":"4"}}',
      { signal: 'metrics' },
      4,
    ],
    ['refused spans in protobuf', 200, protobuf, partial, { encoding: 'protobuf' }, 2],
    [
      'refused spans in JSON to protobuf',
      200,
      json,
      '{"partialSuccess":{"rejectedSpans":"3"}}',
      { encoding: 'protobuf' },
      3,
    ],
    ['the older name of the type', 200, 'application/protobuf', partial, { encoding: 'protobuf' }, 2],
    ['protobuf without a type', 200, null, partial, { encoding: 'protobuf' }, 2],
  ])('%s', async (_, status, type, body, more, refused) => {
    const detail = refused === 0 ? null : 'HTTP 200'
    expect(await judged(status, type, body, more)).toEqual({ kind: 'accepted', refused, detail })
  })

  test('a warning is shown, and refuses nothing', async () => {
    const accepted = { kind: 'accepted', refused: 0, detail: 'HTTP 200' }
    expect(await judged(200, json, '{"partialSuccess":{"errorMessage":"old"}}')).toEqual(accepted)
    expect(await judged(200, protobuf, warned, { encoding: 'protobuf' })).toEqual(accepted)
  })
})

test.each<[string, number, string | null, string | Buffer, More, string]>([
  ['a page', 200, 'text/html; charset=utf-8', '<html>', {}, 'text/html'],
  ['a page without a body', 200, 'text/html', '', {}, 'text/html'],
  ['a page without a type', 200, null, '<html>', {}, 'not a message of OTLP in json'],
  ['a page as JSON', 200, json, '<html>', {}, 'not a message'],
  [
    'a page as protobuf',
    200,
    protobuf,
    '<html>',
    { encoding: 'protobuf' },
    'not a message of OTLP in protobuf',
  ],
  ['JSON as protobuf', 200, protobuf, '{}', { encoding: 'protobuf' }, 'not a message'],
  ['OK', 200, 'text/plain', 'OK', {}, 'text/plain'],
  ['OK as JSON', 200, json, 'OK', {}, 'not a message'],
  ['a text in JSON', 200, json, '"ok"', {}, 'not a message'],
  ['a list in JSON', 200, json, '[]', {}, 'not a message'],
  ['null', 200, json, 'null', {}, 'not a message'],
  ['a count that is none', 200, json, '{"partialSuccess":{"rejectedSpans":"many"}}', {}, 'not a message'],
  ['a count below 0', 200, json, '{"partialSuccess":{"rejectedSpans":-1}}', {}, 'not a message'],
  [
    'a message that ends early',
    200,
    protobuf,
    partial.subarray(0, 6),
    { encoding: 'protobuf' },
    'not a message',
  ],
  ['an answer of gRPC', 200, 'application/grpc', '', {}, 'application/grpc'],
  ['an event stream', 200, 'text/event-stream', '', {}, 'text/event-stream'],
  ['more than is read', 200, json, '{"partialSuccess"', { cut: true }, 'longer than 8 KB'],
])('%s is no success, and is not sent again', async (_, status, type, body, more, why) => {
  const detail = expect.stringContaining(why) as string
  expect(await judged(status, type, body, more)).toEqual({ kind: 'wrong', detail, isEndpoint: true })
})

test.each([
  301, 302, 303, 304, 307, 308, 401, 403, 404, 405, 406, 408, 411, 415, 425, 431, 500, 501, 505, 507, 511,
])('%i is not sent again, and the endpoint is left alone for a while', async (status) => {
  expect(await judged(status, json, '{}', { retryAfter: '7' })).toMatchObject({
    kind: 'wrong',
    isEndpoint: true,
  })
})

test.each([400, 413, 422])(
  '%i is about one request: it is not sent again, and the next is',
  async (status) => {
    expect(await judged(status, json, '{}')).toEqual({
      kind: 'wrong',
      detail: `HTTP ${status}`,
      isEndpoint: false,
    })
  },
)

test.each([429, 502, 503, 504])('%i is sent again after its Retry-After', async (status) => {
  const failed = (retryAfter: string | null) => judged(status, 'text/html', '<html>', { retryAfter })
  expect(await failed('7')).toEqual({ kind: 'failed', detail: `HTTP ${status}`, retryAfterMs: 7_000 })
  expect(await failed('Thu, 01 Jan 1970 00:01:00 GMT')).toMatchObject({ retryAfterMs: 60_000 })
  expect(await failed('86400')).toMatchObject({ retryAfterMs: 900_000 })
  for (const none of [null, 'soon', '-1']) expect(await failed(none)).toMatchObject({ retryAfterMs: null })
})
