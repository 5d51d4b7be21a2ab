import { once } from 'node:events'
import { createServer as createPlain, type Server } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { formatApiKey } from '@probe-mesh/contracts/account/key-text'
import { createCertificates } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommandLine } from '../command-line/create-program.ts'
import { allCommands } from '../commands/all-commands.ts'
import { testContext } from '../terminal/testing.ts'

/** Servers that are not the API, or not as the URL says. */

const key = formatApiKey('read', new Uint8Array(32))
const certificates = createCertificates()
const pages = {
  '502 with HTML': createPlain((_, answer) => answer.writeHead(502).end('<html>Bad Gateway</html>')),
  '200 with HTML': createPlain((_, answer) => answer.end('<html>Welcome</html>')),
  'other JSON': createPlain((_, answer) => answer.end('{"status":"ok"}')),
  '404 with other JSON': createPlain((_, answer) => answer.writeHead(404).end('{"error":"no"}')),
  plain: createPlain((_, answer) => answer.end()),
  secure: createSecure(certificates.selfSigned('127.0.0.1'), (_, answer) => answer.end()),
} satisfies Record<string, Server>

beforeAll(async () => {
  await Promise.all(Object.values(pages).map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
})
afterAll(() => {
  for (const server of Object.values(pages)) {
    server.closeAllConnections()
    server.close()
  }
  certificates.remove()
})

const another = 'and it is not an answer of the API: another server is there.'

test.each([
  ['502 with HTML', 'http', 'answered 502: a server in front of the API answers, and the API does not.'],
  ['200 with HTML', 'http', `answered 200, ${another}`],
  ['other JSON', 'http', `answered 200, ${another}`],
  ['404 with other JSON', 'http', `answered 404, ${another}`],
  [
    'plain',
    'https',
    'this port does not speak TLS.\nIf the API is served without TLS, its URL starts with http://.',
  ],
  [
    'secure',
    'http',
    'the connection was closed.\nIf the port expects TLS, the URL of the API starts with https://.',
  ],
  ['secure', 'https', 'its certificate is self-signed.'],
] as const)('%s at a URL with %s is told in plain words', async (page, scheme, told) => {
  const { port } = pages[page].address() as AddressInfo
  for (const line of ['status', 'incidents', 'agents']) {
    const context = testContext({ fetch, environment: { SERVICE_API_KEY: key } })
    const argv = [line, '--api-url', `${scheme}://127.0.0.1:${port}`]
    expect(await runCommandLine(allCommands, context, argv)).toBe(1)
    expect(context.written.out).toBe('')
    expect(context.written.err).toContain(`${scheme}://127.0.0.1:${port}/v1`)
    expect(context.written.err).toContain(told)
    expect(context.written.err).not.toMatch(/Error|openssl|JSON\.|Unexpected token/)
  }
})

test.each([
  ['http://127.0.0.1:1', 'http://127.0.0.1:1/v1'],
  ['http://127.0.0.1:1/', 'http://127.0.0.1:1/v1'],
  ['http://127.0.0.1:1/v1/', 'http://127.0.0.1:1/v1'],
  ['http://127.0.0.1:1/probes/v1', 'http://127.0.0.1:1/probes/v1'],
])('the URL %s is that of the API at %s', async (given, apiUrl) => {
  const context = testContext({ fetch, environment: { SERVICE_API_KEY: key, SERVICE_API_URL: given } })
  expect(await runCommandLine(allCommands, context, ['status'])).toBe(1)
  expect(context.written.err).toContain(`No answer from ${apiUrl}: `)
})

test('hints at the system command that may have been meant', async () => {
  for (const argv of [['nginx', 'restart'], ['--status-all']]) {
    const context = testContext()
    expect(await runCommandLine(allCommands, context, argv)).toBe(1)
    expect(context.written.err).toContain(
      `For a service of this machine: /usr/sbin/service ${argv.join(' ')}\n`,
    )
  }
})
