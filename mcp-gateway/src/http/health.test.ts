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
