import { errors } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { useEach, useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { createRequests } from './requests.ts'

const server = useOnce(() => startTestNats())
const nc = useEach(() => connect({ servers: server.url }))
const other = useEach(() => connect({ servers: server.url }))

test('each of many requests gets its own answer, in whatever order they come', async () => {
  const { request } = createRequests(nc, '_INBOX')
  const asked: (() => void)[] = []
  other.subscribe('double', {
    callback: (_, message) => {
      asked.push(() => message.respond(String(Number(message.string()) * 2)))
      if (asked.length === 1_000) for (const answer of asked.toReversed()) answer()
    },
  })
  await other.flush()
  const numbers = Array.from({ length: 1_000 }, (_, n) => n)
  const answers = await Promise.all(numbers.map((n) => request('double', String(n), { timeout: 20_000 })))
  expect(answers.map((answer) => Number(answer.string()))).toEqual(numbers.map((n) => n * 2))
})

test('a request without an answer fails with the reason: late, nobody there, refused, closed', async () => {
  const { request, refuse } = createRequests(nc, '_INBOX')
  other.subscribe('silent')
  await other.flush()
  await expect(request('silent', '', { timeout: 1 })).rejects.toBeInstanceOf(errors.TimeoutError)
  const nobody = await request('nowhere', '', { timeout: 20_000 }).catch((error: unknown) => error)
  expect(nobody).toMatchObject({ name: 'RequestError', cause: { name: 'NoResponders' } })
  const [first, second] = [1, 2].map(() => request('silent', '', { timeout: 20_000 }))
  const refusal = new errors.PermissionViolationError('no', 'publish', 'silent')
  refuse(refusal)
  await expect(first).rejects.toMatchObject({ cause: refusal })
  const closed = expect(second).rejects.toMatchObject({ cause: { name: 'ClosedConnectionError' } })
  await nc.close()
  await closed
  await expect(request('silent')).rejects.toThrow('closed')
})
