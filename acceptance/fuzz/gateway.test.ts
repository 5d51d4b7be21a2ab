import { startTestGateway } from '@probe-mesh/mcp-gateway/src/testing'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { hostileRequests, fuzzTimeoutMs, seed } from './testing/fuzz.ts'
import { hostileBytes } from './testing/hostile-bytes.ts'
import { contentTypeOf, fuzzServer, inAnyEncoding } from './testing/hostile-requests.ts'

/** The gateway for assistants, over HTTP. */

const timeout = { timeout: fuzzTimeoutMs }

const at = useOnce(() => startTestGateway())

const message = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
const meta = { progressToken: 1 }
const samples = [
  message('tools/list', { _meta: meta }),
  message('tools/call', { name: 'list_checks', arguments: { limit: 5 }, _meta: meta }),
  message('tools/call', { name: 'create_check', arguments: { name: 'a', url: 'http://a/' } }),
  message('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'a', version: '1' },
  }),
  message('ping', {}),
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","id":7,"result":{}}',
]
const versions = ['2025-06-18', '2025-11-25', '2026-07-28', '1999-01-01', '[', 'x'.repeat(5_000)]

test.each(['mcp', 'public'])(
  `messages to /%s, ${hostileRequests} of seed ${seed}`,
  timeout,
  async (endpoint) => {
    const answers = await fuzzServer(
      at.url,
      (random) => {
        at.seen.length = 0
        at.logged.splice(0, at.logged.length - 100)
        const headers: Record<string, string> = {
          accept: 'application/json, text/event-stream',
          'content-type': contentTypeOf(random, 'application/json'),
          authorization: 'Bearer sv_rw_of-a-test',
        }
        if (random() < 0.3) {
          const version = versions[Math.floor(random() * versions.length)] ?? ''
          headers['mcp-protocol-version'] = version
          headers['mcp-method'] = 'tools/call'
        }
        if (random() < 0.05) headers['accept'] = 'text/html;q=x'
        const body = inAnyEncoding(random, hostileBytes(random, samples, 64 * 1024))
        return { path: `/${endpoint}`, headers, body }
      },
      () => at.logged.findLast((line) => line.includes('"level":50'))?.slice(0, 3_000) ?? '',
    )
    expect(answers.get(200) ?? 0).toBeGreaterThan(0)
  },
)
