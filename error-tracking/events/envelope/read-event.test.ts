import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { RawEvent } from '../raw/raw-event.ts'
import { rawEvent } from '../testing/raw-events.ts'
import { eventAgeMsMax, readEvent } from './read-event.ts'

const receivedAt = Date.parse('2026-11-20T12:00:00Z')
const eventId = 'e'.repeat(32)

const read = (payload: object): RawEvent => {
  const event = readEvent(payload, { receivedAt, eventId })
  if ('problem' in event) throw new Error(event.problem)
  return event
}

test('accepts an event with only an id', () => {
  expect(read({})).toEqual(rawEvent({ at: receivedAt, receivedAt, platform: 'other' }))
})

test.each([
  [null, 'not an object'],
  [[], 'not an object'],
  ['x', 'not an object'],
  [{ type: 'transaction', event_id: eventId }, 'a transaction'],
  [{}, 'no event id'],
  [{ event_id: 'x' }, 'no event id'],
])('rejects %j: %s', (payload, problem) => {
  expect(readEvent(payload, { receivedAt })).toEqual({ problem })
})

test("uses the event's own id only if the envelope has none", () => {
  const own = { event_id: '9EC79C33-ec99-42ab-8353-589fcb2e04dc' }
  expect(readEvent(own, { receivedAt })).toMatchObject({
    eventId: '9ec79c33ec9942ab8353589fcb2e04dc',
  })
  expect(read(own).eventId).toBe(eventId)
})

test.each([
  ['seconds', receivedAt / 1_000 - 1.5, receivedAt - 1_500],
  ['seconds as text', String(receivedAt / 1_000 - 1.5), receivedAt - 1_500],
  ['ISO 8601', '2026-11-20T11:59:59.25Z', receivedAt - 750],
  ['ISO 8601 without a zone', '2026-11-20T11:59:59.250000', receivedAt - 750],
  ['ISO 8601 in another zone', '2026-11-20 12:59:59+01:00', receivedAt - 1_000],
  ['the oldest accepted time', (receivedAt - eventAgeMsMax) / 1_000, receivedAt - eventAgeMsMax],
  ['an older time', (receivedAt - eventAgeMsMax) / 1_000 - 1, receivedAt - eventAgeMsMax],
  ['a future time', receivedAt / 1_000 + 1, receivedAt],
])('reads a timestamp of %s, limited to 30 days before the arrival', (_what, timestamp, at) => {
  expect(read({ timestamp })).toMatchObject({ at, unreadable: [] })
})

test.each([
  ['timestamp', 'yesterday', { at: receivedAt }],
  ['timestamp', 1e300, { at: receivedAt }],
  ['level', 'loud', { level: 'error' }],
  ['level', 'toString', { level: 'error' }],
  ['release', ['1'], { release: null }],
  ['tags', 7, { tags: {} }],
  ['exception', 'x', { exceptions: [] }],
  ['exception', { values: 1 }, { exceptions: [] }],
  ['breadcrumbs', 'x', { context: {} }],
  ['user', 'x', { context: {} }],
  ['request', [], { context: {} }],
  ['fingerprint', [], { fingerprint: null }],
  ['fingerprint', 'x', { fingerprint: null }],
  ['message', [1], { message: null }],
])('drops the field %s of %j and reports it as unreadable', (name, value, rest) => {
  expect(read({ [name]: value })).toMatchObject({ ...rest, unreadable: [name] })
})

test('removes characters that databases reject', () => {
  expect(read({ release: 'a\0b\ud800', environment: '', transaction: 7 })).toMatchObject({
    release: 'ab\ufffd',
    environment: null,
    transaction: '7',
    unreadable: [],
  })
})

test.each([
  [{ message: 'a' }, 'a', null],
  [{ message: { message: 'a %s', params: ['b'] } }, 'a b', 'a %s'],
  [{ logentry: { message: 'a %s %d%%', params: ['b', 7] } }, 'a b 7%%', 'a %s %d%%'],
  [{ logentry: { message: 'a %s %s', params: [1] } }, 'a 1 %s', 'a %s %s'],
  [{ logentry: { message: 'a %s', formatted: 'a c' }, message: 'd' }, 'a c', 'a %s'],
  [{ logentry: { formatted: 'a' } }, 'a', null],
])('reads the message of %j as %j', (payload, message, template) => {
  expect(read(payload)).toMatchObject({ message, template })
})

const wire = {
  filename: 'a.js',
  function: 'f',
  lineno: 3,
  colno: '7',
  in_app: true,
  vars: { a: 1 },
}
const frame = {
  file: 'a.js',
  module: null,
  function: 'f',
  line: 3,
  column: 7,
  inApp: true,
  source: null,
  variables: { a: 1 },
  debugId: null,
}

test('reverses frames: the throwing frame comes first', () => {
  const exception = { type: 'E', value: 'v', stacktrace: { frames: [{ abs_path: '/b.js' }, wire] } }
  const expected = { type: 'E', value: 'v', module: null }
  const outer = {
    file: '/b.js',
    function: null,
    line: null,
    column: null,
    inApp: null,
    variables: null,
    debugId: null,
  }
  const exceptions = [{ ...expected, frames: [frame, { ...frame, ...outer }] }]
  for (const shape of [{ values: [exception, null, 3] }, [exception], exception]) {
    expect(read({ exception: shape })).toMatchObject({ exceptions, unreadable: [] })
  }
})

test.each([
  ['lineno', -1],
  ['lineno', 2 ** 31],
  ['lineno', 'x'],
  ['lineno', 1.5],
  ['lineno', []],
])('ignores a %s of %j in a frame', (name, value) => {
  const { frames } = read({ stacktrace: { frames: [{ ...wire, [name]: value }] } })
  expect(frames).toEqual([{ ...frame, line: null }])
})

test('keeps both ends of a very long stack', () => {
  const frames = Array.from({ length: 1_000 }, (_, lineno) => ({ lineno }))
  const lines = read({ stacktrace: { frames } }).frames.map(({ line }) => line)
  expect([lines.length, lines[0], lines[124], lines[125], lines.at(-1)]).toEqual([250, 999, 875, 124, 0])
})

test.each([
  ['the crashed thread', [{ current: true }, { crashed: true, stacktrace: { frames: [wire] } }]],
  ['the reporting thread', [{}, { current: true, stacktrace: { frames: [wire] } }]],
  ['the only thread', [{ stacktrace: { frames: [wire] } }]],
])('uses the stack of %s', (_what, values) => {
  expect(read({ threads: { values } }).frames).toEqual([frame])
})

test('uses no stack of several unmarked threads', () => {
  const one = { stacktrace: { frames: [wire] } }
  expect(read({ threads: { values: [one, one] } }).frames).toEqual([])
})

test('reads tags as an object or as pairs, with unusual keys', () => {
  const tags = Object.fromEntries([
    ['__proto__', 'x'],
    ['a', '1'],
  ])
  expect(read({ tags: JSON.parse('{"__proto__":"x","a":1,"b":{}}') as object }).tags).toEqual(tags)
  expect(read({ tags: [['__proto__', 'x'], ['a', 1], ['b', null], 7] }).tags).toEqual(tags)
})

test('reads any JSON without an error, into an event that is valid JSON', () => {
  const names = ['exception', 'threads', 'stacktrace', 'logentry', 'message', 'breadcrumbs', 'tags']
  const parts = ['values', 'frames', 'stacktrace', 'vars', 'params', 'formatted', 'message', 'level']
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, ...parts, '__proto__'), tie('tree'), { maxKeys: 4 }),
    ),
  }))
  forAll(
    [fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names, 'level'), tree))],
    { numRuns: 300 },
    (any) => {
      const event = readEvent(any, { receivedAt, eventId })
      expect(JSON.parse(JSON.stringify(event))).toBeDefined()
    },
  )
})
