import { expect, test } from 'vitest'
import { dsnOf } from './project.ts'

const publicKey = '0123456789abcdef0123456789abcdef'

test.each([
  ['http://127.0.0.1:8080', `http://${publicKey}@127.0.0.1:8080/7`],
  ['https://probe.example.org', `https://${publicKey}@probe.example.org/7`],
  ['https://probe.example.org:443', `https://${publicKey}@probe.example.org/7`],
  ['http://[::1]:8080', `http://${publicKey}@[::1]:8080/7`],
  ['https://example.org/mesh', `https://${publicKey}@example.org/mesh/7`],
  ['https://example.org/mesh/', `https://${publicKey}@example.org/mesh/7`],
])('with the public URL %s the DSN is %s', (publicUrl, dsn) => {
  expect(dsnOf({ publicKey, number: '7' }, publicUrl)).toBe(dsn)
})

test('keeps the digits of a project number beyond double precision', () => {
  const dsn = dsnOf({ publicKey, number: '9223372036854775807' }, 'https://example.org')
  expect(dsn).toBe(`https://${publicKey}@example.org/9223372036854775807`)
})
