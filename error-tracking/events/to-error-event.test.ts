import { ErrorFrame } from '../contracts/error-tracking.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutRest } from './raw/cut-text.ts'
import { contextBytesMax } from './kept-context.ts'
import { readEvent } from './envelope/read-event.ts'
import type { RawEvent } from './raw/raw-event.ts'
import { defaultScrubRules, scrubEvent } from './scrub/scrub.ts'
import { truncateEvent } from './truncate/truncate-event.ts'
import { rawEvent, rawException, rawFrame } from './testing/raw-events.ts'
import { toErrorEvent } from './to-error-event.ts'

const projectId = '6f2f1f9e-6a54-4a0c-9d8d-0b1f3f7b8c11'

test('keeps the last exception and its causes', () => {
  const cause = rawException({
    type: 'Cause',
    value: 'c',
    frames: [rawFrame({ function: 'deep' })],
  })
  const last = rawException({ frames: [rawFrame({ variables: { a: 1 }, source: 'pay()' })] })
  const raw = rawEvent({ exceptions: [cause, last], tags: { a: 'b' }, unreadable: ['level'] })
  expect(toErrorEvent(raw, projectId)).toMatchObject({
    projectId,
    type: 'TypeError',
    message: 'x is not a function',
    frames: [{ file: 'src/cart.ts', function: 'pay', line: 3, column: 7, inApp: true }],
    tags: { a: 'b' },
    context: {
      unreadable: ['level'],
      causes: [{ type: 'Cause', value: 'c' }],
      variables: [{ frame: 0, function: 'pay', variables: { a: 1 } }],
      source: [{ frame: 0, source: 'pay()' }],
    },
  })
})

test.each([true, false])('keeps that an exception was handled: %s', (handled) => {
  const wire = { type: 'E', mechanism: { type: 'onerror', handled } }
  const raw = readEvent({ exception: [wire] }, { receivedAt: 0, eventId: 'e'.repeat(32) }) as RawEvent
  const event = toErrorEvent(scrubEvent(truncateEvent(raw), defaultScrubRules), projectId)
  expect(event.context['handled']).toBe(handled)
})

test.each([undefined, null, 'x', { handled: 'no' }, { type: 'generic' }])(
  'keeps nothing of the mechanism %j',
  (mechanism) => {
    const exception = [{ type: 'E', mechanism }]
    const raw = readEvent({ exception }, { receivedAt: 0, eventId: 'e'.repeat(32) }) as RawEvent
    expect(toErrorEvent(raw, projectId).context).toEqual({})
  },
)

const sourceOf = (frames: readonly object[]): unknown => {
  const exception = [{ type: 'E', stacktrace: { frames } }]
  const raw = readEvent({ exception }, { receivedAt: 0, eventId: 'e'.repeat(32) }) as RawEvent
  return toErrorEvent(scrubEvent(truncateEvent(raw), defaultScrubRules), projectId).context['source']
}

test('keeps the nearest three source lines around the frames of the application', () => {
  const lines = (...names: string[]) => names.map((name) => `${name}()`)
  const wire = { context_line: 'at()', pre_context: lines('a', 'b', 'c', 'd'), post_context: lines('e', 'f') }
  const around = { source: 'at()', before: lines('b', 'c', 'd'), after: lines('e', 'f') }
  // SDKs send the throwing frame last
  expect(sourceOf([{ ...wire, in_app: false }, wire])).toEqual([
    { frame: 0, ...around },
    { frame: 1, source: 'at()' },
  ])
  const many = sourceOf(Array.from({ length: 9 }, () => wire)) as { before?: string[] }[]
  expect(many.map((entry) => entry.before !== undefined)).toEqual(Array.from({ length: 9 }, (_, n) => n < 5))
})

test.each([
  ['a line of built code', { pre_context: ['x'.repeat(301)] }],
  ['a line of a key', { pre_context: [`  '${'Ab3/'.repeat(16)}'`] }],
  ['a line that is no text', { post_context: [{ a: 1 }] }],
  ['lines in one text', { post_context: ['a\nb'] }],
  ['no list', { pre_context: 'a' }],
])('keeps the source of a frame alone: %s', (_, wire) => {
  expect(sourceOf([{ context_line: 'at()', ...wire }])).toEqual([{ frame: 0, source: 'at()' }])
})

test('removes secrets from the lines around a source, also one that spans lines', () => {
  const key = ['-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', '-----END PRIVATE KEY-----']
  const wire = {
    context_line: 'connect()',
    pre_context: ['const password = "hunter2Zq"'],
    post_context: key,
  }
  const kept = JSON.stringify(sourceOf([wire]))
  expect(kept).toContain('connect()')
  for (const secret of ['hunter2Zq', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC']) expect(kept).not.toContain(secret)
})

test('uses the message of an event without an exception', () => {
  expect(toErrorEvent(rawEvent({ message: 'm' }), projectId)).toMatchObject({
    type: null,
    message: 'm',
  })
  expect(toErrorEvent(rawEvent(), projectId)).toMatchObject({
    message: '',
    context: {},
    frames: [],
  })
})

test('keeps the newest breadcrumbs and reports the cut', () => {
  const crumbs = (count: number) => ({
    breadcrumbs: Array.from({ length: count }, (_, n) => ({ message: n })),
  })
  const keptOf = (count: number) =>
    toErrorEvent(rawEvent({ context: crumbs(count) }), projectId).context['breadcrumbs'] as unknown[]
  expect(keptOf(100)).toEqual(crumbs(100).breadcrumbs)
  expect(keptOf(101)).toEqual([{ message: cutRest }, ...crumbs(101).breadcrumbs.slice(1)])
})

test('truncates and marks later context parts and keeps earlier ones whole', () => {
  const user = { id: 'u1' }
  const extra = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`k${n}`, 'x'.repeat(4_000)]))
  const { context } = toErrorEvent(rawEvent({ context: { user, extra } }), projectId)
  expect(context['user']).toEqual(user)
  expect(JSON.stringify(context['extra'])).toContain(cutRest)
})

test('any stored event is within the limits', () => {
  const long = fc
    .tuple(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(500))
    .map(([text, times]) => text.repeat(times))
  const text = fc.oneof(fc.string(), long)
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(text, fc.jsonValue(), fc.array(tie('tree')), fc.dictionary(text, tie('tree'))),
  }))
  const names = fc.constantFrom('user', 'request', 'extra', 'breadcrumbs', 'contexts', 'other')
  fc.assert(
    fc.property(
      text,
      fc.dictionary(text, text),
      fc.dictionary(names, tree),
      tree,
      fc.nat(120),
      (any, tags, context, variables, count) => {
        const frames = Array.from({ length: count }, () =>
          rawFrame({ file: any, function: any, source: any, variables }),
        )
        const raw = rawEvent({
          release: any,
          message: any,
          tags,
          context,
          unreadable: [any],
          exceptions: [rawException({ type: any, value: any, frames })],
        })
        const event = toErrorEvent(raw, projectId)
        expect(Buffer.byteLength(JSON.stringify(event.context))).toBeLessThanOrEqual(contextBytesMax)
        expect(event.frames.length).toBe(Math.min(count, 100))
        for (const frame of event.frames) expect(ErrorFrame.parse(frame)).toEqual(frame)
        expect(event.release?.length).toBeLessThanOrEqual(200)
        expect(event.message.length).toBeLessThanOrEqual(8_192)
        // the largest message of the bus; a control character is six bytes of JSON
        expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(1024 * 1024)
      },
    ),
    // a counterexample of this size takes hours to shrink
    { numRuns: 60, endOnFailure: true },
  )
})
