import { expect, test } from 'vitest'
import { contextBytesMax } from './kept-context.ts'
import { encodeErrorsMessage, decodeErrorsMessage } from './errors-message.ts'
import { rawEvent, rawException, rawFrame } from './testing/raw-events.ts'
import { toErrorEvent } from './to-error-event.ts'
import { originalFile, readSourceMap, type OriginalPlace } from './source-maps/read-source-map.ts'
import { resolveEvent, type FoundPlaces } from './resolve-event.ts'

const projectId = '6f2f1f9e-6a54-4a0c-9d8d-0b1f3f7b8c11'
const debugId = 'aaaaaaaa-0000-4000-8000-00000000000a'
const place = (part: Partial<OriginalPlace> = {}): OriginalPlace => ({
  file: 'src/cart.ts',
  line: 3,
  column: 1,
  callee: null,
  source: null,
  isNamed: false,
  ...part,
})
/** An event from the stream with `count` minified frames. */
const minified = (count: number, names: string[], fingerprint: string[] | null = null) => {
  const frames = Array.from({ length: count }, (_, n) =>
    rawFrame({ file: '/app.js', function: names[n] ?? null, debugId }),
  )
  const raw = rawEvent({ exceptions: [rawException({ frames })], fingerprint })
  const event = toErrorEvent(raw, projectId, { names: ['Shop Code'], keepAddresses: false })
  const read = decodeErrorsMessage(encodeErrorsMessage({ kind: 'event', event }))
  if (!('kind' in read) || read.kind !== 'event') throw new Error('the event was not decoded')
  return read.event
}
const hashOf = (names: string[], found: FoundPlaces, fingerprint: string[] | null = null) =>
  resolveEvent(minified(found.length, names, fingerprint), found).grouping.hash

const found = [place(), place({ line: 9, callee: 'pay' })]

test('groups minified errors across builds by original function', () => {
  expect(hashOf(['t', 'e'], found)).toBe(hashOf(['a', 'b'], found))
  const other = [place(), place({ line: 9, callee: 'refund' })]
  expect(hashOf(['t', 'e'], other)).not.toBe(hashOf(['t', 'e'], found))
})

test('keeps a client fingerprint and resolves its default part', () => {
  const own = minified(2, ['t', 'e'], ['mine'])
  expect(resolveEvent(own, found).grouping.hash).toBe(own.grouping.hash)
  const mixed = ['mine', '{{ default }}']
  expect(hashOf(['t', 'e'], found, mixed)).toBe(hashOf(['a', 'b'], found, mixed))
})

test('an event without resolved frames keeps its issue and reports the reason', () => {
  const event = minified(1, ['t'])
  const { grouping, frames, context } = resolveEvent(event, ['missing'])
  expect({ grouping, frames }).toEqual({ grouping: event.grouping, frames: event.frames })
  expect(context).toMatchObject({ sourceMaps: { unresolved: [{ frame: 0, debugId }] } })
})

test.each([
  ['src/cart.ts', true],
  ['node_modules/react/index.js', false],
  ['../../node_modules/a/b.js', false],
  ['webpack/runtime/chunk loading', false],
])('a resolved frame of %s is in-app: %s', (file, inApp) => {
  const { frames } = resolveEvent(minified(1, ['t']), [place({ file })])
  expect(frames[0]?.inApp).toBe(inApp)
})

test('scrubs source map text and removes characters that databases reject', () => {
  const line = `const shopCode = "hunter2Zq" \0 \ud800`
  const source = { line, before: ['password = "hunter2Zq"'], after: [] }
  const hostile = place({ file: 'a\0b.ts', callee: 'x\0\udfff', source })
  const event = resolveEvent(minified(2, []), [hostile, hostile])
  expect(event.frames[0]).toMatchObject({ file: 'ab.ts', function: 'x\ufffd' })
  const json = JSON.stringify(event)
  expect(json).not.toContain('hunter2')
  expect(json).not.toMatch(/\\u0000|\\ud800|\\udfff/)
})

test('a resolved event keeps its context within the size limit', () => {
  const source = { line: 'x'.repeat(300), before: ['y'.repeat(300)], after: ['z'.repeat(300)] }
  const event = minified(100, [])
  const full = { ...event, context: { extra: 'e'.repeat(contextBytesMax - 3_000) } }
  const { context } = resolveEvent(
    full,
    Array.from({ length: 100 }, () => place({ source })),
  )
  expect(Buffer.byteLength(JSON.stringify(context))).toBeLessThanOrEqual(contextBytesMax)
  expect(context['extra']).toEqual(full.context.extra)
})

test.each([
  ['../../src/cart.ts', 'src/cart.ts'],
  ['./src/cart.ts', 'src/cart.ts'],
  ['webpack://shop/./src/cart.ts?ab12', 'src/cart.ts'],
  ['webpack:///src/cart.ts', 'src/cart.ts'],
  ['/srv/src/cart.ts', '/srv/src/cart.ts'],
  ['src\\cart.ts', 'src/cart.ts'],
])('shows the source %s as %s', (source, file) => {
  expect(originalFile(source)).toBe(file)
})

test('rejects a map section with an excessive line before it allocates lines', () => {
  const map = { version: 3, sources: ['a.js'], names: [], mappings: 'AAAA' }
  const at = (line: number) =>
    readSourceMap(JSON.stringify({ version: 3, sections: [{ offset: { line, column: 0 }, map }] }))
  for (const line of [2 ** 31, 1_500_000]) {
    expect(at(line)).toEqual({ problem: 'more than 1500000 mappings' })
  }
  const read = at(1_000_000)
  expect('places' in read && read.places.find(1_000_001, 1, null)?.line).toBe(1)
  expect(read).toMatchObject({ bytes: expect.closeTo(100_000_000, -5) })
})

test('reads a sectioned map, and names from a map without sources', () => {
  const map = { version: 3, sources: ['a.ts'], names: ['pay'], mappings: 'AAAAA' }
  const sections = [{ offset: { line: 2, column: 4 }, map }]
  const read = readSourceMap(JSON.stringify({ version: 3, sections }))
  if ('problem' in read) throw new Error(read.problem)
  expect(read.places.find(3, 5, null)).toMatchObject({
    file: 'a.ts',
    line: 1,
    callee: 'pay',
    source: null,
  })
  expect(read.places.find(3, 4, null)).toBe(null)
  expect(read.places.find(9, 1, null)).toBe(null)
})
