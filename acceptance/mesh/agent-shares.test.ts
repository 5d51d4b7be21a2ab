import { randomBytes } from 'node:crypto'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { createAccount } from '@probe-mesh/control-plane/login/create-account'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readMetrics } from '@probe-mesh/infra/testing/processes/metric'
import { startTestAllInOne, type TestAllInOne } from '@probe-mesh/infra/testing/all-in-one'
import { emptyCatalog } from '@probe-mesh/infra/testing/empty-catalog'
import { startTarget } from '@probe-mesh/infra/testing/target'

/** One account attacks with silent targets; another works without a change. */

const regions = ['iad', 'sjc', 'fra', 'nrt']
/** Attacking accounts, with their numbers of sessions and trial runs. */
const attackers = 7
const trialsOfAttacker = 130

let mesh: TestAllInOne
const sockets = new Set<Socket>()
const silent = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => undefined)
  socket.on('close', () => sockets.delete(socket))
})

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  mesh = await startTestAllInOne({
    environment: {
      REGIONS: regions.join(','),
      TARGET_ALLOW: '127.0.0.0/8',
      BUDGET_SCALE: '10000',
      CATALOG_INTERVAL_SECONDS: '60',
    },
    catalog: emptyCatalog,
  })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await mesh?.close()
  silent.close()
})

type Post = (path: string, body: unknown) => Promise<{ status: number; json: { id: string } }>

const openAccounts = async (tier: Tier, count: number): Promise<Post[]> => {
  const sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 1 })
  const made: Post[] = []
  for (let number = 0; number < count; number++) {
    const login = {
      email: `${tier}-${number}@shares.test.example`,
      password: randomBytes(12).toString('base64url'),
    }
    const account = await createAccount({ sql, now: Date.now }, { name: `${tier} ${number}`, ...login, tier })
    if (isRefusal(account)) throw new Error(account.message)
    const answer = await post('', '/session', login)
    made.push((path, body) => answerOf(post(answer.headers.getSetCookie()[0] ?? '', path, body)))
  }
  await sql.end()
  return made
}

const post = (cookie: string, path: string, body: unknown): Promise<Response> =>
  fetch(new URL(`/dashboard-api${path}`, mesh.apiUrl), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      cookie: cookie.split(';')[0] ?? '',
    },
    body: JSON.stringify(body),
  })
const answerOf = async (answering: Promise<Response>) => {
  const answer = await answering
  return { status: answer.status, json: (await answer.json()) as { id: string } }
}

type Answered = {
  id: string
  status: string
  readings: { verdict: string }[]
  unanswered: string[]
}

const rest = async (method: string, path: string, body?: object): Promise<Answered> => {
  const answer = await fetch(`${mesh.apiUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${mesh.credentials.apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Answered
}
const metricsText = () => readMetrics(new URL(mesh.apiUrl).origin, mesh.credentials.metricsToken)
const figure = async (name: string): Promise<number> => {
  const line = (await metricsText()).split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ').at(-1) ?? 0)
}

test(
  'on-demand runs and confirmations of one account do not wait for the trial runs of others',
  { timeout: 120_000 },
  async () => {
    const target = await startTarget()
    const { port } = silent.address() as AddressInfo
    const check = { name: 'own', url: target.url(), intervalSeconds: 60, regions, sendRegion: true }
    const { id } = await rest('POST', '/checks', check)
    await vi.waitFor(async () => expect((await rest('GET', `/checks/${id}`)).status).toBe('operational'), {
      timeout: 30_000,
      interval: 100,
    })

    const trial = { name: 'silent', url: `http://127.0.0.1:${port}/`, regions }
    const [free, ...others] = [
      ...(await openAccounts('free', 1)),
      ...(await openAccounts('scale', attackers)),
    ]
    const trials = [free, ...others].flatMap((account) =>
      Array.from({ length: trialsOfAttacker }, async () => (await account?.('/trials', trial))?.status ?? 0),
    )
    // more than the agents used to run for all accounts together
    await vi.waitFor(() => expect(sockets.size).toBeGreaterThan(regions.length * 100), {
      timeout: 20_000,
    })

    const run = await rest('POST', `/checks/${id}/run`)
    expect(run.unanswered).toEqual([])
    expect(run.readings.map(({ verdict }) => verdict)).toEqual(regions.map(() => 'up'))

    target.behave('fail', ['fra'])
    await rest('POST', `/checks/${id}/run`)
    await vi.waitFor(
      async () => expect(await figure('assess_confirmations_total{outcome="answered"}')).toBe(regions.length),
      { timeout: 10_000 },
    )
    expect(await metricsText()).not.toContain('assess_confirmations_total{outcome="busy"}')
    expect(await figure('probe_mesh_agent_pool_taken{pool="runsAsked"}')).toBeGreaterThan(
      regions.length * 100,
    )

    for (const socket of sockets) socket.destroy()
    silent.close()
    // excess requests were refused with Retry-After, without other effects
    expect([...new Set(await Promise.all(trials))].toSorted()).toEqual([200, 429])
    await target.close()
  },
)
