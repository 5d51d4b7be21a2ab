import { expect, test } from 'vitest'
import { registrableDomain } from './domains-store.ts'
import type { StoredConfig } from '../../records/check/check-record.ts'

const http = (url: string) => ({ url, config: { type: 'http' } as const })
const of = (config: unknown) => ({ url: null, config: config as StoredConfig })

test.each([
  [http('https://www.shop.example.co.uk/x'), 'example.co.uk'],
  // a customer of a platform registered nothing: the platform did
  [http('https://somebody.github.io/'), 'github.io'],
  [http('https://Bücher.example.org/'), 'example.org'],
  [http('https://93.184.216.34/'), null],
  [http('http://[2606:2800:220:1::1]/'), null],
  [http('https://db.internal/'), null],
  [http('http://localhost/'), null],
  [of({ type: 'tcp', settings: { host: 'db.example.org', port: 5432 } }), 'example.org'],
  [
    of({
      type: 'dns',
      settings: { name: 'a.b.example.net.', recordType: 'A', resolver: null, expect: null },
    }),
    'example.net',
  ],
  // the operator opened the resolver
  [
    of({
      type: 'dns',
      settings: { name: 'a.example.net', recordType: 'A', resolver: '10.0.0.53', expect: null },
    }),
    'example.net',
  ],
  [
    of({
      type: 'dns',
      settings: { name: 'db.internal', recordType: 'A', resolver: '10.0.0.53', expect: null },
    }),
    null,
  ],
  [of({ type: 'heartbeat', settings: {} }), null],
  [of({ type: 'unknown' }), null],
])('the domain of %j is %s', (check, expected) => {
  expect(registrableDomain(check)).toBe(expected)
})
