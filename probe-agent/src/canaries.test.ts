import { expect, test } from 'vitest'
import { canaryList } from './environment.ts'

test.each([
  ['none', []],
  ['192.0.2.1:443', [{ host: '192.0.2.1', port: 443 }]],
  [
    '[2001:db8::1]:53, gateway.lan:80',
    [
      { host: '2001:db8::1', port: 53 },
      { host: 'gateway.lan', port: 80 },
    ],
  ],
])('%j parses as the canaries %j', (text, canaries) => {
  expect(canaryList.parse(text)).toEqual({ ok: true, value: canaries })
})

test.each(['192.0.2.1', '192.0.2.1:0', '192.0.2.1:65536', '2001:db8::1:53', 'a b:80', ':80', 'x:80,,y:80'])(
  '%j is rejected with every problem',
  (text) => {
    const parsed = canaryList.parse(text)
    expect(parsed.ok ? [] : parsed.problems).toHaveLength(1)
  },
)
