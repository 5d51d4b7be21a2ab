import { limits } from '@probe-mesh/contracts/schema/limits'
import { describe, expect, test } from 'vitest'
import { resolverOf } from '../../request/testing/ask.ts'
import { ok, run, saying, serve, step } from './testing/journey.ts'

describe('a step’s own request', () => {
  const json = 'application/json'
  const form = 'application/x-www-form-urlencoded'
  test.each<[string, string | null, string | null, string | undefined]>([
    ['GET', null, null, undefined],
    ['GET', null, json, undefined],
    ['GET', '{"a":1}', json, '7'],
    ['HEAD', null, null, undefined],
    ['HEAD', 'x', null, '1'],
    ['DELETE', null, null, undefined],
    ['DELETE', 'gone', null, '4'],
    ['POST', null, null, '0'],
    ['POST', null, json, '0'],
    ['POST', '', null, '0'],
    ['POST', 'a=b', null, '3'],
    ['POST', 'größe=ä', form, '10'],
    ['PUT', '{"a":"ü"}', json, '10'],
    ['PUT', null, null, '0'],
    ['PATCH', 'x', 'text/plain; charset="utf-8"', '1'],
    ['PATCH', null, null, '0'],
    ['POST', 'x'.repeat(limits.stepBodyCharactersMax), null, '10000'],
  ])('%s with body %j and content type %j', async (method, body, contentType, length) => {
    const { at, requests } = await serve((_, response) => response.writeHead(204).end())
    const url = at('/a?b=c')
    const one = step({ method: method as 'GET', url, body, contentType })
    expect(await run([one])).toMatchObject({ verdict: 'up' })
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method, url: '/a?b=c', body: body ?? '' })
    expect(requests[0]?.headers['content-type']).toBe(contentType ?? undefined)
    expect(requests[0]?.headers['content-length']).toBe(length)
    expect(requests[0]?.headers['transfer-encoding']).toBeUndefined()
  })

  test.each([301, 302, 303, 307, 308])(
    'has a body; the hop after a %d is a GET with neither body nor content type',
    async (status) => {
      const { at, requests } = await serve(({ url }, response) => {
        if (url === '/a') response.writeHead(status, { location: '/b' }).end()
        else response.end('ok')
      })
      const content = { method: 'POST', body: 'a=b', contentType: 'text/plain' } as const
      const steps = [step({ ...content, url: at('/a') }), step({ method: 'HEAD', url: at('/a') })]
      expect(await run(steps)).toMatchObject({ verdict: 'up' })
      expect(requests.map(({ method, body }) => [method, body])).toEqual([
        ['POST', 'a=b'],
        ['GET', ''],
        ['HEAD', ''],
        ['GET', ''],
      ])
      for (const { headers } of [requests[1], requests[2], requests[3]].filter((each) => !!each)) {
        expect(headers['content-type']).toBeUndefined()
        expect(headers['content-length']).toBeUndefined()
      }
    },
  )

  test.each([
    ['HEAD', '/', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\nContent-Encoding: gzip\r\n\r\n'],
    ['POST', '/', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ] as const)('answered without a body, %s %s, needs none', async (method, path, text) => {
    const { at } = await saying({ [path]: text })
    expect(await run([step({ method, url: at(path) })])).toMatchObject({ verdict: 'up' })
  })

  test('may be answered early, which counts as an answer', async () => {
    const { at } = await saying({ '/': 'HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno' })
    const assertions = {
      statusMin: 413,
      statusMax: 413,
      bodyOp: 'contains',
      bodyValue: 'no',
    } as const
    const one = step({ method: 'POST', url: at('/'), body: 'x'.repeat(10_000), assertions })
    expect(await run([one])).toMatchObject({ verdict: 'up' })
  })

  test('uses its own connection, as does every hop', async () => {
    let connections = 0
    const { at } = await saying({
      '/a': (socket) => {
        connections += 1
        socket.write('HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n')
      },
      '/b': (socket) => {
        connections += 1
        socket.write(ok)
      },
    })
    expect(await run([step({ url: at('/a') }), step({ url: at('/b') })])).toMatchObject({
      verdict: 'up',
    })
    expect(connections).toBe(3)
  })
})

describe('redirects', () => {
  const moved = (to: string, more = ''): string =>
    `HTTP/1.1 302 Found\r\nLocation: ${to}\r\n${more}Content-Length: 0\r\n\r\n`

  test('of a step are followed for three hops, each like a new step; a fourth is too many', async () => {
    const { at, requests } = await saying({
      '/4': moved('/3'),
      '/3': moved('/2'),
      '/2': moved('/1'),
      '/1': moved('/0'),
    })
    const three = step({ name: 'three', url: at('/3') })
    const journey = await run([three, three, step({ name: 'four', url: at('/4') })])
    expect(journey).toMatchObject({
      verdict: 'down',
      cause: 'too_many_redirects',
      reason: 'Step 3 (four): too many redirects',
      trace: { httpStatus: null },
    })
    expect(requests).toHaveLength(12)
    expect(journey.hops.map(({ step, hop }) => [step, hop])).toEqual(
      [1, 2, 3].flatMap((number) => [0, 1, 2, 3].map((hop) => [number, hop])),
    )
  })

  test('are followed even when their status is asserted: the final response counts', async () => {
    const { at } = await saying({ '/a': moved('/b') })
    const assertions = { statusMin: 302, statusMax: 302 }
    expect(await run([step({ name: 'go', url: at('/a'), assertions })])).toMatchObject({
      verdict: 'down',
      reason: 'Step 1 (go): expected status 302, got 200',
    })
  })

  test('without a location are the final response', async () => {
    const { at } = await saying({ '/a': 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n' })
    const assertions = { statusMin: 302, statusMax: 302 }
    expect(await run([step({ url: at('/a'), assertions })])).toMatchObject({ verdict: 'up' })
  })

  test.each([
    'http://10.0.0.1/secret',
    'http://169.254.169.254/latest/meta-data/',
    'http://rebound.example.com/',
    'http://user:secret@10.0.0.1/',
    'http://nowhere.example.com/',
  ])('to %s are refused without a connection and without a name', async (location) => {
    const { at } = await saying({ '/a': moved(location) })
    const resolver = resolverOf({ 'rebound.example.com': ['10.0.0.1'] })
    const journey = await run([step({ url: at('/') }), step({ name: 'go', url: at('/a') })], {
      resolver,
    })
    expect(journey).toMatchObject({
      verdict: 'down',
      fault: 'target',
      cause: 'redirect_not_public',
      reason: 'Step 2 (go): a redirect leads to a host without a public address',
    })
    expect(journey.hops.map((hop) => hop.url)).toEqual([at('/'), at('/a')])
  })

  test('to an invalid URL are the target’s fault', async () => {
    const { at } = await saying({ '/a': moved('file:///etc/passwd') })
    expect(await run([step({ name: 'go', url: at('/a') })])).toMatchObject({
      verdict: 'down',
      cause: 'bad_redirect',
      reason: 'Step 1 (go): a redirect leads to a URL that cannot be followed',
    })
  })
})

describe('cookies', () => {
  test('of redirects and of every status are merged and sent on every later request', async () => {
    const { at, requests } = await serve(({ url }, response) => {
      if (url === '/a') {
        response.writeHead(307, { location: '/b', 'set-cookie': ['a=1; Path=/', 'b=2; Path=/'] })
      } else if (url === '/b') {
        response.writeHead(404, { 'set-cookie': ['a=3; Path=/', 'c=gr\u00c3\u00b6; Path=/'] })
      }
      response.end('ok')
    })
    const found = step({ url: at('/a'), assertions: { statusMin: 404, statusMax: 404 } })
    const content = { method: 'POST', body: 'größe' } as const
    const journey = await run([found, step({ ...content, url: at('/c') }), step({ url: at('/d') })])
    expect(journey).toMatchObject({ verdict: 'up' })
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([
      undefined,
      'a=1; b=2',
      'a=3; b=2; c=gr\u00c3\u00b6',
      'a=3; b=2; c=gr\u00c3\u00b6',
    ])
    expect(requests[2]?.body).toBe('größe')
  })

  test("of a redirect's host cannot extend to a public suffix", async () => {
    const resolver = resolverOf({
      'a.co.uk': ['127.0.0.1'],
      'id.b.co.uk': ['127.0.0.1'],
      'www.b.co.uk': ['127.0.0.1'],
    })
    const { at, requests } = await serve(({ url, headers }, response) => {
      if (url === '/login') {
        const port = headers.host?.split(':')[1]
        response.writeHead(302, { location: `http://id.b.co.uk:${port}/sso` })
      } else if (url === '/sso') {
        response.setHeader('set-cookie', [
          'wide=1; Domain=co.uk; Path=/',
          'foreign=1; Domain=a.co.uk; Path=/',
          'own=1; Domain=b.co.uk; Path=/',
        ])
      }
      response.end('ok')
    })
    await run(
      [
        step({ url: at('/login', 'a.co.uk') }),
        step({ url: at('/', 'a.co.uk') }),
        step({ url: at('/', 'www.b.co.uk') }),
      ],
      { resolver },
    )
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, undefined, 'own=1'])
  })

  test('never show in a reason', async () => {
    const { at } = await serve((_, response) => {
      response.writeHead(200, { 'set-cookie': 'session=secret' }).end('ok')
    })
    const header = (headerOp: 'equals' | 'contains', headerValue: string) =>
      step({
        name: 'in',
        url: at('/'),
        assertions: { headerName: 'Set-Cookie', headerOp, headerValue },
      })
    expect(await run([header('contains', 'session=')])).toMatchObject({ verdict: 'up' })
    expect(await run([header('equals', 'session=')])).toMatchObject({
      reason: 'Step 1 (in): expected header set-cookie to equal "session=", got another value',
    })
  })
})
