import { expect, test } from 'vitest'
import { allowedHostsOf, isAllowedHost } from './allowed-hosts.ts'

const allowed = allowedHostsOf(['https://Status.Example.com:8443', null], ['internal', 'mesh.svc:8080', ' '])

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
  expect(isAllowedHost(host, allowed, '10.1.2.3')).toBe(true)
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
  expect(isAllowedHost(host, allowed, '10.1.2.3')).toBe(false)
})

test('allows the address of the connection in any notation', () => {
  expect(isAllowedHost('10.1.2.3', allowed, '::ffff:10.1.2.3')).toBe(true)
  expect(isAllowedHost('[2001:db8:0:0::1]:80', allowed, '2001:db8::1')).toBe(true)
  expect(isAllowedHost('10.1.2.3', allowed, undefined)).toBe(false)
})
