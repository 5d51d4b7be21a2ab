import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuse, toProblem, type RefusalCode } from '@probe-mesh/contracts/schema/refusal'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApi } from './create-api.ts'
import { contextOf, fakePatience } from './testing.ts'

type Seen = { line: string; body: string; headers: IncomingHttpHeaders }
const seen: Seen[] = []
/** How the requests are answered, one after the other. */
const answers: ((response: ServerResponse) => void)[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method = '', url = '', headers } = request
    seen.push({ line: `${method} ${url}`, body: Buffer.concat(chunks).toString(), headers })
    answers.shift()?.(response)
  })
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeEach(() => void [seen.splice(0), answers.splice(0)])
afterAll(() => new Promise((resolve) => server.close(resolve)))

const breakOff = (response: ServerResponse): void => void response.socket?.destroy()
const say = (value: unknown) => (response: ServerResponse) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
}
const refuseWith =
  (code: RefusalCode, headers: object = {}) =>
  (response: ServerResponse) => {
    const problem = toProblem(refuse(code))
    const type = 'application/problem+json; charset=utf-8'
    response.writeHead(problem.status, { 'content-type': type, ...headers })
    response.end(JSON.stringify(problem))
  }
const proxyAway = (response: ServerResponse): void => {
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
}

const { context } = contextOf()
const open = (patience = fakePatience().patience) => {
  const { port } = server.address() as AddressInfo
  return createApi({ apiUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'key', patience })
}
const web = { name: 'web', url: 'https://web.example.com' }
const id = '0190b2f0-0000-7000-8000-0000000000aa'

test.each([
  ['whose connection broke off', breakOff],
  ['that a proxy answered', proxyAway],
  ['that the API failed at', refuseWith('SV-9001')],
  ['that the API had no store for', refuseWith('SV-9002')],
])('a POST %s is sent again with the same key, body and headers', async (_, fail) => {
  answers.push(fail, fail, say({ id }))
  expect(await open().call('createCheck', { body: web }, context)).toEqual({
    ok: true,
    value: { id },
  })
  expect(seen).toHaveLength(3)
  expect(
    new Set(
      seen.map((each) =>
        JSON.stringify([
          each.line,
          each.body,
          each.headers['idempotency-key'],
          each.headers['service-client'],
        ]),
      ),
    ).size,
  ).toBe(1)
  expect(seen[0]?.headers).toMatchObject({
    authorization: 'Bearer key',
    'idempotency-key': expect.stringMatching(/^[\w-]{36}$/),
    'service-client': expect.stringMatching(/^terraform-provider-service\/\d+\.\d+\.\d+$/),
  })
})

test('gives each of two identical creates its own key', async () => {
  const api = open()
  answers.push(say({ id }), say({ id }))
  await Promise.all([1, 2].map(() => api.call('createCheck', { body: web }, context)))
  expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
})

test('never serves a listing from before a write after it', async () => {
  const api = open()
  const late: ServerResponse[] = []
  answers.push((response) => late.push(response), say({ checks: [] }), say({ checks: [{ id }] }))
  const write = api.call('createCheck', { body: web }, context)
  await expect.poll(() => late.length).toBe(1)
  expect(await api.checks(context)).toEqual({ ok: true, value: [] })
  for (const response of late) say({ id })(response)
  await write
  expect(await api.checks(context)).toEqual({ ok: true, value: [{ id }] })
})

test('treats a DELETE whose response was lost as done', async () => {
  answers.push(breakOff, refuseWith('SV-3001'))
  const answer = await open().call('deleteCheck', { params: { id } }, context)
  expect(answer).toEqual({ ok: true, value: { id, deleted: true } })
})

test('reports a missing object to every call but DELETE', async () => {
  answers.push(refuseWith('SV-3001'))
  const answer = await open().call('getCheck', { params: { id } }, context)
  expect(answer).toMatchObject({ ok: false, failure: { code: 'SV-3001' } })
})

test('never quotes a response that is not from the API', async () => {
  answers.push((response) => void response.writeHead(403).end('<h1>Go away</h1>'))
  const answer = await open().call('listChecks', {}, context)
  expect(answer).toMatchObject({ ok: false, failure: { code: null } })
  expect(JSON.stringify(answer)).not.toContain('Go away')
})

test('finishes a write in flight when Terraform stops, and aborts a read', async () => {
  const stop = new AbortController()
  const stopping = { ...context, signal: stop.signal }
  const write = open().call('createCheck', { body: web }, stopping)
  const read = open().call('listChecks', {}, stopping)
  const late: ServerResponse[] = []
  answers.push(
    (response) => late.push(response),
    (response) => late.push(response),
  )
  await expect.poll(() => late.length).toBe(2)
  stop.abort()
  expect(await read).toMatchObject({ ok: false, failure: { code: null } })
  for (const response of late) say({ id })(response)
  expect(await write).toEqual({ ok: true, value: { id } })
})

/** An API of which a write was refused for now and waits, until `go`. */
const openWaiting = async () => {
  const turn = Promise.withResolvers<void>()
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
    await turn.promise
  }
  const api = open({ ...fakePatience().patience, pause })
  answers.push(refuseWith('SV-6002', { 'retry-after': '7' }))
  const waiting = api.call('createCheck', { body: web }, context)
  await expect.poll(() => pauses).toEqual([7_000])
  return { api, waiting, go: turn.resolve }
}

test('lets no later write overtake one that waits for quota', async () => {
  const { api, waiting, go } = await openWaiting()
  const later = api.call('createCheck', { body: { ...web, name: 'later' } }, context)
  answers.push(say({ checks: [] }), say({ id }), say({ id }))
  expect(await api.checks(context)).toEqual({ ok: true, value: [] })
  expect(seen.map(({ line }) => line)).toEqual(['POST /v1/checks', 'GET /v1/checks'])
  go()
  expect(await Promise.all([waiting, later])).toMatchObject([{ ok: true }, { ok: true }])
  expect(seen.slice(2).map(({ body }) => JSON.parse(body).name)).toEqual(['web', 'later'])
})

test('cancels a write that is not yet sent when Terraform stops', async () => {
  const { api, waiting, go } = await openWaiting()
  const stop = new AbortController()
  const later = api.call('createCheck', { body: web }, { ...context, signal: stop.signal })
  stop.abort()
  expect(await later).toMatchObject({ ok: false, failure: { code: null } })
  answers.push(say({ id }))
  go()
  expect(await waiting).toMatchObject({ ok: true })
  expect(seen).toHaveLength(2)
})
