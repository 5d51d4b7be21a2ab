import { describe, expect, test } from 'vitest'
import { hasPrivateKey, privateKeyTexts, splitPrivateKeys } from './private-key.ts'

const labels = [
  'PRIVATE KEY',
  'RSA PRIVATE KEY',
  'EC PRIVATE KEY',
  'DSA PRIVATE KEY',
  'ENCRYPTED PRIVATE KEY',
  'OPENSSH PRIVATE KEY',
  'PGP PRIVATE KEY BLOCK',
  'SSH2 ENCRYPTED PRIVATE KEY',
]
const keyOf = (label: string, line = '\n'): string =>
  [`-----BEGIN ${label}-----`, 'MIIEvQIBADANBgkqhkiG9w0', `-----END ${label}-----`, ''].join(line)

const writings: Record<string, (key: string) => string> = {
  'as it is': (key) => key,
  'with CRLF': (key) => key.replaceAll('\n', '\r\n'),
  'on one line': (key) => key.replaceAll('\n', ' '),
  'in JSON': (key) => JSON.stringify({ key }),
  'in JSON in JSON': (key) => JSON.stringify(JSON.stringify({ key })),
  'in JSON with units': (key) => key.replaceAll('-', '\\u002d').replaceAll('\n', '\\n'),
  'in a URL': (key) => `https://example.org/?k=${encodeURIComponent(key)}`,
  'in a URL in a URL': (key) => encodeURIComponent(encodeURIComponent(key)),
  'in a form': (key) => new URLSearchParams({ key }).toString(),
  'in lower case': (key) => key.toLowerCase(),
  'with long dashes': (key) => key.replaceAll('-----', '\u2014\u2014-'),
  'with four dashes and blanks': (key) => key.replaceAll(/-----(.*)-----/g, '----  $1 ----'),
  'with marks that nobody sees': (key) =>
    key.replaceAll('PRIVATE', 'PRI\u200bVATE').replaceAll(' ', '\u00a0'),
  'after a certificate': (key) => `-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n${key}`,
  'without its end': (key) => key.slice(0, -30),
}

describe.each(labels)('%s', (label) => {
  test.each(Object.entries(writings))('is seen %s', (_, write) => {
    expect(hasPrivateKey(`before ${write(keyOf(label))} after`)).toBe(true)
  })
})

test.each([
  '-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIC\n-----END PUBLIC KEY-----',
  '- Begin private key rotation on Monday',
  'the private key of the shop is in the vault',
  'BEGIN PRIVATE KEY',
  '{{ secret.private_key }}',
])('is not seen in %j', (text) => expect(hasPrivateKey(text)).toBe(false))

test('the fields that have one are named, keys of records included', () => {
  const key = keyOf('PRIVATE KEY')
  expect(privateKeyTexts({ a: ['x', { b: key }], [key]: 1, c: 'x' }, 8)).toEqual([['a', 1, 'b'], [key]])
})

test('a certificate and its key are taken apart, in either order', () => {
  const certificate = '-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n'
  const key = keyOf('EC PRIVATE KEY')
  for (const pem of [`${certificate}${key}`, `${key}${certificate}`]) {
    expect(splitPrivateKeys(pem)).toEqual({ rest: certificate, keys: [key] })
  }
  const both = `${key}${certificate}${keyOf('PRIVATE KEY')}`
  expect(splitPrivateKeys(both)).toEqual({ rest: certificate, keys: [key, keyOf('PRIVATE KEY')] })
  expect(splitPrivateKeys(key.slice(0, -30))).toEqual({ rest: key.slice(0, -30), keys: [] })
})
