import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { afterEach, expect, test } from 'vitest'
import { createCertificate } from '../protocol/handshake/certificate.ts'
import { isPassing, whyUnanswered, createExchange, type ExchangeBounds } from './exchange.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
    await new Promise((resolve) => server.close(resolve))
  }
})
const listen = async (server: Server): Promise<number> => {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

type Means = { bounds?: Partial<ExchangeBounds>; signal?: AbortSignal }

const ask = async (listener: RequestListener, { bounds, signal }: Means = {}) => {
  const port = await listen(createServer(listener))
  const exchange = createExchange({ msMax: 20_000, bytesMax: 1_000, ...bounds })
  const send = (path = '/v1/checks') =>
    exchange(new URL(`http://127.0.0.1:${port}${path}`), {
      method: 'POST',
      redirect: 'error',
      headers: { authorization: 'Bearer key' },
      body: '{"name":"wéb"}',
      ...(signal === undefined ? {} : { signal }),
    })
  return { send, answer: send() }
}
const failureOf = async (listener: RequestListener, means?: Means): Promise<unknown> => {
  const { answer } = await ask(listener, means)
  return answer.then(
    () => expect.unreachable('there was an answer'),
    (error: unknown) => error,
  )
}

test('sends method, headers and body, and returns status, headers and text', async () => {
  const { answer } = await ask((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      response.writeHead(201, { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] })
      response.end(`${method} ${url} ${headers.authorization} ${Buffer.concat(chunks)}`)
    })
  })
  const { ok, status, headers, text } = await answer
  expect({ ok, status, text: await text() }).toEqual({
    ok: true,
    status: 201,
    text: 'POST /v1/checks Bearer key {"name":"wéb"}',
  })
  const names = ['Retry-After', 'set-cookie', 'etag']
  expect(names.map((name) => headers.get(name))).toEqual(['7', 'a=1, b=2', null])
})

test('reads a gzip response, and refuses a broken one', async () => {
  const packed = gzipSync('{"checks":[]}')
  const say =
    (bytes: Buffer): RequestListener =>
    (_, response) =>
      void response.setHeader('content-encoding', 'gzip').end(bytes)
  expect(await (await (await ask(say(packed))).answer).text()).toBe('{"checks":[]}')
  expect(await failureOf(say(packed.subarray(0, 20)))).toMatchObject({ code: 'Z_BUF_ERROR' })
  expect(await failureOf(say(gzipSync('x'.repeat(1_001))))).toMatchObject({
    code: 'ERR_BUFFER_TOO_LARGE',
  })
})

test('refuses a response that is one byte too large', async () => {
  const say =
    (size: number): RequestListener =>
    (_, response) =>
      void response.end('x'.repeat(size))
  expect((await (await (await ask(say(1_000))).answer).text()).length).toBe(1_000)
  expect(whyUnanswered(await failureOf(say(1_001)))).toBe('the response is larger than 1000 bytes')
})

test.each([301, 302, 307, 308])('does not follow a %i', async (status) => {
  const paths: unknown[] = []
  const failure = await failureOf((request, response) => {
    paths.push(request.url)
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  expect(whyUnanswered(failure)).toBe(`the API answered ${status}, a redirect`)
  expect(isPassing(failure)).toBe(false)
  expect(paths).toEqual(['/v1/checks'])
})

test('accepts a problem of any status, and refuses the error page of a proxy', async () => {
  const problem = JSON.stringify(toProblem(refuse('SV-9001')))
  const say =
    (type: string): RequestListener =>
    (_, response) =>
      void response.writeHead(503, { 'content-type': type }).end(problem)
  expect((await (await ask(say('application/problem+json'))).answer).status).toBe(503)
  const failure = await failureOf(say('text/html'))
  expect(whyUnanswered(failure)).toBe('a server in front of the API answered 503')
  expect(isPassing(failure)).toBe(true)
})

test.each<[string, RequestListener]>([
  ['before an answer', ({ socket }) => void socket.destroy()],
  [
    'within an answer',
    ({ socket }, response) => {
      response.setHeader('content-length', 9).write('{"ch', () => socket.destroy())
    },
  ],
])('retries after a connection that ends %s', async (_, listener) => {
  const failure = await failureOf(listener)
  expect(isPassing(failure)).toBe(true)
  expect(whyUnanswered(failure)).toContain('ECONNRESET')
})

test('reports a refused connection', async () => {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  servers.splice(0)
  const failure = await createExchange()(new URL(`http://localhost:${port}/`), {
    method: 'GET',
    redirect: 'error',
    headers: {},
  }).catch((error: unknown) => error)
  expect(isPassing(failure)).toBe(true)
  expect(whyUnanswered(failure)).toMatch(new RegExp(`^connect ECONNREFUSED .*:${port}$`))
})

test.each<[string, RequestListener]>([
  ['at all', () => {}],
  ['to its end', (_, response) => void response.writeHead(200).write('{')],
])('reports a timeout: %s', async (_, listener) => {
  const failure = await failureOf(listener, { bounds: { msMax: 50 } })
  expect(whyUnanswered(failure)).toBe('the request timed out')
  expect(isPassing(failure)).toBe(true)
})

test('aborts the request with its caller', async () => {
  const stop = new AbortController()
  const failure = await failureOf(() => stop.abort(), { signal: stop.signal })
  expect(failure).toMatchObject({ name: 'AbortError' })
})

test('reuses one connection for successive requests', async () => {
  const ports = new Set<unknown>()
  const { send, answer } = await ask((request, response) => {
    ports.add(request.socket.remotePort)
    request.resume().on('end', () => response.end('{}'))
  })
  await answer
  await send()
  await send()
  expect(ports.size).toBe(1)
})

test('sends neither request nor key to a server without a valid certificate', async () => {
  const { pem, privateKey } = createCertificate(new Date())
  let requests = 0
  const port = await listen(
    createSecureServer({ cert: pem, key: privateKey }, (_, response) => {
      requests += 1
      response.end()
    }),
  )
  const failure = await createExchange()(new URL(`https://localhost:${port}/`), {
    method: 'GET',
    redirect: 'error',
    headers: { authorization: 'Bearer key' },
  }).catch((error: unknown) => error)
  expect(whyUnanswered(failure)).toContain('SELF_SIGNED')
  expect(isPassing(failure)).toBe(false)
  expect(requests).toBe(0)
})
