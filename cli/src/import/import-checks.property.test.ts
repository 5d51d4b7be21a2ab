import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { importChecks, type ImportSource } from './import-checks.ts'
import { expectReadable } from './testing.ts'

const kinds = ['uptime-kuma', 'gatus', 'upptime'] as const

const expectAnswer = (source: ImportSource): number => {
  const imported = importChecks(source)
  if (imported.ok) {
    expectReadable(imported.checks)
    return imported.checks.length
  }
  expect(imported.problems.length).toBeGreaterThan(0)
  return 0
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 250 }),
  fc.constantFrom('a', 'a (2)', ' ', '$A', '"x"', 'null', '5', '5.0', '\u0000', '\ud800', '😀'.repeat(120)),
)
const url = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.webUrl(),
  fc.constantFrom('https://a.example.org', 'http://10.0.0.1', 'https://a.example.org/é\u0085', ''),
  text,
)
const status = fc.oneof(fc.integer({ min: 100, max: 599 }), fc.integer({ min: -1, max: 1_000 }))
const json = fc.jsonValue()
const often = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 40, arbitrary }, { weight: 1, arbitrary: json as fc.Arbitrary<unknown> })
const flag = fc.constantFrom(true, false, 0, 1, null)
const path = fc.oneof(fc.constantFrom('a', 'a.b[0]', '$.a', '$[0]', 'a["b"]', 'a..b'), text)

const kumaMonitor = fc.record(
  {
    name: often(text),
    type: fc.constantFrom('http', 'http', 'keyword', 'json-query', 'ping'),
    url: often(url),
    interval: often(fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.double({ min: 0, noNaN: true }))),
    active: fc.constantFrom(true, true, true, true, true, false),
    accepted_statuscodes: often(
      fc.array(
        fc.oneof(
          status.map(String),
          fc.tuple(status, status).map(([a, b]) => `${a}-${b}`),
        ),
        { minLength: 1, maxLength: 2 },
      ),
    ),
    maxredirects: often(fc.integer({ min: 0, max: 20 })),
    keyword: often(text),
    invertKeyword: flag,
    jsonPath: often(path),
    expectedValue: often(text),
    jsonPathOperator: fc.constantFrom(null, '==', 'contains', '>'),
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', null, 'POST'),
    headers: often(fc.constantFrom(null, null, null, '{}', '{"A":1}', '[]')),
  },
  { requiredKeys: ['type', 'url'] },
)
const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=')
const left = fc.oneof(
  fc.constantFrom('[STATUS]', '[BODY]', '[BODY].a', '[CONNECTED]', '[RESPONSE_TIME]'),
  path.map((inner) => `[BODY].${inner}`),
  path.map((inner) => `has([BODY].${inner})`),
)
const right = fc.oneof(
  status.map(String),
  text,
  text.map((inner) => `pat(*${inner}*)`),
  text.map((inner) => `any(${inner})`),
  fc.constantFrom('true', 'pat(2*)', 'any(200, 201)'),
)
const condition = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('[STATUS] == 200', '[STATUS] < 300', '[CONNECTED] == true'),
  },
  { weight: 3, arbitrary: fc.tuple(left, operator, right).map((parts) => parts.join(' ')) },
  { weight: 1, arbitrary: text },
)
const gatusEndpoint = fc.record(
  {
    name: often(text),
    url: often(url),
    interval: fc.oneof(fc.constantFrom('60s', '1h30m', '0', '0.1s', '99999h'), text),
    conditions: often(fc.array(condition, { maxLength: 4 })),
    enabled: flag,
    headers: often(fc.dictionary(text, text, { maxKeys: 1 })),
    client: often(fc.dictionary(text, json, { maxKeys: 1 })),
  },
  { requiredKeys: ['url'] },
)
const upptimeSite = fc.record(
  {
    name: often(text),
    url: often(url),
    expectedStatusCodes: often(fc.array(status, { maxLength: 3 })),
    maxRedirects: often(fc.integer({ min: 0, max: 5 })),
    __dangerous__body_down: often(text),
    __dangerous__body_down_if_text_missing: often(text),
    headers: often(fc.array(text, { maxLength: 1 })),
  },
  { requiredKeys: ['url'] },
)

describe('imported checks are read back from a file unchanged', () => {
  const sources: [string, fc.Arbitrary<ImportSource>][] = [
    [
      'uptime-kuma',
      fc.array(kumaMonitor, { maxLength: 4 }).map((monitorList) => ({
        kind: 'uptime-kuma',
        text: JSON.stringify({ monitorList }),
      })),
    ],
    [
      'uptime-kuma-rows',
      fc.array(kumaMonitor, { maxLength: 4 }).map((monitors) => ({
        kind: 'uptime-kuma-rows',
        rows: { monitors, counts: { notifications: 0, statusPages: 0, maintenance: 0 } },
      })),
    ],
    [
      'gatus',
      fc
        .array(gatusEndpoint, { minLength: 1, maxLength: 4 })
        .map((endpoints) => ({ kind: 'gatus', text: JSON.stringify({ endpoints }) })),
    ],
    [
      'upptime',
      fc
        .array(upptimeSite, { maxLength: 4 })
        .map((sites) => ({ kind: 'upptime', text: JSON.stringify({ sites }) })),
    ],
  ]
  test.each(sources)('%s', (_, source) => {
    let checks = 0
    forAll([source], (any) => {
      checks += expectAnswer(any)
    })
    expect(checks).toBeGreaterThan(0)
  })
})

test.each(kinds)('any text as %s has an answer', (kind) => {
  const lists = { 'uptime-kuma': 'monitorList', gatus: 'endpoints', upptime: 'sites' }
  const shaped = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[-a:?[\]{},#&*!|>'"%@` \n\t]{0,40}$/),
    json.map((value) => JSON.stringify(value)),
    json.map((value) => stringify(value)),
    fc.array(json).map((list) => JSON.stringify({ [lists[kind]]: list })),
    fc
      .array(fc.dictionary(fc.constantFrom('name', 'url', 'type', 'conditions'), json))
      .map((list) => JSON.stringify({ [lists[kind]]: list })),
  )
  forAll([shaped], { numRuns: 200 }, (text) => {
    expectAnswer({ kind, text })
  })
})
