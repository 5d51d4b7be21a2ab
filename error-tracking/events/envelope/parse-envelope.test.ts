import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { envelopeItemsMax, headerBytesMax, parseEnvelope, type Envelope } from './parse-envelope.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const parsed = (text: string): Envelope => {
  const result = parseEnvelope(bytesOf(text))
  if ('problem' in result) throw new Error(result.problem)
  return result
}
const itemsOf = (text: string): [string, string][] =>
  parsed(text).items.map(({ type, payload }) => [type, textOf(payload)])

test.each<[string, string, [string, string][]]>([
  ['a header only', '{}', []],
  ['a header with a line end', '{}\n', []],
  ['an item with a length', '{}\n{"type":"event","length":2}\nab\n', [['event', 'ab']]],
  ['an item with a length at the end', '{}\n{"type":"event","length":2}\nab', [['event', 'ab']]],
  [
    'an item with a line end in its payload',
    '{}\n{"type":"a","length":3}\na\nb\n{"type":"b"}\n',
    [
      ['a', 'a\nb'],
      ['b', ''],
    ],
  ],
  ['an item with its length in bytes', '{}\n{"type":"a","length":2}\né\n', [['a', 'é']]],
  [
    'items without a length',
    '{}\n{"type":"a"}\n{"b":1}\n{"type":"c"}\nd',
    [
      ['a', '{"b":1}'],
      ['c', 'd'],
    ],
  ],
  ['an item with a null length', '{}\n{"type":"a","length":null}\nb\n', [['a', 'b']]],
  [
    'empty items',
    '{}\n{"type":"a","length":0}\n\n{"type":"b","length":0}\n',
    [
      ['a', ''],
      ['b', ''],
    ],
  ],
  ['an item between empty lines', '{}\n\n{"type":"a","length":1}\nb\n\n\n', [['a', 'b']]],
  ['Windows line ends', '{}\r\n{"type":"a"}\r\n{"b":1}\r\n', [['a', '{"b":1}\r']]],
])('reads an envelope with %s', (_what, text, items) => {
  expect(itemsOf(text)).toEqual(items)
  expect(parsed(text).broken).toBeNull()
})

const good = '{}\n{"type":"event","length":2}\nab\n'
test.each([
  ['invalid JSON', '{"type":', 'item 2: not JSON'],
  ['a list as header', '[]\nx', 'item 2: not an object'],
  ['no type', '{}\nx', 'item 2: no type'],
  ['a number as type', '{"type":1}\nx', 'item 2: no type'],
  ['a text as length', '{"type":"a","length":"1"}\nx', 'item 2: its length is not a number of bytes'],
  ['a negative length', '{"type":"a","length":-1}\nx', 'item 2: its length is not a number of bytes'],
  ['a fractional length', '{"type":"a","length":0.5}\nx', 'item 2: its length is not a number of bytes'],
  ['too few bytes', '{"type":"a","length":2}\nx', 'item 2: shorter than its length'],
  ['too many bytes', '{"type":"a","length":2}\nxyz', 'item 2: longer than its length'],
])('reports an item with %s and keeps the items before it', (_what, rest, broken) => {
  const envelope = parsed(good + rest)
  expect(envelope.broken).toBe(broken)
  expect(envelope.items.length).toBe(1)
})

test.each([
  ['', 'header: not JSON'],
  ['\n{}', 'header: not JSON'],
  ['null', 'header: not an object'],
  ['[]', 'header: not an object'],
  [`{"a":"${'x'.repeat(headerBytesMax - 7)}"}`, `header: longer than ${headerBytesMax} bytes`],
])('rejects the header %.20j: %s', (text, problem) => {
  expect(parseEnvelope(bytesOf(text))).toEqual({ problem })
})

test('accepts a header of the maximum length and rejects invalid UTF-8', () => {
  expect(parsed(`{"a":"${'x'.repeat(headerBytesMax - 8)}"}`).items).toEqual([])
  expect(parseEnvelope(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ problem: 'header: not JSON' })
})

test('stops at the maximum number of items', () => {
  const of = (count: number): Envelope => parsed(`{}\n${'{"type":"a"}\n1\n'.repeat(count)}`)
  expect(of(envelopeItemsMax)).toMatchObject({ broken: null })
  const more = of(envelopeItemsMax + 1)
  expect(more.items.length).toBe(envelopeItemsMax)
  expect(more.broken).toBe('more than 100 items')
})

test.each([
  ['{"event_id":"9EC79C33-ec99-42ab-8353-589fcb2e04dc"}', { eventId: '9ec79c33ec9942ab8353589fcb2e04dc' }],
  ['{"event_id":"9ec79c33ec9942ab8353589fcb2e04d"}', {}],
  ['{"event_id":"00000000000000000000000000000000"}', {}],
  ['{"event_id":7,"dsn":8,"sent_at":"never"}', {}],
  ['{"dsn":"https://a@b/1"}', { dsn: 'https://a@b/1' }],
  ['{"sent_at":"2026-11-20T12:00:00.5Z"}', { sentAt: Date.parse('2026-11-20T12:00:00.500Z') }],
  ['{"__proto__":{"dsn":"x"}}', {}],
])('reads the header %s as %j', (text, header) => {
  expect(parsed(text).header).toEqual(header)
})

test('parses any bytes without an error, with payloads that are views of the input', () => {
  const lines = fc.array(
    fc.oneof(fc.constantFrom('{}', '{"type":"a"}', '{"type":"a","length":3}', '', '\r'), fc.string()),
  )
  const any = fc.oneof(
    fc.uint8Array(),
    lines.map((each) => bytesOf(each.join('\n'))),
  )
  forAll([any], (bytes) => {
    const result = parseEnvelope(bytes)
    if ('problem' in result) return
    for (const { payload } of result.items) expect(payload.buffer).toBe(bytes.buffer)
  })
})

test('reads back every written envelope', () => {
  const item = fc.record({
    type: fc.string({ minLength: 1 }),
    payload: fc.uint8Array(),
    attributes: fc.dictionary(fc.string({ minLength: 9 }), fc.jsonValue(), { maxKeys: 3 }),
    hasLength: fc.boolean(),
  })
  forAll([fc.array(item, { maxLength: 5 })], (items) => {
    const written: Uint8Array[] = [bytesOf('{}')]
    const expected = items.map(({ type, payload, attributes, hasLength }) => {
      const withLength = hasLength || payload.includes(0x0a)
      const headers = { ...attributes, type, ...(withLength ? { length: payload.length } : {}) }
      written.push(bytesOf(`\n${JSON.stringify(headers)}\n`), payload)
      return { type, headers: JSON.parse(JSON.stringify(headers)) as unknown, payload }
    })
    const envelope = parseEnvelope(new Uint8Array(Buffer.concat(written)))
    expect(envelope).toEqual({ header: {}, items: expected, broken: null })
  })
})
