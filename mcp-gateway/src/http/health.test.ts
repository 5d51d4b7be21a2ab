import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { gatewayKey, problemAnswer, startTestGateway } from '../testing.ts'

const at = useOnce(() => startTestGateway())

const readyz = async () => {
  const response = await fetch(`${at.url}/readyz`)
  return { status: response.status, body: await response.json() }
}
const lines = (text: string) => at.logged.filter((line) => line.includes(text))

test('is not ready while the control plane refuses its key, and logs that once', async () => {
  at.answerWith(({ headers }) =>
    headers['gateway-key'] === gatewayKey ? problemAnswer('SV-1010') : { status: 500 },
  )
  for (const _ of [1, 2]) {
    expect(await readyz()).toEqual({
      status: 503,
      body: {
        ready: false,
        checks: { controlPlane: expect.stringContaining('GATEWAY_KEY') },
      },
    })
  }
  expect(lines('refuses this gateway')).toHaveLength(1)

  at.answerWith(() => ({ status: 503 }))
  expect(await readyz()).toMatchObject({ body: { checks: { controlPlane: 'it does not answer' } } })
  at.answerWith(() => undefined)
  expect(await readyz()).toEqual({
    status: 200,
    body: { ready: true, checks: { controlPlane: 'ok' } },
  })
  expect(lines('trusts this gateway again')).toHaveLength(1)
})

test('tells the doctor whether TRUST_PROXY has the proxy that forwarded its request', async () => {
  const of = async (headers: Record<string, string>) => (await fetch(`${at.url}/healthz`, { headers })).json()
  expect(await of({})).toEqual({ status: 'ok', proxy: 'none' })
  expect(await of({ 'x-forwarded-for': '192.0.2.7' })).toEqual({ status: 'ok', proxy: 'not_trusted' })
  expect(await (await fetch(`${at.url}/metrics`)).text()).toContain(
    'http_forwarded_by_untrusted{address="127.0.0.1"}',
  )
})

test('ACCESS_LOG logs each request with its id and route, and nothing that its client sent', async () => {
  const logging = await startTestGateway({ accessLog: 'on' })
  try {
    const answer = await fetch(`${logging.url}/healthz?hidden=1`, {
      headers: { authorization: 'Bearer hidden' },
    })
    await answer.text()
    const line = logging.logged.find((each) => each.includes('"msg":"request"'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      requestId: answer.headers.get('x-request-id'),
      method: 'GET',
      route: '/healthz',
      status: 200,
    })
    expect(line).not.toContain('hidden')
  } finally {
    await logging.close()
  }
})
