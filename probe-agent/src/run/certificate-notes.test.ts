import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { expect, test } from 'vitest'
import { createCertificateNotes } from './certificate-notes.ts'

const one = {
  fingerprint256: 'A1',
  issuer: 'CN=a',
  subjectAltName: 'DNS:a.example',
  validFromDate: new Date(0),
}
const reading = {
  checkId: 'x',
  region: 'fra',
  kind: 'scheduled',
  cause: 'ok',
  certificateExpiresAt: 1,
} as const satisfies Partial<Reading>

const start = 1_790_000_000_000
/** Whether each of these readings has the certificate, each so many ms after the start. */
const noted = (...seen: (Partial<Reading> & { shown?: typeof one; afterMs?: number })[]): boolean[] => {
  let nowMs = start
  const notes = createCertificateNotes(() => nowMs)
  return seen.map(({ shown = one, afterMs = 0, ...of }) => {
    nowMs = start + afterMs
    return notes.newsOf({ ...reading, ...of }, shown) !== null
  })
}
const other = { ...one, fingerprint256: 'B2' }

test.each<[title: string, seen: Parameters<typeof noted>, expected: boolean[]]>([
  ['once', [{}, {}, {}], [true, false, false]],
  ['for each check', [{}, { checkId: 'y' }, {}, { checkId: 'y' }], [true, true, false, false]],
  [
    'for each region of one agent',
    [{}, { region: 'iad' }, {}, { region: 'iad' }],
    [true, true, false, false],
  ],
  ['with another end', [{}, { certificateExpiresAt: 2 }, { certificateExpiresAt: 2 }], [true, true, false]],
  ['of another fingerprint', [{}, { shown: other }, { shown: other }], [true, true, false]],
  ['in turns', [{}, { shown: other }, {}, { shown: other }], [true, true, true, true]],
  ['after an hour', [{}, { afterMs: 3_599_999 }, { afterMs: 3_600_000 }], [true, false, true]],
  ['after a clock went back an hour', [{ afterMs: 3_600_000 }, {}], [true, true]],
  [
    'once it is trusted, which it was not',
    [{ cause: 'certificate_untrusted' }, { cause: 'certificate_untrusted' }, {}, {}],
    [true, false, true, false],
  ],
  ['the same when it expires', [{}, { cause: 'certificate_expired' }], [true, false]],
  ['the same with a failure of another kind', [{}, { cause: 'status_mismatch' }], [true, false]],
  ['after a run on demand', [{ kind: 'manual' }, {}, {}], [true, true, false]],
  ['after a confirmation', [{ kind: 'confirmation' }, {}, {}], [true, true, false]],
])('a certificate is stored %s', (_, seen, expected) => {
  expect(noted(...seen)).toEqual(expected)
})
