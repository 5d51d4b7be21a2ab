import type { X509Certificate } from 'node:crypto'
import { SeenCertificate } from '@probe-mesh/contracts/reading/certificate'
import { expect, test } from 'vitest'
import { seenCertificate } from './seen-certificate.ts'

const seen = (issuer: string, subjectAltName?: string) =>
  seenCertificate({
    issuer,
    subjectAltName,
    validFromDate: new Date(1_790_000_000_000),
  } as X509Certificate)

test.each([
  ["C=US\nO=Let's Encrypt\nCN=R3", "Let's Encrypt, R3"],
  ['CN=only', 'only'],
  ['C=US', ''],
  ['O=a\u0000b\u202Ec\nCN=d', 'a b c, d'],
])('the issuer of %j is %j', (issuer, expected) => {
  expect(seen(issuer).issuer).toBe(expected)
})

test.each([
  [undefined, [], 0],
  ['', [], 0],
  ['DNS:a.example, DNS:*.b.example', ['a.example', '*.b.example'], 2],
  ['IP Address:192.0.2.1, DNS:a.example', ['192.0.2.1', 'a.example'], 2],
  ['email:x@a.example, DNS:a.example', ['a.example'], 1],
])('the names of %j are %j', (text, names, nameCount) => {
  expect(seen('', text)).toMatchObject({ names, nameCount })
})

test('any certificate is limited, and fits a reading', () => {
  const names = Array.from({ length: 2_000 }, (_, each) => `DNS:${'x'.repeat(300)}${each}`)
  const note = seen(`O=${'😀'.repeat(300)}`, names.join(', '))
  expect(note).toMatchObject({ nameCount: 2_000 })
  expect(note.names).toHaveLength(10)
  expect(SeenCertificate.parse(note)).toEqual(note)
})
