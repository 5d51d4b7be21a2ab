import type { HttpRequest } from '@probe-mesh/contracts/check/request-options'
import { noStepAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { requestSpanId } from '@probe-mesh/contracts/reading/trace-ids'
import { Reading } from '@probe-mesh/contracts/reading/reading'
import { expect, test } from 'vitest'
import { createTrust } from '../request/connect.ts'
import { createCertificates } from '../request/testing/certificates.ts'
import { allowing, resolverOf } from '../request/testing/ask.ts'
import { journeyOf, opener, requestOf, startTarget } from '../secrets/testing/targets.ts'
import { assignmentOf, contextOf, setUp } from './testing/run.ts'

/** What a reading shows of a request and its answer. */

const value = 'correct horse+battery/staple'
const secrets = { api_key: { value, hosts: ['site.example.com'] } }
const request: HttpRequest = {
  method: 'POST',
  body: 'x',
  contentType: 'text/plain',
  headers: [
    { name: 'X-Api-Key', value: '{{ secret.api_key }}' },
    { name: 'Cookie', value: 'a=b' },
  ],
}

const failing = async (tls = {}) =>
  startTarget(({ url, headers }, response) => {
    if (url === '/old?a=b') return response.writeHead(302, { location: '/new?k=1' }).end()
    response.setHeader('set-cookie', ['session=abcdef'])
    response.setHeader('x-auth-token', 'abcdef')
    response.setHeader('x-echo', String(headers['x-api-key'] ?? value))
    response.writeHead(503, { 'content-type': 'text/plain' }).end(`no ${value} here ${'.'.repeat(5_000)}`)
  }, tls)

const probe = (more: object = {}) =>
  setUp({
    secrets: opener,
    resolver: resolverOf({ 'site.example.com': ['127.0.0.1', '::1'] }),
    allow: allowing('127.0.0.0/8', '::1/128'),
    ...more,
  })

const certificates = createCertificates()
const tls = certificates.leaf('site.example.com')
certificates.remove()

test('a failure shows what was sent and what came back, without secrets, cookies and tokens', async () => {
  const target = await failing({ key: tls.key, cert: `${tls.cert}${certificates.ca}` })
  const { runAny } = probe({ trust: createTrust([certificates.ca]) })
  const reading = await runAny(requestOf(target.at('/', 'site.example.com'), request, secrets))
  expect(reading).toMatchObject({ verdict: 'down', details: { type: 'http', exchange: expect.anything() } })
  const exchange = reading.details?.type === 'http' ? reading.details.exchange : undefined
  expect(exchange).toMatchObject({
    method: 'POST',
    sentTo: target.at('/', 'site.example.com'),
    endedAt: null,
    responseBody: expect.stringMatching(/^no \[secret api_key\] here \.+$/),
    resolvedTo: ['127.0.0.1', '::1'],
  })
  expect(exchange?.sentHeaders).toEqual([
    'host',
    'user-agent',
    'accept',
    'accept-encoding',
    'cookie',
    'content-type',
    'x-api-key',
    'content-length',
  ])
  expect(exchange?.responseHeaders).toEqual(
    expect.arrayContaining([
      { header: 'set-cookie', content: '…' },
      { header: 'x-auth-token', content: '…' },
      { header: 'x-echo', content: '[secret api_key]' },
      { header: 'content-type', content: 'text/plain' },
    ]),
  )
  expect(exchange?.chain).toMatchObject([
    { subject: 'site.example.com', issuer: 'test authority', expiresAtMs: reading.certificateExpiresAt },
    { subject: 'test authority', issuer: 'test authority' },
  ])
  expect(JSON.stringify(reading)).not.toMatch(/abcdef|horse/)
})

test('it is shown when a failure begins or changes, once an hour, and on demand', async () => {
  let now = 1_795_000_000_000
  let status = 503
  const target = await startTarget((_, response) => response.writeHead(status).end())
  const { run } = setUp({ now: () => now })
  const isShown = async (kind: 'scheduled' | 'manual' | 'confirmation' = 'scheduled') => {
    const { details } = await run(target.at(), {}, contextOf({ kind }))
    return details?.type === 'http' && details.exchange !== undefined
  }
  expect([await isShown(), await isShown(), await isShown('manual'), await isShown('confirmation')]).toEqual([
    true,
    false,
    true,
    false,
  ])
  status = 403
  expect([await isShown(), await isShown()]).toEqual([true, false])
  now += 3_600_000
  expect([await isShown(), await isShown()]).toEqual([true, false])
  status = 200
  expect(await isShown()).toBe(false)
  status = 403
  expect(await isShown()).toBe(true)
})

test('a catalog service never shows it', async () => {
  const target = await failing()
  const reading = await setUp().run(target.at(), { owner: 'catalog' })
  expect(reading.details).not.toHaveProperty('exchange')
})

test('after redirects it says where they ended, without the query, in a journey as well', async () => {
  const target = await failing()
  const plain = await setUp().runAny(assignmentOf(target.at('/old?a=b')))
  const ended = { method: 'GET', sentTo: target.at('/old'), endedAt: target.at('/new') }
  expect(plain.details).toMatchObject({ exchange: ended })
  const step = {
    name: 'one',
    method: 'GET',
    url: target.at('/old?a=b'),
    body: null,
    contentType: null,
  } as const
  const journey = await setUp().runAny(journeyOf([{ ...step, assertions: noStepAssertions }]))
  expect(journey.details).toMatchObject({ type: 'multistep', exchange: ended })
})

test('a target that the guard refused stays private', async () => {
  const target = await startTarget((_, response) =>
    response.writeHead(302, { location: 'http://10.1.2.3/inside' }).end(),
  )
  const reading = await setUp().run(target.at())
  expect(reading).toMatchObject({
    cause: 'redirect_not_public',
    details: { exchange: { endedAt: null, resolvedTo: [] } },
  })
  expect(JSON.stringify(reading)).not.toContain('10.1.2.3')
})

test('a trial shows it for an answer that is up', async () => {
  const target = await startTarget((_, response) => response.setHeader('x-version', '7').end('fine'))
  const { excerpt } = await setUp().run(target.at(), {}, contextOf({ kind: 'manual', excerpt: true }))
  expect(excerpt).toMatchObject({ body: 'fine', exchange: { method: 'GET', responseBody: null } })
  expect(excerpt?.exchange?.responseHeaders).toContainEqual({ header: 'x-version', content: '7' })
})

test('the largest that is shown fits a reading', async () => {
  const target = await startTarget((_, response) => {
    for (let n = 0; n < 60; n++) response.setHeader(`x-${n}-${'n'.repeat(150)}`, 'v'.repeat(150))
    response.writeHead(500).end('é'.repeat(4_000))
  })
  const reading = await setUp().run(target.at(`/${'p'.repeat(1_900)}`))
  expect(Reading.safeParse(reading).success).toBe(true)
  expect(reading.details).toMatchObject({ exchange: { responseBody: 'é'.repeat(1_000) } })
  expect(Buffer.byteLength(JSON.stringify(reading))).toBeLessThan(16 * 1024)
})

test('a trace is sent and shown only where the check wants it, one for all steps', async () => {
  const target = await startTarget((_, response) => response.end())
  await setUp().runAny(requestOf(target.at(), { headers: [{ name: 'traceparent', value: 'own' }] }))
  expect(target.received[0]?.headers['traceparent']).toBe('own')
  const reading = await setUp().runAny(
    requestOf(target.at(), { sendTrace: true, headers: [{ name: 'traceparent', value: 'own' }] }),
  )
  const [, traceId, span] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(target.received[1]?.headers['traceparent'])) ?? []
  expect(reading).toMatchObject({ verdict: 'up', details: { type: 'http', traceId } })
  expect(span).toBe(requestSpanId(traceId ?? '', 1))
  const step = {
    name: 'one',
    method: 'GET',
    url: target.at(),
    body: null,
    contentType: null,
    assertions: noStepAssertions,
  } as const
  const traced = { ...step, options: { sendTrace: true } }
  const journey = await setUp().runAny(journeyOf([traced, step, traced]))
  const sent = target.received.slice(2).map(({ headers }) => headers['traceparent'])
  expect(sent[1]).toBeUndefined()
  const [one, , three] = sent.map((each) => String(each).split('-'))
  expect(journey.details).toMatchObject({ traceId: one?.[1] })
  expect([three?.[1], three?.[2] === one?.[2], one?.[1] === traceId, one?.[2] === span]).toEqual([
    one?.[1],
    false,
    false,
    false,
  ])
})
