import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { sourceMapLimits } from '@probe-mesh/error-tracking/contracts/source-map'
import { testFolder } from '../testing/folder.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordFigure } from '../testing/figure.ts'
import { startTarget, type Target } from '../testing/target.ts'
import { createTestOwner, type TestOwner } from '../testing/processes/account.ts'
import { createCommandPart } from '../testing/processes/command-part.ts'
import { createAgent, createControlPlane, createServers, journalDir } from '../testing/processes/compose.ts'
import type { EntryPart } from '../testing/processes/entry-part.ts'
import { freePorts } from '../testing/processes/free-ports.ts'
import { sendDuring, type RequestKind } from './testing/send-during.ts'
import { clientOf, type Client } from './testing/client.ts'
import { createGatewayPart } from './testing/gateway-part.ts'
import { placeProxy, proxyKinds, type ProxyKind } from './testing/place-proxy.ts'
import { makeCertificate } from './testing/proxied-mesh.ts'

/**
 * The documented examples for HAProxy, nginx and Caddy, run by Debian's programs in front of two control
 * planes. Only addresses and paths are changed.
 */
const region = 'fra'
const deadMs = 10_000
const gatewayKey = 'the-gateway-key-of-the-tests-of-32-characters'

const folder = testFolder('proxies-')
let target: Target
let controlPlanes: EntryPart[]
let key: Record<string, string>
let checkId: string
let pingPath: string
const closers: (() => Promise<unknown>)[] = []
const proxies = new Map<ProxyKind, { client: Client; httpPort: number; httpsPort: number }>()
const keep = <P extends { close(): Promise<unknown> }>(part: P): P => {
  closers.push(() => part.close())
  return part
}

beforeAll(async () => {
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  for (const path of [join(folder, 'logs'), journalDir(folder)]) await mkdir(path)
  target = keep(await startTarget())
  const { certificate, both } = await makeCertificate(folder)
  const ca = await readFile(certificate)
  const ports = await freePorts(16)
  const nextPort = (): number => ports.pop() ?? 0
  const servers = await createServers(folder, [region], nextPort)
  await Promise.all([servers.postgres, servers.clickhouse, servers.nats].map((part) => keep(part).start()))
  const places = new Map(proxyKinds.map((kind) => [kind, { httpPort: nextPort(), httpsPort: nextPort() }]))
  const trust = { TRUST_PROXY: 'loopback', NODE_EXTRA_CA_CERTS: certificate }
  const controlPorts: [number, number] = [nextPort(), nextPort()]
  controlPlanes = controlPorts.map((port, at) =>
    keep(
      createControlPlane(servers, {
        name: `control-plane-${at + 1}`,
        port,
        folder,
        publicUrl: `https://localhost:${places.get('haproxy')?.httpsPort}`,
        regions: [region],
        tiers: { scale: { intervalSecondsMin: 1, monitors: 1_000 } },
        budgetScale: 1_000,
        environment: { ...trust, GATEWAY_KEY: gatewayKey },
      }),
    ),
  )
  const agent = {
    name: 'fra-1',
    port: nextPort(),
    folder,
    region,
    natsPort: servers.natsPort,
  } as const
  const agents = [keep(createAgent(servers, { ...agent, environment: {} }))]
  // agents are ready once they have assignments from a control plane
  for (const parts of [controlPlanes, agents]) await Promise.all(parts.map((part) => part.start()))
  const gatewayPort = nextPort()
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`
  const gateway = createGatewayPart({
    port: gatewayPort,
    folder,
    environment: {
      ...trust,
      GATEWAY_KEY: gatewayKey,
      CONTROL_PLANE_URL: controlPlanes[0]?.url ?? '',
      PUBLIC_URL: `https://localhost:${places.get('haproxy')?.httpsPort}`,
      MCP_URL: 'https://mcp.example.com',
    },
    isReady: async () => (await fetch(`${gatewayUrl}/readyz`)).ok,
  })
  await keep(gateway).start()
  for (const [kind, { httpPort, httpsPort }] of places) {
    const own = join(folder, kind)
    await mkdir(own)
    const client = clientOf(httpsPort, ca)
    proxies.set(kind, { client, httpPort, httpsPort })
    const place = {
      folder: own,
      httpPort,
      httpsPort,
      controlPlanes: controlPorts,
      gateway: gatewayPort,
      certificate: both,
    }
    const proxy = createCommandPart({
      name: kind,
      command: await placeProxy(kind, place),
      environment: { HOME: own },
      logFile: join(folder, 'logs', kind),
      isReady: async () => (await client.send('/readyz')).status === 200,
    })
    await keep(proxy).start()
  }
  await openAccount(await createTestOwner(servers.postgres.url))
}, 300_000)
afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
}, 60_000)

/** Creates a check that is measured each second, and a heartbeat. */
const openAccount = async ({ email, password, apiKey }: TestOwner): Promise<void> => {
  key = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const own = {
    'content-type': 'application/json',
    origin: `https://localhost:${proxies.get('haproxy')?.httpsPort}`,
    'sec-fetch-site': 'same-origin',
  }
  const post = async (path: string, body: object, headers: Record<string, string>) => {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) } as const
    const answer = await through('haproxy').send(path, sent)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const session = await post('/dashboard-api/session', { email, password }, own)
  const cookie = (session.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
  const create = async (path: string, body: object): Promise<string> =>
    JSON.parse((await post(`/dashboard-api${path}`, body, { ...own, cookie })).text).id
  checkId = await create('/checks', { name: 'site', url: target.url('/'), intervalSeconds: 1 })
  const settings = { periodSeconds: 60, graceSeconds: 60 }
  const job = await create('/typed-checks', { type: 'heartbeat', name: 'job', settings })
  const created = await through('haproxy').send(`/v1/checks/${job}`, { headers: key })
  pingPath = new URL(JSON.parse(created.text).heartbeat.pingUrl).pathname
}

const through = (kind: ProxyKind): Client => {
  const proxy = proxies.get(kind)
  if (proxy === undefined) throw new Error(`${kind} does not run`)
  return proxy.client
}

describe.each(proxyKinds)('%s', (kind) => {
  test('routes to the control planes by TLS, and redirects HTTP to HTTPS', async () => {
    const page = await through(kind).send('/login')
    expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringMatching(/html/)])
    const check = await through(kind).send(`/v1/checks/${checkId}`, { headers: key })
    expect([check.status, JSON.parse(check.text).id ?? checkId]).toEqual([200, checkId])
    expect((await through(kind).send(pingPath)).status).toBe(200)
    const { httpPort } = proxies.get(kind) ?? { httpPort: 0 }
    const pending = get({
      host: '127.0.0.1',
      port: httpPort,
      path: '/login',
      headers: { host: 'localhost' },
    })
    const [answer] = (await once(pending, 'response')) as [IncomingMessage]
    answer.resume()
    expect([answer.statusCode, answer.headers.location]).toEqual([
      308,
      expect.stringMatching(/^https:\/\/localhost(:\d+)?\/login$/),
    ])
  })

  test('routes to the gateways by their host name', async () => {
    const answer = await through(kind).send('/public', {
      method: 'POST',
      headers: {
        host: 'mcp.example.com',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"tools":[')])
    const figures = await through(kind).send('/metrics', { headers: { host: 'mcp.example.com' } })
    expect([figures.status, figures.text.includes('# TYPE')]).toEqual([404, false])
  })

  test('forwards events at once', async () => {
    const { answer, end } = await through(kind).follow('/v1/events', { headers: key })
    expect(answer.statusCode).toBe(200)
    const arrived: number[] = []
    for await (const chunk of answer) {
      for (const _ of String(chunk).matchAll(/^data: /gm)) arrived.push(Date.now())
      if (arrived.length >= 4) break
    }
    end()
    // one a second: buffered events would arrive together
    expect((arrived.at(-1) ?? 0) - (arrived[0] ?? 0)).toBeGreaterThan(1_000)
  }, 60_000)

  test('accepts the largest upload that a control plane accepts', async () => {
    const form = new FormData()
    for (let piece = 0; piece < sourceMapLimits.chunksPerRequestMax; piece++) {
      const bytes = randomBytes(sourceMapLimits.chunkBytesMax)
      form.append('file', new Blob([bytes]), createHash('sha1').update(bytes).digest('hex'))
    }
    const packed = new Response(form)
    const body = new Uint8Array(await packed.arrayBuffer())
    const headers = { ...key, 'content-type': packed.headers.get('content-type') ?? '' }
    const path = '/api/0/organizations/any/chunk-upload/'
    const answer = await through(kind).send(path, { method: 'POST', headers, body })
    expect([answer.status, answer.text]).toEqual([200, '{}'])
  })

  test('sends the real address of the client, not the one it claims', async () => {
    const spent = async (from: string, claimed: string) => {
      const headers = {
        'x-forwarded-for': claimed,
        forwarded: `for=${claimed}`,
        'x-real-ip': claimed,
      }
      const answer = await through(kind).send('/v1/public/weather', { from, headers })
      const [, quota] = /q=(\d+)/.exec(String(answer.headers['ratelimit-policy'])) ?? []
      const [, left] = /r=(\d+)/.exec(String(answer.headers['ratelimit'])) ?? []
      return Number(quota) - Number(left)
    }
    const own = proxyKinds.indexOf(kind)
    const counts: number[] = []
    for (let at = 1; at <= 7; at++) counts.push(await spent(`127.0.${own + 1}.1`, `203.0.113.${at}`))
    // each of the two control planes counts separately
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(4)
    expect(await spent(`127.0.${own + 1}.2`, '203.0.113.1')).toBe(1)
  })

  test.each(['/metrics', '//metrics', '/metrics/', '/METRICS', '/%6detrics', '/metrics?x=1'])(
    'does not expose metrics: %s',
    async (path) => {
      const answer = await through(kind).send(path)
      expect([answer.status, answer.text.includes('# TYPE')]).toEqual([404, false])
    },
  )

  test('answers all repeatable requests while a control plane is killed and restarted', async (context) => {
    const edit = () => ({
      method: 'PATCH' as const,
      headers: { ...key, 'idempotency-key': randomUUID() },
      body: '{}',
    })
    const kinds: RequestKind[] = [
      ['alive', 100, () => ({ path: '/healthz' })],
      ['page', 250, () => ({ path: '/login' })],
      ['check', 250, () => ({ path: `/v1/checks/${checkId}`, headers: key })],
      ['ping', 2_000, () => ({ path: pingPath })],
      ['write', 250, () => ({ path: `/v1/checks/${checkId}/assertions`, ...edit() })],
    ]
    const [first] = controlPlanes
    if (first === undefined) throw new Error('there is no control plane')
    const answers = await sendDuring(through(kind), kinds, async (elapse) => {
      await elapse(2_000)
      await first.kill()
      await elapse(deadMs)
      await first.start()
      await elapse(5_000)
    })
    const refused = answers.filter(({ status }) => typeof status !== 'number' || status >= 400)
    const writes = refused.filter(({ what }) => what === 'write')
    await recordFigure(
      context,
      `${kind}: one of two control planes dead for ${deadMs} ms: ${answers.length} requests, refused ${refused.length}, of them writes ${writes.length}`,
    )
    expect(refused.filter(({ what }) => what !== 'write')).toEqual([])
    // at most the one that the dead control plane had accepted
    expect(writes.length).toBeLessThanOrEqual(1)
  }, 120_000)
})
