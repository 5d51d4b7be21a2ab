import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { describe, expect, test } from 'vitest'
import { contextOf, setUp } from '../run/testing/run.ts'
import { journeyOf, opener, requestOf, startTarget } from './testing/targets.ts'

/** What redirects of checks with credentials get (S-3802, S-3860, S-3861), against real targets. */

const value = 'correct horse+battery/"staple"'
const secrets = { api_key: { value, hosts: ['127.0.0.1'] } }
const apiKey = { headers: [{ name: 'X-Api-Key', value: '{{ secret.api_key }}' }] }
const run = (assignment: Assignment) => setUp({ secrets: opener }).runAny(assignment, contextOf())
const auth = { type: 'basic', username: 'me', password: '{{ secret.api_key }}' } as const
const own = {
  ...apiKey,
  auth,
  method: 'POST',
  body: '{{ secret.api_key }}',
  contentType: 'text/plain',
} as const
const basic = `Basic ${Buffer.from(`me:${value}`).toString('base64')}`

test.each([
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', value],
  [308, 'POST', value],
])(
  'a %d on the same origin gets headers and credentials again, as %s with the body %j',
  async (status, method, body) => {
    const target = await startTarget(({ url }, response) =>
      response.writeHead(url === '/' ? status : 200, { location: '/again' }).end(),
    )
    const reading = await run(requestOf(target.at(), own, secrets))
    expect(reading).toMatchObject({ verdict: 'up', httpStatus: 200 })
    expect(reading.details ?? null).toBeNull()
    const [first, second] = target.received
    const headers = { 'x-api-key': value, authorization: basic }
    expect(first).toMatchObject({ method: 'POST', body: value, headers })
    expect(second).toMatchObject({ url: '/again', method, body, headers })
    expect(second?.headers['content-type']).toBe(body === '' ? undefined : 'text/plain')
    expect(second?.headers['content-length']).toBe(body === '' ? undefined : String(value.length))
  },
)

test('HEAD stays HEAD behind every redirect, with what is its own', async () => {
  const target = await startTarget(({ url }, response) => {
    const status = [301, 302, 303, 307, 308][Number(url.slice(1))] ?? 200
    response.writeHead(status, { location: `/${Number(url.slice(1)) + 1}` }).end()
  })
  const reading = await run(requestOf(target.at('/0'), { ...apiKey, method: 'HEAD' }, secrets))
  expect(reading).toMatchObject({ verdict: 'up', httpStatus: 200 })
  expect(target.received.map(({ method }) => method)).toEqual(Array.from({ length: 6 }, () => 'HEAD'))
  expect(target.received.every(({ headers }) => headers['x-api-key'] === value)).toBe(true)
})

describe('another origin gets nothing of it', () => {
  const leaving = async (
    status: number,
    request: Parameters<typeof requestOf>[1],
    end: number | ((home: string) => string) = 200,
  ) => {
    const home = { at: '' }
    const other = await startTarget(
      (_, response) =>
        typeof end === 'number'
          ? response.writeHead(end).end()
          : response.writeHead(302, { location: end(home.at) }).end(),
      { host: '127.0.0.2' },
    )
    const target = await startTarget(({ url }, response) =>
      response.writeHead(url === '/' ? status : 200, { location: other.at('/there') }).end(),
    )
    home.at = target.at('/back')
    const reading = await run(requestOf(target.at(), request, secrets))
    return { reading, target, other }
  }
  const bare = (received: { headers: object }[]): void => {
    for (const each of received) {
      expect(JSON.stringify(each)).not.toMatch(/x-api-key|authorization|cookie|correct|text\/plain/)
    }
  }
  const left = 'a redirect to another origin was followed without x-api-key, authorization'

  test('and a reading that is up notes what it lacked', async () => {
    const { reading, other } = await leaving(302, own)
    expect(reading).toMatchObject({ verdict: 'up', details: { type: 'http', notes: [left] } })
    expect(other.received).toMatchObject([{ method: 'GET', body: '' }])
    bare(other.received)
  })

  test('and one that is down says it, in its reason and beside the request', async () => {
    const { reading } = await leaving(307, { ...apiKey, auth }, 401)
    expect(reading).toMatchObject({
      verdict: 'down',
      cause: 'status_mismatch',
      reason: `expected status 200-299, got 401; ${left}`,
      details: { exchange: { leftOut: ['x-api-key', 'authorization'] } },
    })
  })

  test.each([301, 302, 303])('by %d a failure says that POST became GET', async (status) => {
    const { reading, other } = await leaving(status, { method: 'POST', body: 'a' }, 405)
    expect(other.received).toMatchObject([{ method: 'GET', body: '' }])
    expect(reading).toMatchObject({
      verdict: 'down',
      reason: 'expected status 200-299, got 405; a redirect turned POST into GET, without its body',
    })
  })

  test('a failure names both, and a method that stayed is not named', async () => {
    const both = await leaving(301, { method: 'POST', ...apiKey }, 405)
    expect(both.reading.reason).toBe(
      'expected status 200-299, got 405; a redirect turned POST into GET; a redirect to another origin was followed without x-api-key',
    )
    const { reading } = await leaving(307, { method: 'POST' }, 405)
    expect(reading.reason).toBe('expected status 200-299, got 405')
  })

  test('nor does its own when another one redirects back', async () => {
    const { target } = await leaving(302, own, (home) => home)
    bare(target.received.slice(1))
    expect(target.received).toMatchObject([{ url: '/' }, { url: '/back', method: 'GET' }])
  })

  test.each<[number, Parameters<typeof requestOf>[1]]>([
    [307, own],
    [308, { method: 'POST', body: 'a' }],
    [307, { method: 'GET', body: 'a' }],
    [302, { method: 'PUT', body: 'a' }],
    [301, { method: 'PATCH', body: 'a' }],
    [308, { method: 'DELETE', ...apiKey }],
    [307, { method: 'POST', auth }],
  ])('by %d a request that cannot do without is not repeated: %j', async (status, request) => {
    const { reading, other } = await leaving(status, request)
    expect(other.received).toEqual([])
    expect(reading).toMatchObject({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'redirect_not_repeated',
    })
  })

  test.each(['POST', 'DELETE'] as const)('by 307 a bare %s is repeated', async (method) => {
    const { reading, other } = await leaving(307, { method })
    expect(other.received).toMatchObject([{ method, body: '' }])
    expect(reading.verdict).toBe('up')
    expect(reading.details ?? null).toBeNull()
  })
})

test('a step of a journey redirects by a GET without any of it, also on its origin', async () => {
  const target = await startTarget(({ url }, response) => {
    const status = [301, 302, 303, 307, 308][Number(/\d/.exec(url)?.[0])] ?? 200
    response.writeHead(url.startsWith('/end') ? 200 : status, { location: '/end' }).end()
  })
  const step = {
    method: 'POST',
    body: value,
    contentType: 'text/plain',
    assertions: noStepAssertions,
  } as const
  const steps = [0, 1, 2, 3, 4].map((at) => ({
    ...step,
    name: String(at),
    url: target.at(`/${at}`),
    options: { ...apiKey, auth },
  }))
  expect(await run(journeyOf(steps, secrets))).toMatchObject({ verdict: 'up' })
  const hops = target.received.filter(({ url }) => url === '/end')
  expect(hops).toHaveLength(5)
  for (const hop of hops) {
    expect(hop).toMatchObject({ method: 'GET', body: '' })
    expect(JSON.stringify(hop)).not.toMatch(/x-api-key|authorization|correct|text\/plain/)
  }
})
