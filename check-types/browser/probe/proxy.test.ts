import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import { silentLogger } from '@probe-mesh/bus/logger'
import { parseAccountAllow } from '@probe-mesh/contracts/src/target/account-allow'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startGuardedProxy, type GuardedProxy } from './proxy.ts'
import type { Guard } from '@probe-mesh/probe-agent/src/request/guard'
import { failureHeader, authenticationUrl } from './proxy-forward.ts'
import type { ProxyRun } from './proxy-run.ts'
import { startForbiddenHost, startSite } from './testing/site.ts'
import { guardOf } from './testing/visitor.ts'

const forbidden = useOnce(() => startForbiddenHost())
const site = useOnce(() =>
  startSite({
    '/': 'hello',
    '/echo': (response, request) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        response.setHeader('connection', 'close, x-hop')
        response.setHeader('x-hop', 'between neighbours')
        response.setHeader('proxy-connection', 'close')
        response.setHeader('x-end', 'to the end')
        response.end(Buffer.concat(chunks))
      })
    },
    '/much': (response) => response.end(Buffer.alloc(200_000)),
    '/reset': (_response, request) => request.socket.resetAndDestroy(),
    '/part': (response, request) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half')
      setImmediate(() => request.socket.destroy())
    },
  }),
)

const open = async (bounds = { connectionsMax: 100, bytesMax: 1_000_000 }, guard: Partial<Guard> = {}) => {
  const proxy = await startGuardedProxy(
    {
      ...guardOf({
        'rebound.example.com': ['192.0.2.1', '127.0.0.2'],
        'shop.example.com': ['127.0.0.1'],
      }),
      ...guard,
    },
    silentLogger,
    bounds,
  )
  onTestFinished(proxy.close)
  return { proxy, run: proxy.open('a') }
}

const authorization = ({ username, password }: Pick<ProxyRun, 'username' | 'password'>) => ({
  'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})

type Asked = { status: number; headers: http.IncomingHttpHeaders; body: string }

/** Sends a request with an absolute URL, as browsers do to a proxy. */
const ask = async (
  { port }: GuardedProxy,
  path: string,
  headers: http.OutgoingHttpHeaders,
  body?: string,
): Promise<Asked> => {
  const method = body === undefined ? 'GET' : 'POST'
  const request = http.request({ host: '127.0.0.1', port, method, path, headers, agent: false })
  request.end(body)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, headers: response.headers, body: text }
}

/** @returns the status, and the tunnel if it was opened */
const connect = async (
  { port }: GuardedProxy,
  path: string,
  headers: http.OutgoingHttpHeaders,
): Promise<{ status: number; socket: net.Socket }> => {
  const request = http.request({ host: '127.0.0.1', port, method: 'CONNECT', path, headers })
  request.end()
  const [response, socket] = (await once(request, 'connect')) as [http.IncomingMessage, net.Socket]
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  return { status: response.statusCode ?? 0, socket }
}

const ownerId = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'

describe('without the credential of a run', () => {
  test.each([
    ['none', () => ({})],
    ['a wrong password', (run: ProxyRun) => authorization({ ...run, username: run.username, password: 'x' })],
    ['nobody', () => authorization({ username: 'nobody', password: 'x' })],
    ['no Basic', () => ({ 'proxy-authorization': 'Bearer abc' })],
  ])('%s: nothing is reached', async (_name, headersOf) => {
    const { proxy, run } = await open()
    const before = site.requests.length
    const headers = headersOf(run)
    const asked = await ask(proxy, site.url(), headers)
    expect([asked.status, asked.headers['proxy-authenticate']]).toEqual([407, 'Basic realm="probe"'])
    expect((await ask(proxy, authenticationUrl, headers)).status).toBe(407)
    expect((await connect(proxy, `127.0.0.1:${site.port}`, headers)).status).toBe(407)
    expect([site.requests.length, proxy.unknown]).toEqual([before, 3])
  })

  test('is reachable only for runs of the account that it is allowed for', async () => {
    const opening = parseAccountAllow([`127.0.0.0/8@${ownerId}`])
    if (!opening.ok) throw new Error(opening.problems.join())
    const { proxy, run } = await open(undefined, { allow: opening.allow })
    const opened = proxy.open(ownerId)
    const url = `http://shop.example.com:${site.port}/`
    expect((await ask(proxy, url, authorization(run))).status).toBe(403)
    expect((await ask(proxy, url, authorization(opened))).status).toBe(200)
  })

  test('of an ended run nothing is reachable either', async () => {
    const { proxy, run } = await open()
    run.close()
    expect((await ask(proxy, site.url(), authorization(run))).status).toBe(407)
  })
})

describe('what is not a target', () => {
  test.each([
    ['an address', () => `http://${forbidden.host}:${forbidden.port}/`],
    ['a name with one bad address', () => `http://rebound.example.com:${forbidden.port}/`],
    ['a single label', () => 'http://router/'],
    ['an internal name', () => 'http://printer.lan/'],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['another spelling', () => `http://2130706434:${forbidden.port}/`],
    ['IPv6', () => `http://[::1]:${forbidden.port}/`],
    ['IPv4 in IPv6', () => `http://[::ffff:127.0.0.2]:${forbidden.port}/`],
    ['the port of another protocol', () => 'http://shop.example.com:25/'],
  ])('%s is refused, over CONNECT too, and counted', async (_name, urlOf) => {
    const { proxy, run } = await open()
    const url = urlOf()
    const asked = await ask(proxy, url, authorization(run))
    expect([asked.status, asked.body]).toEqual([403, 'the target address is not allowed'])
    expect(run.failureOf(String(asked.headers[failureHeader]))?.cause).toBe('unsafe_target')
    const { host } = new URL(url)
    const authority = /:\d+$/.test(host) ? host : `${host}:80`
    expect((await connect(proxy, authority, authorization(run))).status).toBe(403)
    expect([run.refused, forbidden.contacts]).toEqual([2, 0])
  })

  test.each(['', '/', 'ftp://127.0.0.1/', 'https://127.0.0.1/', 'file:///etc/passwd'])(
    'anything but a web URL is rejected: %j',
    async (path) => {
      const { proxy, run } = await open()
      expect((await ask(proxy, path, authorization(run))).status).toBe(400)
    },
  )

  test.each(['127.0.0.1', ':80', '127.0.0.1:80/x', 'u@127.0.0.1:80', '127.0.0.1:'])(
    'anything but host and port is rejected: %j',
    async (authority) => {
      const { proxy, run } = await open()
      expect((await connect(proxy, authority, authorization(run))).status).toBe(400)
    },
  )
})

describe('a target', () => {
  test('gets the request without hop-by-hop headers, and so does its answer', async () => {
    const { proxy, run } = await open()
    const headers = {
      ...authorization(run),
      'proxy-connection': 'keep-alive',
      connection: 'close, x-near',
      'x-near': 'for the neighbour',
      'x-far': 'for the target',
      host: `127.0.0.1:${site.port}`,
    }
    const asked = await ask(proxy, site.url('/echo?a=1'), headers, 'body')
    expect([asked.status, asked.body]).toEqual([200, 'body'])
    expect(asked.headers).toMatchObject({ 'x-end': 'to the end' })
    expect(Object.keys(asked.headers)).not.toContain('x-hop')
    expect(Object.keys(asked.headers)).not.toContain('proxy-connection')
    const got = site.requests.at(-1)
    expect([got?.url, got?.headers['x-far']]).toEqual(['/echo?a=1', 'for the target'])
    for (const name of ['proxy-authorization', 'proxy-connection', 'x-near']) {
      expect(got?.headers).not.toHaveProperty(name)
    }
  })

  test('is reached by a tunnel, byte for byte, whose timings are recorded', async () => {
    const { proxy, run } = await open()
    const { status, socket } = await connect(proxy, `shop.example.com:${site.port}`, authorization(run))
    expect(status).toBe(200)
    socket.write('GET / HTTP/1.1\r\nHost: shop.example.com\r\nConnection: close\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toContain('hello')
    expect(run.reached(`shop.example.com:${site.port}`)).toMatchObject({
      phase: 'ttfb',
      address: '127.0.0.1',
      failure: null,
      dnsMs: expect.any(Number),
      connectMs: expect.any(Number),
    })
  })

  test.each([
    ['that is off', () => 'http://127.0.0.1:1024/', 'connection_refused'],
    ['that resets', () => site.url('/reset'), 'connection_reset'],
    ['whose name is unknown', () => 'http://nowhere.example.com/', 'dns_not_found'],
  ])('%s: the proxy knows why', async (_name, urlOf, cause) => {
    const { proxy, run } = await open()
    const asked = await ask(proxy, urlOf(), authorization(run))
    expect(asked.status).toBe(502)
    expect(run.failureOf(String(asked.headers[failureHeader]))?.cause).toBe(cause)
    expect(run.failureOf('made up')).toBeNull()
    expect(run.refused).toBe(0)
  })

  test('whose answer is cut short is not presented as complete', async () => {
    const { proxy, run } = await open()
    await expect(ask(proxy, site.url('/part'), authorization(run))).rejects.toThrow()
  })
})

describe('the bounds of a run', () => {
  test('one connection too many is refused and recorded', async () => {
    const { proxy, run } = await open({ connectionsMax: 2, bytesMax: 1_000_000 })
    for (let n = 0; n < 2; n++) {
      expect((await ask(proxy, site.url(), authorization(run))).status).toBe(200)
    }
    expect(run.isOverLimit).toBe(false)
    expect((await ask(proxy, site.url(), authorization(run))).status).toBe(403)
    expect([run.isOverLimit, run.refused]).toEqual([true, 0])
  })

  test('too many bytes end its connections', async () => {
    const { proxy, run } = await open({ connectionsMax: 100, bytesMax: 100_000 })
    await expect(ask(proxy, site.url('/much'), authorization(run))).rejects.toThrow()
    expect(run.isOverLimit).toBe(true)
    expect((await ask(proxy, site.url(), authorization(run))).status).toBe(403)
  })

  test('the connection limit of an address is one of them', async () => {
    const { proxy, run } = await open(undefined, { spend: () => false })
    const asked = await ask(proxy, 'http://93.184.216.34/', authorization(run))
    const signature = String(asked.headers[failureHeader])
    expect(run.failureOf(signature)).toMatchObject({ cause: 'target_budget', fault: 'probe' })
    expect([run.isOverLimit, run.refused]).toEqual([true, 0])
    // the rest of the page still loads
    expect((await ask(proxy, site.url(), authorization(run))).status).toBe(200)
  })

  test('its end closes its own tunnels at once, and no others', async () => {
    const { proxy, run } = await open()
    const other = proxy.open('a')
    const authority = `127.0.0.1:${site.port}`
    const mine = await connect(proxy, authority, authorization(run))
    const theirs = await connect(proxy, authority, authorization(other))
    run.close()
    await vi.waitFor(() => expect(mine.socket.destroyed || mine.socket.readableEnded).toBe(true))
    theirs.socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    let text = ''
    for await (const chunk of theirs.socket) text += String(chunk)
    expect(text).toContain('hello')
  })
})
