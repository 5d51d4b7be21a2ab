import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { cutRest } from '../raw/cut-text.ts'
import { groupEvent } from '../group/group-event.ts'
import type { RawEvent } from '../raw/raw-event.ts'
import { scrubCorpus } from '../scrub/corpus.ts'
import { defaultScrubRules, scrubEvent } from '../scrub/scrub.ts'
import { textWindowMax } from '../scrub/scrub-value.ts'
import { rawEvent, rawException, rawFrame } from '../testing/raw-events.ts'
import { toErrorEvent } from '../to-error-event.ts'
import { structuredCharactersMax, freeCharactersMax, freeValuesMax, truncateEvent } from './truncate-event.ts'

const projectId = '6f2f1f9e-6a54-4a0c-9d8d-0b1f3f7b8c11'
/** The stored event as JSON. */
const stored = (raw: RawEvent): string =>
  JSON.stringify(toErrorEvent(scrubEvent(truncateEvent(raw), defaultScrubRules), projectId))
const keysOf = (count: number, value: (n: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value(n)]))

test('truncation leaves typical events unchanged', () => {
  const value = fc.jsonValue({ maxDepth: 4 })
  const text = fc.string({ maxLength: 200 })
  forAll(
    [text, fc.dictionary(text, text), fc.dictionary(text, value), value],
    { numRuns: 300 },
    (any, tags, extra, variables) => {
      const frames = [rawFrame({ function: any, variables }), rawFrame({ file: any, source: any })]
      const raw = rawEvent({
        message: any,
        release: any,
        tags,
        fingerprint: [any],
        exceptions: [rawException({ frames: [] }), rawException({ type: any, value: any, frames })],
        context: {
          extra,
          user: extra,
          request: { data: JSON.stringify(extra) },
          breadcrumbs: [extra],
        },
      })
      expect(truncateEvent(raw)).toEqual(raw)
    },
  )
})

test('limits the characters and values of an event, whichever part is large', () => {
  const count = (value: unknown): { characters: number; values: number } => {
    if (typeof value === 'string') return { characters: value.length, values: 1 }
    if (typeof value !== 'object' || value === null) return { characters: 0, values: 1 }
    const own = {
      characters: Object.keys(value).join('').length * Number(!Array.isArray(value)),
      values: 1,
    }
    for (const one of Object.values(value)) {
      const more = count(one)
      own.characters += more.characters
      own.values += more.values
    }
    return own
  }
  const much = [
    keysOf(20_000, () => 'http://a:b@c'),
    Array.from({ length: 100_000 }, () => 1),
    'http://a:b@'.repeat(90_000),
    JSON.stringify(keysOf(20_000, () => 'http://a:b@c')),
    keysOf(400, () => keysOf(100, () => 'abcdefgh')),
    keysOf(500, () => 'x'.repeat(2_000)),
  ]
  for (const value of much) {
    const text = typeof value === 'string' ? value : 'y'.repeat(900_000)
    const frames = Array.from({ length: 250 }, () => rawFrame({ source: text, variables: value }))
    const raw = rawEvent({
      message: text,
      tags: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`t${n}`, 'http://a:b@c'])),
      exceptions: Array.from({ length: 50 }, () => rawException({ value: text, frames })),
      context: { user: value, request: value, extra: value, contexts: value, breadcrumbs: [value] },
    })
    const cut = truncateEvent(raw)
    const { characters, values } = count(cut)
    // keys and marks are extra
    expect(characters).toBeLessThan((structuredCharactersMax + freeCharactersMax) * 1.2)
    expect(values).toBeLessThan(freeValuesMax + 50 * 4 + 250 * 12 + 500)
    expect(cut.truncated).toEqual(expect.arrayContaining(['message', 'tags', 'extra', 'variables']))
    expect(groupEvent(cut)).toEqual(groupEvent(truncateEvent(cut)))
  }
})

test('large surrounding data does not change the group of an event', () => {
  const frames = Array.from({ length: 250 }, (_, n) => rawFrame({ function: `f${n}` }))
  const raw = rawEvent({ exceptions: [rawException({ frames })] })
  const heavy = rawEvent({
    exceptions: [
      rawException({ value: 'x'.repeat(500_000), frames: [rawFrame()] }),
      rawException({ frames: frames.map((one) => ({ ...one, variables: keysOf(500, String) })) }),
    ],
    context: { extra: keysOf(20_000, String) },
  })
  expect(groupEvent(truncateEvent(heavy))).toEqual(groupEvent(raw))
})

test('an event lists its truncated parts, and each part is marked', () => {
  const event = toErrorEvent(
    scrubEvent(
      truncateEvent(
        rawEvent({
          message: 'm'.repeat(20_000),
          tags: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`t${n}`, 'v'])),
          context: { extra: keysOf(1_000, () => 1), user: { id: '7' } },
        }),
      ),
      defaultScrubRules,
    ),
    projectId,
  )
  expect(event.context['truncated']).toEqual(['message', 'tags', 'extra'])
  expect(event.context['user']).toEqual({ id: '7' })
  expect(event.message).toMatch(/m\[cut: the rest\]$/)
  expect(JSON.stringify(event.context['extra'])).toContain(cutRest)
})

test('leaves no part of a secret at the cut', () => {
  const secretTexts = scrubCorpus.filter(({ value, rules }) => typeof value === 'string' && !rules)
  expect(secretTexts.length).toBeGreaterThan(80)
  // a removed secret before the cut makes room for more text after it
  const removed = `sk-${'a1'.repeat(1_500)} `
  for (const { value, secrets } of secretTexts) {
    const [secret = ''] = secrets
    const text = String(value)
    const at = text.indexOf(secret)
    if (at === -1 || secret.length < 6) continue
    for (const shown of [4, 6, Math.ceil(secret.length / 2), secret.length - 1]) {
      const room = textWindowMax - removed.length - at - shown - 1
      const long = `${removed}${'x y '.repeat(room).slice(0, room)} ${text}${' z'.repeat(500)}`
      const out = stored(rawEvent({ message: long, context: { extra: { held: long, [long]: 1 } } }))
      expect(out).not.toContain(secret.slice(0, Math.max(4, shown)))
    }
  }
})

test('truncates long JSON text as JSON and removes values with secret names', () => {
  const pairs = Array.from({ length: 2_000 }, (_, n) => ({
    value: `hunter2Zq${n}`,
    name: n % 2 === 0 ? 'authorization' : 'x-api-key',
  }))
  const body = JSON.stringify({ headers: pairs, last: 1 })
  const out = stored(rawEvent({ message: body, context: { request: { data: body, env: pairs } } }))
  expect(out).not.toContain('hunter2Zq')
  expect(out).toContain('[removed: ')
  expect(out).toContain(cutRest)
  const deep = `${'['.repeat(4_000)}{"value":"hunter2Zq","name":"password"}${']'.repeat(4_000)}`
  expect(stored(rawEvent({ message: deep }))).not.toContain('hunter2Zq')
})

test('removes a value with a secret name even with little room', () => {
  for (const filler of [600, 5_000, 20_000]) {
    const extra = { value: 'hunter2Zq', ...keysOf(filler, () => 'x'.repeat(30)), name: 'password' }
    expect(stored(rawEvent({ context: { extra } }))).not.toContain('hunter2Zq')
    const used = { a: 'x'.repeat(9_000), b: 'x'.repeat(9_000), c: 'x'.repeat(9_000) }
    const contexts = Array.from({ length: 60 }, () => ({
      ...used,
      d: { value: 'hunter2Zq', name: 'password' },
    }))
    expect(stored(rawEvent({ context: { contexts } }))).not.toContain('hunter2Zq')
  }
})
