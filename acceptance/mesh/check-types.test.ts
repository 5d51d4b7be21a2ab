import { createServer } from 'node:http'
import net, { type AddressInfo, type Server } from 'node:net'
import { once } from 'node:events'
import { allowNothing, parseAllowList } from '@probe-mesh/contracts/target/address'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { StoredReading } from '@probe-mesh/contracts/check/check'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteCall, RouteName, RouteOutput } from '@probe-mesh/contracts/api/routes'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { createTypedCheck } from '@probe-mesh/control-plane/checks/create-check'
import { replaceSteps } from '@probe-mesh/control-plane/checks/edit-typed-check'
import { targetCountsOf } from '@probe-mesh/control-plane/targets/target-counts'
import { defaultTargetRules } from '@probe-mesh/control-plane/src/app/testing/operation-context'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import type { Answer } from 'dns-packet'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { promisify } from 'node:util'
import { SMTPServer } from 'smtp-server'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startMesh } from '@probe-mesh/infra/testing/mesh'
import { granted } from '../testing/granted.ts'

/**
 * A check of each type on the whole path: saved by its operation, sent to its region, run against a real
 * peer, stored, and read over REST with the details of its type.
 */

const storedTimeout = { timeout: 30_000, interval: 100 }
const busyTimeout = { timeout: 90_000, interval: 500 }
const long = { timeout: 240_000 }

let sql: Sql
let accountId: string
const servers: { close(): unknown }[] = []

const listening = async <S extends Server>(server: S): Promise<number> => {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const call = <N extends RouteName>(name: N, input: RouteCall<N>): Promise<RouteOutput<N>> =>
  granted(client.call(name, input))

const parsedAllow = parseAllowList(['127.0.0.0/8'])
const saving = () => ({
  sql,
  now: Date.now,
  targets: targetCountsOf(sql),
  rules: {
    regions: ['fra'],
    tiers: tiersDefault,
    targetAllow: parsedAllow.ok ? parsedAllow.allow : allowNothing,
    ...defaultTargetRules,
  },
  runs: { start: () => undefined },
  answers: { drop: () => undefined },
})
const create = async (body: object): Promise<string> => {
  const check = await createTypedCheck(
    saving(),
    { accountId, actor: { kind: 'operator' } },
    { name: 'typed', ...body },
  )
  if (isRefusal(check)) throw new Error(`${check.refused}: ${JSON.stringify(check.errors)}`)
  return check.id
}

/** Runs a check now and waits for the same reading in the database. */
const measured = async (id: string): Promise<StoredReading> => {
  const { readings } = await call('runCheck', { params: { id } })
  const [answered] = readings
  if (answered === undefined) throw new Error('no region answered')
  return await vi.waitFor(async () => {
    const page = await call('listReadings', { params: { id }, query: {} })
    const stored = page.readings.find(({ slot, kind }) => kind === 'manual' && slot === answered.slot)
    expect(stored).toEqual({ ...answered, receivedAt: stored?.receivedAt })
    return answered
  }, storedTimeout)
}

const mesh = useOnce(() => startMesh({ regions: ['fra'], tiers: {}, budgetScale: 10_000 }))
const client = useOnce(() => createApiClient({ apiUrl: mesh.apiUrl, apiKey: mesh.apiKey }))
beforeAll(async () => {
  sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 2 })
  accountId = (await call('getMe', {})).account.id
})
afterAll(async () => {
  await sql?.end({ timeout: 1 })
  for (const server of servers) server.close()
})

describe('a check of each type, from save to stored reading', long, () => {
  test('a journey keeps a cookie of a redirect and names the failing step', async () => {
    const port = await listening(
      createServer((request, response) => {
        const isIn = request.headers.cookie === 'session=42'
        if (request.url === '/login') {
          response.writeHead(302, { location: '/home', 'set-cookie': 'session=42; Path=/' }).end()
        } else if (request.url === '/orders') response.writeHead(isIn ? 200 : 401).end('orders')
        else response.end('home')
      }),
    )
    const step = (name: string, path: string, method = 'GET') => ({
      name,
      method,
      url: `http://127.0.0.1:${port}${path}`,
    })
    const login = { ...step('login', '/login', 'POST'), body: 'user=a', contentType: 'text/plain' }
    const id = await create({
      type: 'multistep',
      steps: [login, step('home', '/home'), step('orders', '/orders')],
    })
    const passed = await measured(id)
    expect(passed).toMatchObject({ verdict: 'up', reason: null, httpStatus: 200 })
    expect(hopsOf(passed)).toEqual(['1.0 302', '1.1 200', '2.0 200', '3.0 200'])

    const withoutLogin = [step('ping', '/home'), step('home', '/home'), step('orders', '/orders')]
    expect(
      isRefusal(
        await replaceSteps(
          saving(),
          { accountId, actor: { kind: 'operator' } },
          { checkId: id, body: { steps: withoutLogin } },
        ),
      ),
    ).toBe(false)
    await vi.waitFor(async () => {
      const failed = await measured(id)
      expect(failed.reason).toBe('Step 3 (orders): expected status 200-299, got 401')
      expect(failed.verdict).toBe('down')
      expect(hopsOf(failed)).toEqual(['1.0 200', '2.0 200', '3.0 401'])
    }, storedTimeout)
  })

  test('tcp: an expected banner and a missing one', async () => {
    const port = await listening(
      net.createServer((socket) => {
        // a probe resets the connection after the expected bytes
        socket.on('error', () => socket.destroy())
        socket.end('220 ready\r\n')
      }),
    )
    const settings = { host: '127.0.0.1', port, expect: '220 ready' }
    const up = await measured(await create({ type: 'tcp', settings }))
    expect(up).toMatchObject({ verdict: 'up', reason: null, details: { type: 'tcp' } })
    const other = await create({ type: 'tcp', settings: { ...settings, expect: '221' } })
    await vi.waitFor(async () => {
      expect((await measured(other)).verdict).toBe('down')
    }, busyTimeout)
  })

  test('dns: the records of a name at the resolver of the check', async () => {
    const server = await startDnsServer(({ id, question, send }) => {
      const answers: Answer[] = [{ name: question.name, type: 'A', ttl: 60, data: '192.0.2.7' }]
      send({ id, type: 'response', questions: [question], answers })
    })
    servers.push(server)
    const settings = {
      name: 'www.example.org',
      recordType: 'A',
      resolver: server.resolver,
      expect: { op: 'equals', values: ['192.0.2.7'] },
    }
    expect(await measured(await create({ type: 'dns', settings }))).toMatchObject({
      verdict: 'up',
      details: { type: 'dns', rcode: 'NOERROR', ttlSeconds: 60, values: ['192.0.2.7'] },
    })
  })

  test('smtp: a greeting and extensions, without sending mail', async () => {
    let mails = 0
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (_stream, _session, done) => {
        mails += 1
        done()
      },
    })
    smtp.on('error', () => undefined)
    const port = await listening(smtp.server)
    const settings = { host: '127.0.0.1', port }
    const up = await measured(await create({ type: 'smtp', settings }))
    expect(up).toMatchObject({ verdict: 'up', details: { type: 'smtp', tlsVersion: null } })
    expect(mails).toBe(0)
  })

  test('grpc: the health of services of a server of another implementation', async () => {
    const server = new GrpcServer()
    servers.push({ close: () => server.forceShutdown() })
    new HealthImplementation({ 'shop.v1.Cart': 'SERVING', 'shop.v1.Bill': 'NOT_SERVING' }).addToServer(server)
    const bind = promisify(server.bindAsync.bind(server))
    const port = await bind('127.0.0.1:0', ServerCredentials.createInsecure())
    const of = (service: string) => ({ host: '127.0.0.1', port, security: 'none', service })
    const up = await measured(await create({ type: 'grpc', settings: of('shop.v1.Cart') }))
    expect(up).toMatchObject({ verdict: 'up', details: { type: 'grpc', status: 'SERVING', code: 0 } })
    const down = await measured(await create({ type: 'grpc', settings: of('shop.v1.Bill') }))
    expect(down).toMatchObject({
      verdict: 'down',
      reason: 'service "shop.v1.Bill" is NOT_SERVING, expected SERVING',
    })
    const unknown = { ...of('shop.v1.None'), expect: 'SERVICE_UNKNOWN' }
    expect(await measured(await create({ type: 'grpc', settings: unknown }))).toMatchObject({ verdict: 'up' })
  })

  test('heartbeat: a job that starts, finishes and fails', async () => {
    const settings = { periodSeconds: 3_600, graceSeconds: 60 }
    const id = await create({ type: 'heartbeat', settings })
    const heartbeat = async () => (await call('getCheck', { params: { id } })).heartbeat
    const born = await heartbeat()
    expect(born).toMatchObject({ state: 'new', latestRun: null })
    const ping = async (path: string) => {
      const response = await fetch(`${born?.pingUrl}${path}`, { method: 'POST', body: 'a line' })
      expect([response.status, await response.text()]).toEqual([200, 'OK'])
    }
    await ping('/start')
    await ping('')
    await vi.waitFor(async () => expect(await heartbeat()).toMatchObject({ state: 'up' }))
    await ping('/3')
    await vi.waitFor(async () => {
      expect(await heartbeat()).toMatchObject({ state: 'down', consecutiveFailures: 1 })
    }, storedTimeout)
    const { runs } = await call('listHeartbeatRuns', { params: { id }, query: {} })
    expect(runs).toMatchObject([
      { outcome: 'failure', exitCode: 3, message: 'a line' },
      { outcome: 'success', exitCode: null },
    ])
  })

  test('browser: the page after its script has run', async () => {
    const port = await listening(
      createServer((_request, response) => {
        const script = `document.title = 'Shop'; document.body.textContent = 'Welcome back'`
        response.setHeader('content-type', 'text/html')
        response.end(`<!doctype html><body><script>${script}</script>`)
      }),
    )
    const url = `http://127.0.0.1:${port}/`
    const settings = { url, titleContains: 'Shop', textContains: 'Welcome back' }
    const id = await create({ type: 'browser', settings })
    // on a busy machine the agent is delayed and its readings are unmeasured
    await vi.waitFor(async () => {
      expect(await measured(id)).toMatchObject({
        verdict: 'up',
        httpStatus: 200,
        details: { type: 'browser', title: 'Shop', consoleErrorCount: 0, refusedRequests: 0 },
      })
    }, busyTimeout)
    const other = await create({ type: 'browser', settings: { url, titleContains: 'Bank' } })
    await vi.waitFor(async () => {
      expect(await measured(other)).toMatchObject({
        verdict: 'down',
        reason: 'expected the title to contain "Bank", got "Shop"',
      })
    }, busyTimeout)
  })
})

const hopsOf = ({ details }: StoredReading): string[] =>
  details?.type === 'multistep'
    ? details.hops.map(({ step, hop, httpStatus }) => `${step}.${hop} ${httpStatus}`)
    : []
