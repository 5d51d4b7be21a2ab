import { expect, test } from 'vitest'
import { proxyOf } from './proxy.ts'

const both = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://plain:3128' }
const of = (url: string, environment: Record<string, string>): string | null =>
  proxyOf(new URL(url), environment)?.url.host ?? null

test.each([
  ['https://api.example.com/v1', both, 'proxy:3128'],
  ['http://api.example.com/v1', both, 'plain:3128'],
  ['https://api.example.com/v1', { HTTP_PROXY: 'http://plain:3128' }, null],
  ['https://api.example.com/v1', { ...both, https_proxy: 'http://small:1' }, 'small:1'],
  ['https://api.example.com/v1', { HTTPS_PROXY: 'proxy:3128' }, 'proxy:3128'],
  ['https://api.example.com/v1', { HTTPS_PROXY: '' }, null],
  ['https://api.example.com/v1', {}, null],
  ['http://127.0.0.1:8080/v1', both, null],
  ['http://localhost:8080/v1', both, null],
  ['http://[::1]:8080/v1', both, null],
])('%s with %j goes through %s', (url, environment, host) => {
  expect(of(url, environment)).toBe(host)
})

test.each([
  ['*', true],
  ['example.com', true],
  ['.example.com', true],
  ['*.example.com', true],
  ['API.example.com', true],
  ['api.example.com:8443', true],
  ['api.example.com:443', false],
  ['other.com, example.com', true],
  ['le.com', false],
  ['', false],
])('NO_PROXY=%s excludes https://api.example.com:8443: %s', (NO_PROXY, isExcluded) => {
  expect(of('https://api.example.com:8443/', { ...both, NO_PROXY }) === null).toBe(isExcluded)
})

test.each([
  ['10.0.0.0/8', 'https://10.1.2.3/', true],
  ['10.0.0.0/8', 'https://11.1.2.3/', false],
  ['10.0.0.0/99', 'https://10.1.2.3/', false],
  ['fd00::/8', 'https://[fd00::1]/', true],
  ['fd00::1', 'https://[fd00::1]/', true],
  ['10.0.0.0/8', 'https://api.example.com/', false],
])('NO_PROXY=%s excludes %s: %s', (NO_PROXY, url, isExcluded) => {
  expect(of(url, { ...both, NO_PROXY }) === null).toBe(isExcluded)
})

test.each(['socks5://proxy:1080', 'http://', 'http://user:secret@:3128'])(
  'refuses the proxy %s without repeating it',
  (HTTPS_PROXY) => {
    const call = () => proxyOf(new URL('https://api.example.com/'), { HTTPS_PROXY })
    expect(call).toThrow('HTTPS_PROXY is not the URL of an HTTP proxy')
    expect(call).not.toThrow('secret')
  },
)
