import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { endOfText, formatFor, labelText, metricText, readLabels } from './metric-text.ts'
import { parseMetrics } from './testing.ts'

const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,9}$/)
/** Any character, and often one that has a meaning in the format. */
const unit = fc.oneof(
  fc.constantFrom(...'\\"\n,}n'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)
const labels = fc.dictionary(name, fc.string({ unit }), { maxKeys: 4, noNullPrototype: true })
const drawn = fc.uniqueArray(
  fc.record({ labels, value: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
  {
    selector: (each) => JSON.stringify(Object.entries(each.labels).toSorted()),
    maxLength: 5,
  },
)

test('a parser of the format reads back every label and value, whatever they contain', () => {
  forAll(
    [fc.uniqueArray(name, { maxLength: 3 }), drawn],
    { examples: [[['a'], [{ labels: {}, value: -0 }]]] },
    (names, samples) => {
      const families = names.map((each) => ({
        name: each,
        help: 'Some help',
        samples: (subject: (typeof samples)[number]) => [
          { labels: labelText(subject.labels), value: subject.value },
        ],
      }))
      const text = [...metricText(families, samples), endOfText].join('')
      // the text has no sign for zero, and -0 + 0 is 0
      const series = names.flatMap((each) =>
        samples.map((sample) => ({ name: each, ...sample, value: sample.value + 0 })),
      )
      expect(parseMetrics(text)).toEqual(series)
    },
  )
})

test('labels are read back from their text, whatever they contain', () => {
  forAll([labels], (each) => void expect(readLabels(labelText(each))).toEqual(each))
})

test.each([
  [undefined, 'text'],
  ['*/*', 'text'],
  ['text/plain', 'text'],
  ['application/json', 'text'],
  ['application/openmetrics-text; version=1.0.0', 'openmetrics'],
  ['application/openmetrics-text; version=0.0.1', 'text'],
  ['application/openmetrics-text;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.5', 'text'],
  ['application/openmetrics-text;q=0', 'text'],
  // Prometheus 3
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
    'openmetrics',
  ],
])('for a client that accepts %s the format is %s', (accept, format) => {
  expect(formatFor(accept)).toBe(format)
})
