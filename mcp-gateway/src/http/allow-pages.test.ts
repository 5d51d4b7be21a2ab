import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing.ts'

const at = useOnce(() => startTestGateway({ allowedOrigins: ['127.0.0.1', 'localhost', 'app.example.org'] }))

const preflight = (path: string, origin: string) =>
  fetch(`${at.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
    },
  })

test.each(['/public', '/mcp'])('a page of an allowed host may ask %s, and read its answers', async (path) => {
  const origin = 'https://app.example.org'
  const asked = await preflight(path, origin)
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-origin')).toBe(origin)
  expect(asked.headers.get('access-control-allow-methods')).toBe('POST')
  expect(asked.headers.get('access-control-allow-headers')).toContain('authorization')
  expect(asked.headers.get('access-control-allow-credentials')).toBeNull()

  const answer = await fetch(`${at.url}${path}`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  // also the refusal of a request without a key
  expect(answer.status).toBe(path === '/mcp' ? 401 : 200)
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
  expect(answer.headers.get('vary')).toBe('origin')
})

test('a page of another host may not', async () => {
  const asked = await preflight('/public', 'https://evil.example')
  expect(asked.status).toBe(403)
  expect(asked.headers.get('access-control-allow-origin')).toBeNull()
})
