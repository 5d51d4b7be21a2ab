import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { RawEvent, RawFrame } from '../raw/raw-event.ts'
import { rawEvent, rawException, rawFrame } from '../testing/raw-events.ts'
import { groupEvent } from './group-event.ts'

const hashOf = (part: Partial<RawEvent>): string => groupEvent(rawEvent(part)).hash
const thrown = (...frames: RawFrame[]): Partial<RawEvent> => ({
  exceptions: [rawException({ frames })],
})
const withValue = (value: string): Partial<RawEvent> => ({
  exceptions: [rawException({ value, frames: [] })],
})

test('the hash of an event is stable across releases of the product', () => {
  expect(groupEvent(rawEvent(thrown(rawFrame())))).toEqual({
    version: 1,
    hash: '3edd878213629cc54bf2f25487568fd34d8d4b698514af22b5b4d1a9c7a7d1b1',
    title: 'TypeError: x is not a function',
    culprit: 'pay (src/cart.ts)',
  })
})

test('groups events that differ only in volatile parts', () => {
  const number = fc.option(fc.nat(), { nil: null })
  const free = fc.record({
    release: fc.option(fc.string(), { nil: null }),
    level: fc.constantFrom('error', 'fatal'),
    message: fc.option(fc.string(), { nil: null }),
    transaction: fc.option(fc.string(), { nil: null }),
    tags: fc.dictionary(fc.string(), fc.string()),
    context: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  forAll([free, number, number, fc.string(), fc.jsonValue()], (part, line, column, value, variables) => {
    const frames = [
      rawFrame({ line, column, variables, source: value }),
      rawFrame({ inApp: false, file: value }),
    ]
    const event = rawEvent({ ...part, exceptions: [rawException({ value, frames })] })
    expect(groupEvent(event).hash).toBe(hashOf(thrown(rawFrame())))
  })
})

test.each<[string, Partial<RawEvent>]>([
  ['type', { exceptions: [rawException({ type: 'RangeError' })] }],
  ['function', thrown(rawFrame({ function: 'refund' }))],
  ['file', thrown(rawFrame({ file: 'src/refund.ts' }))],
  ['module', thrown(rawFrame({ module: 'shop.cart' }))],
  ['caller', thrown(rawFrame(), rawFrame({ function: 'handle' }))],
  ['fingerprint', { ...thrown(rawFrame()), fingerprint: ['mine'] }],
])('groups events with a different %s separately', (_what, part) => {
  expect(hashOf(part)).not.toBe(hashOf(thrown(rawFrame())))
})

test('counts recursive frames once and ignores deep frames', () => {
  const twice = [rawFrame(), rawFrame({ line: 4 }), rawFrame({ function: 'handle' })]
  expect(hashOf(thrown(...twice))).toBe(hashOf(thrown(rawFrame(), rawFrame({ function: 'handle' }))))
  const deep = (name: string): RawFrame[] => [
    ...Array.from({ length: 30 }, (_, index) => rawFrame({ function: index % 2 === 0 ? 'even' : 'odd' })),
    rawFrame({ function: name }),
  ]
  expect(hashOf(thrown(...deep('a')))).toBe(hashOf(thrown(...deep('b'))))
})

test.each([
  ['app:///main.3f9a2c1b.js', 'app:///main.77aa01ff.js'],
  ['https://a.example/x/app.js?v=1', 'https://b.example/x/app.js?v=2'],
  ['node_modules/.pnpm/left@1.2.3/x.js', 'node_modules/.pnpm/left@1.10.0_react@18.0.0/x.js'],
  ['/srv/releases/20261120120000/app.rb', '/srv/releases/20261121120000/app.rb'],
])('treats the files %s and %s as one', (left, right) => {
  expect(hashOf(thrown(rawFrame({ file: left })))).toBe(hashOf(thrown(rawFrame({ file: right }))))
})

test.each([
  ['main.func1', 'main.func2'],
  ['app::run::{{closure}}::h0123456789abcdef', 'app::run::{{closure}}::hfedcba9876543210'],
  ['<Object 0x7f00>.pay', '<Object 0x8f11>.pay'],
  ['Shop$$Lambda$14.0x0a1b.run', 'Shop$$Lambda$27.0x0c2d.run'],
  ['pay(order, 3)', 'pay(order, 4)'],
])('treats the functions %s and %s as one', (left, right) => {
  expect(hashOf(thrown(rawFrame({ function: left })))).toBe(hashOf(thrown(rawFrame({ function: right }))))
})

test.each([
  ['order 17 is gone', 'order 4711 is gone'],
  ['no 0x7ffe12 here', 'no 0xdeadbeef99 here'],
  ['user 550e8400-e29b-41d4-a716-446655440000', 'user 123e4567-e89b-12d3-a456-426614174000'],
  ['commit 3f9a2c1b', 'commit 77aa01ff3f9a2c1b77aa01ff3f9a2c1b77aa01ff'],
  ['at 2026-11-20T12:00:00Z', 'at 2025-01-02 03:04:05.678+01:00'],
  ['GET https://a.example/1 failed', 'GET https://b.example/x?y=2 failed'],
  ['a@example.org is taken', 'b.c@mail.example.com is taken'],
  ['a.js:12:5 broke', 'a.js:112:50 broke'],
  ['key k1a2b3c4d5e6f', 'key zz9y8x7w6v5u4'],
  ['took 1.5 s', 'took 2,000 s'],
  ['a  b', 'a\nb'],
  ['was [removed: token]', 'was [removed: card]'],
])('treats the messages %j and %j as one', (left, right) => {
  expect(hashOf(withValue(left))).toBe(hashOf(withValue(right)))
  expect(hashOf({ message: left })).toBe(hashOf({ message: right }))
})

test.each([
  ['order is gone', 'order is late'],
  ['ERR_HTTP2_STREAM_CANCEL', 'ERR_HTTP2_STREAM_ERROR'],
  ['a', 'A'],
])('treats the messages %j and %j as different', (left, right) => {
  expect(hashOf(withValue(left))).not.toBe(hashOf(withValue(right)))
})

test('groups by fingerprint, then frames, then type and value, then message', () => {
  const bare = rawFrame({ inApp: false })
  expect(hashOf({ ...withValue('a'), message: 'm' })).toBe(hashOf({ ...withValue('a'), message: 'n' }))
  expect(hashOf(thrown(bare))).toBe(hashOf(withValue('x is not a function')))
  expect(hashOf({ message: 'a 1', template: 'a %s' })).toBe(hashOf({ message: 'a b', template: 'a %s' }))
  const given: Partial<RawEvent> = { fingerprint: ['mine'] }
  expect(hashOf({ ...given, ...withValue('a') })).toBe(hashOf({ ...given, ...withValue('b') }))
})

test('a fingerprint can include the default grouping', () => {
  const fingerprint = ['{{ default }}', 'shard 7']
  expect(hashOf({ ...withValue('a'), fingerprint: ['{{default}}'] })).toBe(hashOf(withValue('a')))
  expect(hashOf({ ...withValue('a'), fingerprint })).not.toBe(hashOf({ ...withValue('b'), fingerprint }))
  expect(hashOf({ ...withValue('a'), fingerprint })).not.toBe(hashOf(withValue('a')))
})

test('fingerprints have the same hash exactly when their parts are equal', () => {
  const parts = fc.array(fc.constantFrom('a', 'b', 'ab', '', 'default', 'end'), {
    minLength: 1,
    maxLength: 4,
  })
  forAll([parts, parts], (left, right) => {
    const same = hashOf({ fingerprint: left }) === hashOf({ fingerprint: right })
    expect(same).toBe(JSON.stringify(left) === JSON.stringify(right))
  })
})

test('blames the cause when the last exception has no stack', () => {
  const cause = rawException({ type: 'Cause', frames: [rawFrame({ function: 'deep' })] })
  const last = rawException({ type: 'Outer', value: null, frames: [] })
  expect(groupEvent(rawEvent({ exceptions: [cause, last] }))).toMatchObject({
    title: 'Outer',
    culprit: 'deep (src/cart.ts)',
  })
})

test('decides by the path whether a frame is in-app, if the SDK marks none', () => {
  const unmarked = (file: string): RawFrame => rawFrame({ file, inApp: null })
  const own = thrown(unmarked('src/cart.ts'))
  const files = ['/srv/node_modules/x/a.js', 'node:internal/x', '/usr/lib/python3/a.py', '<anonymous>']
  expect(hashOf(thrown(...files.map(unmarked), unmarked('src/cart.ts')))).toBe(hashOf(own))
  // one marked frame makes the path irrelevant
  expect(hashOf(thrown(unmarked('src/other.ts'), rawFrame()))).toBe(hashOf(thrown(rawFrame())))
})

test.each<[string, Partial<RawEvent>, string, string | null]>([
  ['an empty event', {}, '(no message)', null],
  ['a message', { message: '\n  first \nsecond', transaction: 'GET /' }, 'first', 'GET /'],
  ['a type', { exceptions: [rawException({ value: null, frames: [] })] }, 'TypeError', null],
  [
    'library frames',
    thrown(rawFrame({ inApp: false, function: null })),
    'TypeError: x is not a function',
    'src/cart.ts',
  ],
  ['a long text', { message: `${'x'.repeat(198)}😀😀` }, `${'x'.repeat(198)}…`, null],
])('derives title and culprit of %s', (_what, part, title, culprit) => {
  expect(groupEvent(rawEvent(part))).toMatchObject({ title, culprit })
})

test('any event gets a hash and a title', () => {
  const text = fc.option(fc.string({ unit: 'binary' }), { nil: null })
  const frame = fc.record({
    file: text,
    module: text,
    function: text,
    inApp: fc.constantFrom(true, false, null),
  })
  forAll([fc.array(frame), text, text, text], (frames, type, value, message) => {
    const exceptions = [rawException({ type, value, frames: frames.map(rawFrame) })]
    const { hash, title, culprit } = groupEvent(rawEvent({ message, exceptions }))
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(title).toMatch(/^.{1,200}$/s)
    expect(culprit).not.toBe('')
  })
})
