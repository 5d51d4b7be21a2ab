import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkOf, fileOf, planOf } from '../plan/testing.ts'
import { applyPlan } from './apply-plan.ts'
import { createRepeatableClient } from './repeatable-client.ts'

/** A server that breaks the connection of every first POST off, after it has read all of it. */
type Seen = { method: string; body: string; headers: IncomingHttpHeaders }
const seen: Seen[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method = '', headers } = request
    const body = Buffer.concat(chunks).toString()
    const isFirst = !seen.some((each) => each.body === body)
    seen.push({ method, body, headers })
    if (method === 'POST' && isFirst) return request.socket.destroy()
    const answer = method === 'POST' ? checkOf(JSON.parse(body).name) : { checks: [] }
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeEach(() => void seen.splice(0))
afterAll(() => new Promise((resolve) => server.close(resolve)))

const clientOf = (runId: string) => {
  const { port } = server.address() as AddressInfo
  return createRepeatableClient({
    apiUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'key',
    headers: { 'service-client': 'cli/1' },
    runId,
  })
}
const apply = (runId: string, names: string[]) =>
  applyPlan(
    {
      client: clientOf(runId),
      budget: null,
      signal: new AbortController().signal,
      now: () => 0,
      pause: async () => {},
      report: () => {},
    },
    planOf(
      names.map((name) => fileOf(name)),
      [],
    ),
  )
const keysSeen = () =>
  seen.flatMap(({ method, headers }) => (method === 'POST' ? headers['idempotency-key'] : []))

test('repeats a POST after a lost connection with the same key, body and headers', async () => {
  expect((await apply('run-1', ['web'])).stop).toBeNull()
  const posts = seen.filter(({ method }) => method === 'POST')
  expect(posts).toHaveLength(2)
  expect(posts[1]).toEqual(posts[0])
  expect(posts[0]?.headers).toMatchObject({
    authorization: 'Bearer key',
    'content-type': 'application/json',
    'service-client': 'cli/1',
  })
  expect(posts[0]?.headers['idempotency-key']).toMatch(/^run-1-[\w-]{43}$/)
})

test('gives every POST its own key, different in every run', async () => {
  await apply('run-1', ['web', 'api'])
  seen.splice(0)
  await apply('run-2', ['web', 'api'])
  const second = new Set(keysSeen())
  expect(second.size).toBe(2)
  seen.splice(0)
  await apply('run-1', ['web', 'api'])
  expect(new Set(keysSeen()).isDisjointFrom(second)).toBe(true)
})

test('gives other methods no key', async () => {
  await clientOf('run-1').call('listChecks', {})
  expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined])
})
