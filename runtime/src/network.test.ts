import { expect, test } from 'vitest'
import { networkEnvironment, networkRemedy, networkRule, openNetwork, proxyOfPinned } from './network.ts'
import { ThroughProxy } from './proxy.ts'

const proxied = { HTTPS_PROXY: 'http://proxy:3128' }

test.each([
  ['chat.corp', '10.1.2.3', '10.0.0.0/8', false],
  ['chat.corp', '10.1.2.3', 'corp', false],
  ['chat.corp', '10.1.2.3', '11.0.0.0/8', true],
  ['chat.corp', 'fd00::5', 'fd00::/8', false],
  ['chat.corp', '93.184.216.34', '', true],
])(
  'a request to %s at %s with NO_PROXY=%s goes through the proxy: %s',
  (host, address, NO_PROXY, isProxied) => {
    const network = openNetwork({ ...proxied, NO_PROXY }, { certificates: null })
    expect(proxyOfPinned(network, new URL(`https://${host}/`), address) !== null).toBe(isProxied)
  },
)

test('a variable in small letters is checked too, and its password is not repeated', () => {
  const given: Record<string, string> = {
    https_proxy: 'socks5://ann:secret@proxy',
    http_proxy: 'http://a:%@b',
  }
  const problems = networkRule((name) => given[name] ?? null)
  expect(problems).toEqual([
    'https_proxy is not the URL of an HTTP proxy, such as http://proxy.example.com:3128',
    'http_proxy has a password with a % that is not part of an escape: write it as %25',
  ])
  expect(networkEnvironment.HTTPS_PROXY.read('ftp://x')).toEqual({
    ok: false,
    problems: ['is not the URL of an HTTP proxy, such as http://proxy.example.com:3128'],
  })
})

test('CA_FILE must be a file with certificates', () => {
  expect(networkEnvironment.CA_FILE.read('/nowhere/ca.pem')).toMatchObject({
    ok: false,
    problems: [
      expect.stringContaining('must be a readable file of certificates in PEM: /nowhere/ca.pem: ENOENT'),
    ],
  })
  expect(networkEnvironment.CA_FILE.read(new URL(import.meta.url).pathname)).toMatchObject({
    ok: false,
    problems: [expect.stringMatching(/^must be a file of certificates in PEM, and .* has none$/)],
  })
})

test("says what a proxy's refusal means as undici words it", () => {
  const proxy = { url: new URL('http://proxy:3128'), variable: 'HTTPS_PROXY' }
  const refusal = new Error('Proxy response (407) !== 200 when HTTP Tunneling')
  const failed = new ThroughProxy(proxy, new TypeError('fetch failed', { cause: refusal }))
  expect(networkRemedy(failed)).toContain('wants a name and a password (407)')
  expect(networkRemedy(new Error('other'))).toBeNull()
})
