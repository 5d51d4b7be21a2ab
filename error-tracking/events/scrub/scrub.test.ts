import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { RawEvent } from '../raw/raw-event.ts'
import { rawEvent, rawException, rawFrame } from '../testing/raw-events.ts'
import { scrubCorpus } from './corpus.ts'
import { keptCorpus } from './kept-corpus.ts'
import { defaultScrubRules, scrubEvent, type ScrubRules } from './scrub.ts'
import { depthMax, nodesMax, tooDeep, tooMany } from './scrub-value.ts'

/** An event with a value in every place that SDKs use. */
const holding = (value: unknown): RawEvent => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const frames = [rawFrame({ file: text, function: text, source: text, variables: { held: value } })]
  return rawEvent({
    release: text,
    environment: text,
    transaction: text,
    message: text,
    template: text,
    exceptions: [rawException({ type: text, value: text, module: text, frames })],
    frames,
    fingerprint: [text],
    tags: { held: text },
    context: {
      request: {
        url: text,
        query_string: text,
        data: value,
        headers: { 'X-Held': text },
        env: { HELD: text },
      },
      breadcrumbs: [{ message: text, data: { held: value } }],
      extra: { held: value, deep: [[{ held: value }]], [text]: true },
    },
  })
}

const rulesOf = (part: Partial<ScrubRules> = {}): ScrubRules => ({ ...defaultScrubRules, ...part })

const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64').replaceAll('=', ''),
]

test('the corpus has at least 200 cases', () => {
  expect(scrubCorpus.length).toBeGreaterThanOrEqual(200)
})

test.each(scrubCorpus)('removes $what', ({ value, secrets, rules }) => {
  // addresses stay in a release and an environment
  const event = { ...holding(value), release: null, environment: null }
  const scrubbed = JSON.stringify(scrubEvent(event, rulesOf(rules)))
  for (const form of secrets.flatMap(formsOf)) expect(scrubbed).not.toContain(form)
  expect(scrubbed).toContain('[removed: ')
})

test.each(keptCorpus)('keeps $what', ({ value, rules }) => {
  const event = holding(value)
  expect(scrubEvent(event, rulesOf(rules))).toEqual(event)
})

test.each(scrubCorpus)('scrubbing $what again changes nothing', ({ value, rules }) => {
  const once = scrubEvent(holding(value), rulesOf(rules))
  expect(scrubEvent(once, rulesOf(rules))).toEqual(once)
})

const fragments = fc.constantFrom(
  ...scrubCorpus.flatMap(({ value }) => (typeof value === 'string' ? [value] : [JSON.stringify(value)])),
  ...'password= token: Bearer [removed: token] [removed: ] : = " \' \\ { } [ ] & % %25 @ // :// eyJ . - \n'.split(
    ' ',
  ),
)
const mixed = fc.array(fc.oneof(fragments, fc.string({ maxLength: 4 })), { maxLength: 6 })

test('scrubbing any text twice equals scrubbing once', () => {
  forAll(
    [mixed, fc.constantFrom('', ' ', ',', '"'), fc.boolean()],
    { numRuns: 500 },
    (parts, between, keepAddresses) => {
      const event = rawEvent({
        message: parts.join(between),
        context: { extra: { a: parts.join(between) } },
      })
      const once = scrubEvent(event, rulesOf({ keepAddresses }))
      expect(scrubEvent(once, rulesOf({ keepAddresses }))).toEqual(once)
    },
  )
})

test('scrubbing any JSON twice equals scrubbing once', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fragments,
      fc.jsonValue(),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(fragments, fc.constantFrom('name', 'value', '__proto__', 'a')), tie('tree'), {
        maxKeys: 4,
      }),
    ),
  }))
  forAll([tree], { numRuns: 200 }, (value) => {
    const event = rawEvent({
      context: { extra: value },
      frames: [rawFrame({ variables: value })],
    })
    const once = scrubEvent(event, defaultScrubRules)
    expect(scrubEvent(once, defaultScrubRules)).toEqual(once)
  })
})

test('limits depth and number of values and marks each cut', () => {
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  const scrubbed = (value: unknown): string =>
    JSON.stringify(scrubEvent(rawEvent({ context: { extra: value } }), defaultScrubRules).context)
  // the context and its entry are two levels
  expect(scrubbed(nested(depthMax - 1))).not.toContain(tooDeep)
  expect(scrubbed(nested(depthMax))).toContain(tooDeep)
  expect(scrubbed(nested(200_000))).toContain(tooDeep)
  const many = (count: number): unknown => Array.from({ length: count }, () => 1)
  expect(scrubbed(many(nodesMax - 100))).not.toContain(tooMany)
  const twice = rawEvent({ context: { extra: many(nodesMax + 1), more: { a: 1 } } })
  const once = scrubEvent(twice, defaultScrubRules)
  expect(JSON.stringify(once.context)).toContain(tooMany)
  expect(scrubEvent(once, defaultScrubRules)).toEqual(once)
})
