import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RawEvent } from '../raw-event.ts'
import { rawEvent, rawException, rawFrame } from '../testing/raw-events.ts'
import { keptCorpus, scrubCorpus } from './corpus.ts'
import { defaultScrubRules, scrubEvent } from './scrub.ts'
import type { ScrubRules } from './scrub.ts'
import { depthMax, nodesMax, tooDeep, tooMany } from './scrub-value.ts'

/** An event that holds a value wherever SDKs put one. */
const holding = (value: unknown): RawEvent => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const frames = [
    rawFrame({ file: text, function: text, source: text, variables: { held: value } }),
  ]
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
      extra: { held: value, deep: [[{ held: value }]] },
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

test('the corpus has so many cases', () => {
  expect(scrubCorpus.length).toBeGreaterThanOrEqual(200)
})

test.each(scrubCorpus)('nothing is left of $what', ({ value, secrets, rules }) => {
  // a release and an environment are no persons: there addresses stay
  const event = { ...holding(value), release: null, environment: null }
  const scrubbed = JSON.stringify(scrubEvent(event, rulesOf(rules)))
  for (const form of secrets.flatMap(formsOf)) expect(scrubbed).not.toContain(form)
  expect(scrubbed).toContain('[removed: ')
})

test.each(keptCorpus)('$what stays', ({ value, rules }) => {
  const event = holding(value)
  expect(scrubEvent(event, rulesOf(rules))).toEqual(event)
})

test('scrubbing again changes nothing', () => {
  for (const { value, rules } of scrubCorpus) {
    const once = scrubEvent(holding(value), rulesOf(rules))
    expect(scrubEvent(once, rulesOf(rules))).toEqual(once)
  }
})
