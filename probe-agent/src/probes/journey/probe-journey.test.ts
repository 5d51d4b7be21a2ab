import { limits } from '@probe-mesh/contracts/schema/limits'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, describe, expect, test } from 'vitest'
import { createTrust } from '../../request/connect.ts'
import { resolverOf } from '../../request/testing/ask.ts'
import { createCertificates } from '../../request/testing/certificates.ts'
import { stopTime } from '../../testing/stop-time.ts'
import { run, saying, serve, step } from './testing/journey.ts'

describe('the steps', () => {
  test('run in order, up to ten, and are up when each of them is', async () => {
    const { at, requests } = await saying()
    const steps = Array.from({ length: limits.stepsMax }, (_, index) =>
      step({ name: `page ${index}`, url: at(`/${index}`) }),
    )
    const journey = await run(steps)
    expect(journey).toMatchObject({ verdict: 'up', cause: 'ok', reason: null })
    expect(requests.map((head) => head.split(' ')[1])).toEqual(steps.map((_, index) => `/${index}`))
    expect(journey.hops.map((hop) => hop.step)).toEqual(steps.map((_, index) => index + 1))
  })

  test('end at the first failure, whose reason names the step', async () => {
    const { at, requests } = await saying({
      '/b': 'HTTP/1.1 503 Away\r\nContent-Length: 0\r\n\r\n',
    })
    const urls = ['/a', '/b', '/c'].map((path) => step({ name: `get ${path}`, url: at(path) }))
    expect(await run(urls)).toMatchObject({
      verdict: 'down',
      fault: 'target',
      cause: 'status_mismatch',
      reason: 'Step 2 (get /b): expected status 200-299, got 503',
      trace: { httpStatus: 503, answered: true },
    })
    expect(requests).toHaveLength(2)
  })

  test('keep their names unchanged, and reasons their length limit', async () => {
    const { at } = await saying({ '/a': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}' })
    const jsonPath = Array.from({ length: 30 }, () => 'abcdefghijkl').join('.')
    const name = `a "b" (c) \u{1f6d2}${'x'.repeat(80)}`
    const { reason } = await run([step({ name, url: at('/a'), assertions: { jsonPath, jsonOp: 'exists' } })])
    expect(reason?.startsWith(`Step 1 (${name}): JSON path abcdefghijkl.`)).toBe(true)
    expect(reason).toHaveLength(limits.reasonCharactersMax)
  })
})

describe('a step that fails before it is answered', () => {
  test.each([
    ['does not exist', 'ENOTFOUND', 'down', 'dns_not_found', 'the host name does not exist'],
    [
      'cannot be resolved by us',
      'ESERVFAIL',
      'unmeasured',
      'dns_server_failure',
      'the resolver of the probe could not answer',
    ],
  ])('because its name %s', async (_, code, verdict, cause, reason) => {
    const { at } = await saying()
    const resolver = resolverOf({ 'pay.example.com': code })
    const steps = [step({ url: at('/') }), step({ name: 'pay', url: 'http://pay.example.com/' })]
    expect(await run(steps, { resolver })).toMatchObject({
      verdict,
      cause,
      reason: `Step 2 (pay): ${reason}`,
    })
  })

  test('because its own URL is no longer a target is unmeasured, on every run', async () => {
    const { at } = await saying()
    const steps = [step({ url: at('/') }), step({ name: 'cart', url: 'http://192.168.0.1/x?y' })]
    const journey = await run(steps)
    expect(journey).toMatchObject({
      verdict: 'unmeasured',
      fault: 'probe',
      cause: 'unsafe_target',
      reason: 'Step 2 (cart): the target address is not allowed',
    })
    expect(journey.hops).toHaveLength(1)
  })

  test('because of a closed port proves, soon after an answer, that the network works', async () => {
    const { at } = await saying()
    const gone = await saying()
    const refused = step({ name: 'pay', url: gone.at('/') })
    await gone.close()
    const { trace, ...judgement } = await run([step({ url: at('/') }), refused])
    expect(judgement).toMatchObject({
      verdict: 'down',
      cause: 'connection_refused',
      reason: 'Step 2 (pay): the connection was refused',
    })
    expect(trace).toMatchObject({ httpStatus: null, address: '127.0.0.1' })
    expect(trace.answered || trace.latencyMs > 1_000).toBe(true)
    expect(await run([refused])).toMatchObject({ trace: { answered: false } })
  })

  test('long after an answer leaves open whether the network works', async () => {
    const { at } = await saying({ '/pay': stopTime().next })
    const steps = [step({ url: at('/') }), step({ name: 'pay', url: at('/pay') })]
    expect(await run(steps, { requestMsMax: 5_000 })).toMatchObject({
      verdict: 'down',
      cause: 'response_timeout',
      trace: { answered: false },
    })
  })
})

describe('a refusal inside a journey', () => {
  const challenge = { 'cf-mitigated': 'challenge' }
  const guarding = (status: number, headers: Record<string, string>) =>
    serve(({ url }, response) => {
      if (url === '/cart') response.writeHead(status, headers)
      response.end('ok')
    })
  const cart = (at: (path: string) => string, assertions = {}) => [
    step({ url: at('/') }),
    step({ name: 'cart', url: at('/cart'), assertions }),
    step({ name: 'pay', url: at('/') }),
  ]

  test.each([403, 503, 200])('with a challenge (%d) blocks it, naming the step', async (status) => {
    const { at, requests } = await guarding(status, challenge)
    expect(await run(cart(at))).toMatchObject({
      verdict: 'blocked',
      fault: 'target',
      cause: 'bot_challenge',
      reason: 'Step 2 (cart): the probe met a bot challenge (Cloudflare: cf-mitigated: challenge)',
    })
    expect(requests).toHaveLength(2)
  })

  test('does not count when the step’s assertions pass', async () => {
    const { at } = await guarding(403, challenge)
    const asserted = cart(at, { statusMin: 403, statusMax: 403 })
    expect(await run(asserted)).toMatchObject({ verdict: 'up' })
    const header = { headerName: 'cf-mitigated', headerOp: 'contains', headerValue: 'chall' }
    const { at: open } = await guarding(200, challenge)
    expect(await run(cart(open, header))).toMatchObject({ verdict: 'up' })
  })

  test('that is bare is down for an account and blocked for the catalog', async () => {
    const { at } = await guarding(403, {})
    expect(await run(cart(at))).toMatchObject({
      verdict: 'down',
      reason: 'Step 2 (cart): expected status 200-299, got 403',
    })
    expect(await run(cart(at), { owner: 'catalog' })).toMatchObject({
      verdict: 'blocked',
      cause: 'refused',
      reason: 'Step 2 (cart): the probe was refused with 403',
    })
  })
})

describe('the details of a run', () => {
  test('contain a waterfall of every hop, without queries', async () => {
    const { at } = await saying({
      '/login?user=secret': 'HTTP/1.1 303 See\r\nLocation: /in?token=secret#x\r\n\r\n',
    })
    const { hops, trace } = await run([
      step({ method: 'POST', url: at('/login?user=secret') }),
      step({ url: at('/end') }),
    ])
    const timings = {
      dnsMs: null,
      connectMs: expect.any(Number),
      tlsMs: null,
      ttfbMs: expect.any(Number),
    }
    const done = { ...timings, transferMs: expect.any(Number) }
    const hop = { address: '127.0.0.1', startMs: expect.any(Number), latencyMs: expect.any(Number) }
    expect(hops).toEqual([
      {
        ...hop,
        step: 1,
        hop: 0,
        method: 'POST',
        url: at('/login'),
        httpStatus: 303,
        timings: { ...timings, transferMs: null },
      },
      { ...hop, step: 1, hop: 1, method: 'GET', url: at('/in'), httpStatus: 200, timings: done },
      { ...hop, step: 2, hop: 0, method: 'GET', url: at('/end'), httpStatus: 200, timings: done },
    ])
    const starts = hops.map(({ startMs }) => startMs)
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    const [, , last] = hops
    const connects = hops.map((each) => each.timings.connectMs ?? 0)
    expect(trace.timings.connectMs).toBeCloseTo(
      connects.reduce((sum, ms) => sum + ms, 0),
      5,
    )
    expect(trace.timings).toEqual({ ...done, ttfbMs: expect.any(Number) })
    const sum = Object.values(trace.timings).reduce<number>((whole, ms) => whole + (ms ?? 0), 0)
    expect(sum).toBeLessThanOrEqual(trace.latencyMs + 1)
    expect(sum).toBeGreaterThan(Math.max(...hops.map((each) => each.timings.ttfbMs ?? 0)))
    const lastEndMs = (last?.startMs ?? 0) + (last?.latencyMs ?? 0)
    expect(Math.abs(trace.latencyMs - lastEndMs)).toBeLessThan(0.25)
  })

  test('contain the duration of name resolution, and URLs of any length', async () => {
    const { at } = await saying()
    const resolver = resolverOf({ 'shop.example.com': ['127.0.0.1'] })
    const long = at(`/${'a'.repeat(1_000)}`, 'shop.example.com')
    const { hops } = await run([step({ url: long })], { resolver })
    expect(hops[0]).toMatchObject({
      url: long.slice(0, 300),
      timings: { dnsMs: expect.any(Number) },
    })
  })

  test('report the first connection once', async () => {
    const { at } = await saying()
    let connected = 0
    const onConnected = (): void => {
      connected += 1
    }
    const steps = [step({ url: at('/') }), step({ url: at('/') }), step({ url: at('/') })]
    await run(steps, { onConnected })
    expect(connected).toBe(2)
    connected = 0
    await run([step({ url: 'http://10.0.0.1/' })], { onConnected })
    expect(connected).toBe(1)
  })
})

describe('a secure journey', () => {
  const certificates = useOnce(() => createCertificates())
  afterAll(() => certificates.remove())

  test('verifies each step, and records when the certificate expires', async () => {
    const trust = createTrust([certificates.ca])
    const secure = await serve((_, response) => {
      response.setHeader('set-cookie', 'a=1; Secure; Path=/').end('ok')
    }, certificates.leaf('127.0.0.1'))
    const plain = await serve((_, response) => response.end('ok'))
    const steps = [step({ url: secure.at('/') }), step({ url: secure.at('/') }), step({ url: plain.at('/') })]
    const journey = await run(steps, { trust })
    expect(journey).toMatchObject({
      verdict: 'up',
      trace: { certificateExpiresAt: expect.any(Number) },
    })
    expect(secure.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'a=1'])
    expect(plain.requests[0]?.headers.cookie).toBeUndefined()
  })

  test('fails at the step whose certificate is not trusted', async () => {
    const { at } = await serve((_, response) => response.end('ok'), certificates.leaf('127.0.0.1'))
    const plain = await serve((_, response) => response.end('ok'))
    const steps = [step({ url: plain.at('/') }), step({ name: 'pay', url: at('/') })]
    expect(await run(steps)).toMatchObject({
      verdict: 'down',
      cause: 'certificate_untrusted',
      reason: 'Step 2 (pay): the certificate has no trusted issuer',
    })
  })
})
