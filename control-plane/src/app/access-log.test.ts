import { expect, test } from 'vitest'
import { useTestApp } from './testing/test-app.ts'

const at = useTestApp({ config: { accessLog: 'on' } })
const quiet = useTestApp()

test('logs each request with its id, route, status and account, and nothing that its client sent', async () => {
  const { readKey, id } = await at.account('scale')
  at.logged.length = 0
  const answer = await at.call('GET', '/v1/checks?cursor=hidden', { key: readKey })
  await at.call('GET', '/v1/hidden/path')
  const lines = at.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  expect(lines).toMatchObject([
    {
      requestId: answer.headers['x-request-id'],
      method: 'GET',
      route: '/v1/checks',
      status: answer.status,
      ms: expect.any(Number),
      accountId: id,
    },
    { route: null, status: 404, accountId: null },
  ])
  for (const hidden of ['hidden', readKey]) expect(at.logged.join('')).not.toContain(hidden)
})

test('logs no request unless chosen', async () => {
  await quiet.call('GET', '/v1/checks')
  expect(quiet.logged.filter((line) => line.includes('"msg":"request"'))).toEqual([])
})
