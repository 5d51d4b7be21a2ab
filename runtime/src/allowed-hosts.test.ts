import { expect, test } from 'vitest'
import { allowedHostsOf, createHostRule } from './allowed-hosts.ts'

const allowed = allowedHostsOf(['https://Status.Example.com:8443', null], ['internal', 'mesh.svc:8080', ' '])

const rule = createHostRule(allowed)

test('allows this machine, our own URLs and the configured hosts', () => {
  expect(allowed).toEqual(['localhost', '127.0.0.1', '[::1]', 'status.example.com', 'internal', 'mesh.svc'])
})

test.each([
  ['status.example.com'],
  ['STATUS.example.com:1234'],
  ['internal:8080'],
  ['mesh.svc'],
  ['localhost:8080'],
  ['127.0.0.1'],
  ['127.1.2.3:80'],
  ['[::1]:8080'],
  // local addresses of the connection
  ['10.1.2.3:8080'],
])('%s is allowed', (host) => {
  expect(rule(host, { localAddress: '10.1.2.3' })).toBe(true)
})

test.each([
  [undefined],
  [''],
  ['evil.example'],
  ['evil.example:8080'],
  ['status.example.com.evil.example'],
  ['evil.example#status.example.com'],
  ['evil.example/status.example.com'],
  ['status.example.com@evil.example'],
  ['127.0.0.1.evil.example'],
  ['10.1.2.4'],
  ['[2001:db8::1]'],
  ['a b'],
  ['localhost:99999'],
])('%s is refused', (host) => {
  expect(rule(host, { localAddress: '10.1.2.3' })).toBe(false)
})

test('allows the address of the connection in any notation', () => {
  expect(rule('10.1.2.3', { localAddress: '::ffff:10.1.2.3' })).toBe(true)
  expect(rule('[2001:db8:0:0::1]:80', { localAddress: '2001:db8::1' })).toBe(true)
  expect(rule('10.1.2.3', {})).toBe(false)
})

test('a Host that is an address is allowed on its own connections only, also twice in a row', () => {
  const answers = ['10.1.2.3', '10.9.9.9', '10.1.2.3'].map((localAddress) =>
    rule('10.1.2.3', { localAddress }),
  )
  expect(answers).toEqual([true, false, true])
  expect([rule('evil.example', {}), rule('internal', {}), rule('evil.example', {})]).toEqual([
    false,
    true,
    false,
  ])
})
