import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { startTestGateway } from './testing.ts'

const at = useOnce(() => startTestGateway())

test.each([
  ['OPTIONS', '/other'],
  ['POST', '//mcp'],
  ['POST', '/mcp/'],
  ['GET', '/nowhere'],
])('answers an unknown path or method with a problem document: %s %s', async (method, path) => {
  const answer = await fetch(at.url + path, { method })
  expect(answer.status).toBe(404)
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await answer.json()).toMatchObject({ code: 'SV-3001', status: 404 })
})

test.each(['/healthz', '/metrics', '/mcp', '/public', '/%zz'])(
  'forbids content sniffing on every path: %s',
  async (path) => {
    const { headers } = await fetch(at.url + path)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('strict-transport-security')).toBeNull()
  },
)
