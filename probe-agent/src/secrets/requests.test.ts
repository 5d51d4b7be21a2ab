import { setTimeout as delay } from 'node:timers/promises'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { describe, expect, test } from 'vitest'
import { stopTime } from '../testing/stop-time.ts'
import { lagOf, contextOf, setUp } from '../run/testing/run.ts'
import { journeyOf, opener, requestOf, sealedFor, startTarget } from './testing/targets.ts'

/** Checks that send credentials, against real targets. */

const value = 'correct horse+battery/"staple"'
const secrets = { api_key: { value, hosts: ['127.0.0.1'] } }
const apiKey = { headers: [{ name: 'X-Api-Key', value: '{{ secret.api_key }}' }] }
const run = (assignment: Assignment, context = contextOf()) =>
  setUp({ secrets: opener }).runAny(assignment, context)

test('a target that wants a key and a body, and takes its time, is up', async () => {
  const { next } = stopTime()
  const target = await startTarget(async ({ headers, body, method }, response) => {
    const timer = Promise.withResolvers<void>()
    setTimeout(timer.resolve, 6_000)
    void next()
    await timer.promise
    const isWanted = headers['x-api-key'] === value && method === 'POST' && JSON.parse(body).key === value
    response.writeHead(isWanted ? 201 : 401).end()
  })
  const request = {
    ...apiKey,
    method: 'POST',
    body: '{"key":"{{ secret.api_key }}"}',
    contentType: 'application/json',
  } as const
  const reading = await run(requestOf(target.at('/orders?x=1'), request, secrets, { timeoutSeconds: 15 }))
  expect(reading).toMatchObject({ verdict: 'up', httpStatus: 201, attempts: 1 })
  expect(reading.latencyMs).toBeGreaterThanOrEqual(6_000)
})

test('a wrong key is down, with the reason of the target', async () => {
  const target = await startTarget(({ headers }, response) =>
    response.writeHead(headers['x-api-key'] === 'x' ? 200 : 401).end(),
  )
  const reading = await run(requestOf(target.at(), apiKey, secrets))
  expect(reading).toMatchObject({
    verdict: 'down',
    cause: 'status_mismatch',
    reason: 'expected status 200-299, got 401',
  })
})

test.each([
  ['application/json', '{"a":"{{secret.api_key}}"}', JSON.stringify({ a: value })],
  ['application/problem+json; charset=utf-8', '"{{secret.api_key}}"', JSON.stringify(value)],
  [
    'application/x-www-form-urlencoded',
    'a={{secret.api_key}}&b=1',
    new URLSearchParams({ a: value, b: '1' }).toString(),
  ],
  ['text/plain', '<{{secret.api_key}}>', `<${value}>`],
  [undefined, '{{secret.api_key}}', value],
])('in a body of type %s a secret keeps its meaning', async (contentType, body, sent) => {
  const target = await startTarget((_, response) => response.end())
  const type = contentType === undefined ? {} : { contentType }
  await run(requestOf(target.at(), { method: 'PUT', body, ...type }, secrets))
  expect(target.received).toMatchObject([{ method: 'PUT', body: sent }])
})

describe('what is sent', () => {
  test('headers replace the usual ones or add to them, credentials are those of HTTP', async () => {
    const target = await startTarget((_, response) => response.end())
    const headers = [
      { name: 'Accept', value: 'application/json' },
      { name: 'Cookie', value: 'a=b' },
      { name: 'X-Two', value: 'Token {{ secret.api_key }};v=1' },
    ]
    const auth = { type: 'basic', username: 'me', password: '{{ secret.api_key }}' } as const
    await run(requestOf(target.at(), { headers, auth }, secrets))
    await run(requestOf(target.at(), { auth: { type: 'bearer', token: '{{secret.api_key}}' } }, secrets))
    expect(target.received.map((each) => each.headers)).toMatchObject([
      {
        accept: 'application/json',
        cookie: 'a=b',
        'x-two': `Token ${value};v=1`,
        authorization: `Basic ${Buffer.from(`me:${value}`).toString('base64')}`,
        'user-agent': expect.stringContaining('ProbeMesh'),
      },
      { accept: '*/*', authorization: `Bearer ${value}` },
    ])
  })

  test('HEAD has no body, and a failed POST is not repeated', async () => {
    const target = await startTarget((_, response) => response.writeHead(500).end())
    await run(requestOf(target.at(), { method: 'HEAD', body: 'x' }))
    await run(requestOf(target.at(), { method: 'POST', body: 'x' }))
    expect(target.received.map(({ method, body }) => `${method} ${body}`)).toEqual([
      'HEAD ',
      'HEAD ',
      'POST x',
    ])
  })
})

describe('nothing is sent, and the target is not down, when a secret', () => {
  const nothing = async (
    assignment: (url: string) => Assignment,
    reason: string,
    capable: object = { secrets: opener },
  ) => {
    const target = await startTarget((_, response) => response.end())
    const { runAny, errors } = setUp(capable)
    const reading = await runAny(assignment(target.at()))
    expect(reading).toMatchObject({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'secret_unavailable',
      httpStatus: null,
    })
    expect(reading.reason).toContain(reason)
    expect(target.received).toEqual([])
    expect(JSON.stringify([reading, errors])).not.toContain('horse')
  }
  test('does not open: no key', () =>
    nothing((url) => requestOf(url, apiKey, secrets), 'the agent has no key', { secrets: null }))
  test('does not open: another check', () =>
    nothing(
      (url) => ({ ...requestOf(url, apiKey, secrets), checkId: '0190a000-0000-7000-8000-000000000002' }),
      'cannot open',
    ))
  test('was not sent', () => nothing((url) => requestOf(url, apiKey), 'were not sent'))
  test('does not exist', () =>
    nothing((url) => requestOf(url, apiKey, {}), 'the secret api_key does not exist'))
  test('belongs to another host', () =>
    nothing(
      (url) => requestOf(url, apiKey, { api_key: { value, hosts: ['api.example.com', '127.0.0.1:1'] } }),
      'may not be sent to http://127.0.0.1:',
    ))
  test.each(['horse\r\nx-more: 1', 'horse\n', 'horseé', 'horse\0'])('would end its header: %j', (bad) =>
    nothing(
      (url) => requestOf(url, apiKey, { api_key: { value: bad, hosts: ['127.0.0.1'] } }),
      'has a character',
    ),
  )
  test('would end the user name', () =>
    nothing(
      (url) =>
        requestOf(
          url,
          { auth: { type: 'basic', username: '{{secret.api_key}}', password: '' } },
          {
            api_key: { value: 'horse:horse', hosts: ['127.0.0.1'] },
          },
        ),
      'has a character',
    ))
  test('is missing in a later step of a journey, before the first is sent; all problems at once', () =>
    nothing((url) => {
      const step = {
        name: 'one',
        method: 'GET',
        url,
        body: null,
        contentType: null,
        assertions: noStepAssertions,
      } as const
      const options = { ...apiKey, auth: { type: 'bearer', token: '{{ secret.other }}' } } as const
      return journeyOf([step, { ...step, name: 'two', options }], {})
    }, 'Step 2 (two): the secret api_key does not exist, cannot be read, or does not name this private agent; save it, name the agent on it, or correct the check; Step 2 (two): the secret other'))
})

describe('a target that echoes all it gets', () => {
  const forms = [
    value,
    Buffer.from(`me:${value}`).toString('base64'),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString('hex'),
  ]
  const nowhere = (shown: unknown): void => {
    const text = JSON.stringify(shown)
    for (const form of forms) expect(text).not.toContain(JSON.stringify(form).slice(1, -1))
    expect(text).not.toMatch(/correct.{0,3}horse/i)
  }
  const auth = { type: 'basic', username: 'me', password: '{{ secret.api_key }}' } as const
  const echo = () =>
    startTarget(({ headers, body }, response) => {
      const all = { headers, body, url: encodeURIComponent(value), hex: Buffer.from(value).toString('hex') }
      response.setHeader(
        'content-type',
        `text/plain; note="${Buffer.from(`x${value}`).toString('base64url')}"`,
      )
      response.setHeader('x-echo', String(headers['x-api-key']))
      response.end(JSON.stringify(all))
    })
  const request = { ...apiKey, auth, method: 'POST', body: '{{ secret.api_key }}' } as const

  test('shows none of it in a trial, and is up', async () => {
    const target = await echo()
    const reading = await run(
      requestOf(target.at(), request, secrets),
      contextOf({ kind: 'manual', excerpt: true }),
    )
    expect(reading).toMatchObject({ verdict: 'up' })
    expect(reading.excerpt?.body).toContain('[secret api_key]')
    nowhere(reading)
  })

  test.each([0, 10, 30, 45, 57])(
    'shows no part of it in a reason that quotes the answer: %d',
    async (pad) => {
      const target = await startTarget(({ headers }, response) =>
        response.end(JSON.stringify({ echo: `${'.'.repeat(pad)}${String(headers['x-api-key'])}` })),
      )
      const assertions = {
        ...noAssertions,
        assertionJsonPath: 'echo',
        assertionJsonOp: 'equals',
        assertionJsonValue: 'x',
      } as const
      const reading = await run(requestOf(target.at(), apiKey, secrets, { assertions }))
      expect(reading).toMatchObject({ verdict: 'down', cause: 'json_mismatch' })
      expect(reading.reason).not.toMatch(/corre/)
    },
  )

  test('nor in one that quotes a header', async () => {
    const target = await startTarget(({ headers }, response) => {
      response.setHeader('x-echo', `${'.'.repeat(50)}${String(headers['x-api-key'])}`).end()
    })
    const assertions = {
      ...noStepAssertions,
      headerName: 'x-echo',
      headerOp: 'equals',
      headerValue: 'x',
    } as const
    const step = { name: 'one', method: 'GET', url: target.at(), body: null, contentType: null } as const
    const reading = await run(journeyOf([{ ...step, assertions, options: apiKey }], secrets))
    expect(reading.reason).toMatch(/got "\.{50}\[secret/)
  })

  test('is judged by its true answer', async () => {
    const target = await echo()
    const assertions = {
      ...noAssertions,
      assertionBodyOp: 'contains',
      assertionBodyValue: 'correct horse',
    } as const
    expect(await run(requestOf(target.at(), request, secrets, { assertions }))).toMatchObject({
      verdict: 'up',
    })
  })

  test('shows none of it in the hops, headers and reasons of a journey', async () => {
    const target = await startTarget(({ url, headers }, response) => {
      const key = String(headers['x-api-key'])
      response.setHeader('x-echo', key)
      if (url !== '/') return response.end()
      response
        .writeHead(302, { location: `/${encodeURIComponent(value)}/end?k=${encodeURIComponent(value)}` })
        .end()
    })
    const step = { name: 'one', method: 'GET', url: target.at(), body: null, contentType: null } as const
    const assertions = {
      ...noStepAssertions,
      headerName: 'x-echo',
      headerOp: 'equals',
      headerValue: 'x',
    } as const
    const options = { ...apiKey, auth }
    const reading = await run(
      journeyOf(
        [
          { ...step, assertions: noStepAssertions, options },
          { ...step, url: target.at('/b'), assertions, options },
        ],
        secrets,
      ),
    )
    expect(reading.reason).toBe('Step 2 (one): expected header x-echo to equal "x", got "[secret api_key]"')
    expect(reading.details).toMatchObject({
      hops: [{ url: target.at('/') }, { url: target.at('/[secret api_key]/end') }, {}],
    })
    nowhere(reading)
  })
})

test('an answer slower than its limit is down, unless the probe itself was delayed', async () => {
  const target = await startTarget(async (_, response) => {
    await delay(60)
    response.end()
  })
  const assignment = requestOf(target.at(), { latencyMsMax: 50 })
  const reading = await run(assignment)
  expect(reading).toMatchObject({ verdict: 'down', cause: 'answer_slow', attempts: 2 })
  expect(reading.reason).toMatch(/^the answer took [\d.]+ ms, longer than the limit of 50 ms$/)
  expect(await setUp({ lag: lagOf(20) }).runAny(assignment)).toMatchObject({
    verdict: 'unmeasured',
    cause: 'probe_lagging',
  })
  expect(await run(requestOf(target.at(), { latencyMsMax: 5_000 }))).toMatchObject({ verdict: 'up' })
})

test.each(['127.0.0.1', 'multistep'])(
  'a secret that is a word of the agent leaves its reading valid: %s',
  async (word) => {
    const target = await startTarget(({ headers }, response) =>
      response.writeHead(500).end(String(headers['x-api-key'])),
    )
    const step = { name: 'one', method: 'GET', url: target.at(), body: null, contentType: null } as const
    const own = { api_key: { value: word, hosts: ['127.0.0.1'] } }
    const reading = await run(journeyOf([{ ...step, assertions: noStepAssertions, options: apiKey }], own))
    expect(reading.details).toMatchObject({
      type: 'multistep',
      hops: [{ address: '127.0.0.1' }],
      exchange: { responseBody: '[secret api_key]' },
    })
  },
)

test('a step without options sends its body as it is, as before', async () => {
  const target = await startTarget((_, response) => response.end())
  const step = {
    name: 'one',
    method: 'POST',
    url: target.at(),
    contentType: null,
    assertions: noStepAssertions,
  } as const
  const body = 'a {{ secret.unknown }}'
  await run(
    journeyOf(
      [
        { ...step, body },
        { ...step, body: '{{ secret.api_key }}', options: {} },
      ],
      secrets,
    ),
  )
  expect(target.received.map((each) => each.body)).toEqual([body, value])
})

test('a sealed text is the same for the same secrets, and not the secret', () => {
  expect(sealedFor(secrets)).toBe(sealedFor(secrets))
  expect(sealedFor(secrets)).not.toContain('horse')
})
