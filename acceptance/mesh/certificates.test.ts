import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import {
  ok,
  startReceiver,
  type Receiver,
} from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import {
  createCertificates,
  type Certificates,
} from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openSession } from '../testing/open-session.ts'
import { createTestOwner, type TestOwner } from '@probe-mesh/infra/testing/processes/account'
import { readMetrics, sumMetric } from '@probe-mesh/infra/testing/processes/metric'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { actAs, type Act } from '../web/system/client.ts'

/**
 * Expiry of a certificate and a domain, observed from outside: two control planes, agents that trust the
 * authority of this test, two accounts whose checks measure one domain, and its registry.
 */

const dayMs = 86_400_000
/** Readings arrive every second; the loops for expiries and registries run every 15 s. */
const patience = { timeout: 60_000, interval: 200 }
const domain = 'example.org'

type Account = TestOwner & { act: Act; cookie: string; receiver: Receiver }

const folder = testFolder('certificates-')
let certificates: Certificates
let registry: Awaited<ReturnType<typeof startRegistry>>
let mesh: Processes
let accounts: [Account, Account]
const closers: (() => unknown)[] = []

/** IANA's list with one registry, and that registry with one domain. */
const startRegistry = async (firstExpiresAt: string) => {
  let expiresAt = firstExpiresAt
  const questions: string[] = []
  const { port, close } = await startReceiver(({ path }, response) => {
    const answer = (body: object): void => void response.writeHead(200).end(JSON.stringify(body))
    if (path === '/dns.json') {
      return answer({ services: [[['org'], [`http://127.0.0.1:${port}/rdap/`]]] })
    }
    questions.push(path)
    answer({
      objectClassName: 'domain',
      ldhName: domain,
      events: [{ eventAction: 'expiration', eventDate: expiresAt }],
      entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'A Registrar']]] }],
    })
  })
  closers.push(close)
  return {
    bootstrapUrl: `http://127.0.0.1:${port}/dns.json`,
    /** The requests, in order. */
    questions,
    renew: (until: string) => {
      expiresAt = until
    },
  }
}

/** A site whose certificate expires in the given days. */
const startSite = async (daysLeft: number) => {
  const requests = { count: 0 }
  const server = createServer(leafOf(daysLeft), (_request, response) => {
    requests.count += 1
    response.end('fine')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    renew: (days: number) => server.setSecureContext(leafOf(days)),
  }
}

/** `YYMMDDhhmmssZ`, the given days and an hour from now. */
const certificateTime = (days: number): string =>
  endOf(days).replaceAll(/[-T:]/g, '').replace(/\.\d+/, '').slice(2)
const endOf = (days: number): string =>
  new Date(Date.now() + days * dayMs + (days > 0 ? 3_600_000 : 0)).toISOString()
const leafOf = (daysLeft: number) =>
  certificates.leaf('127.0.0.1', { from: certificateTime(-1), to: certificateTime(daysLeft) })

/** An account with a receiver for the notifications of its rule. */
const openAccount = async (): Promise<Account> => {
  const address = new URL(mesh.apiUrl).origin
  const owner = await createTestOwner(mesh.databaseUrl)
  const act = await actAs(address, owner)
  const receiver = await startReceiver(ok)
  closers.push(receiver.close)
  const { id } = await act('createChannel', {
    body: { type: 'json', name: 'hook', config: { url: receiver.url } },
  })
  await act('testChannel', { params: { id } })
  await act('createAlertRule', { body: { name: 'everything' } })
  return { ...owner, act, cookie: await openSession(address, owner), receiver }
}

beforeAll(async () => {
  certificates = createCertificates()
  const caFile = join(folder, 'ca.pem')
  await writeFile(caFile, certificates.ca)
  registry = await startRegistry(endOf(6))
  mesh = await startProcesses({
    regions: ['fra'],
    agentsPerRegion: 1,
    tiers: { scale: { intervalSecondsMin: 1 } },
    budgetScale: 10_000,
    environmentOf: () => ({ NODE_EXTRA_CA_CERTS: caFile }),
    environment: { RDAP_BOOTSTRAP: registry.bootstrapUrl, CHANNEL_ALLOW: '127.0.0.0/8' },
  })
  accounts = [await openAccount(), await openAccount()]
}, 120_000)
afterAll(async () => {
  await mesh?.close()
  for (const close of closers) await close()
  certificates?.remove()
})

/** The titles of an account's messages, in order, without the test of its channel. */
const titlesOf = ({ receiver }: Account): string[] =>
  receiver.received
    .map(({ body }) => JSON.parse(body) as { type: string; data: { title: string } })
    .filter(({ type }) => type !== 'test')
    .map(({ data }) => data.title)
const expectTitles = (account: Account, ...titles: string[]) =>
  vi.waitFor(() => expect(titlesOf(account).toSorted()).toEqual(titles.toSorted()), patience)

const createHttp = async ({ act }: Account, name: string, url: string): Promise<string> =>
  (await act('createCheck', { body: { name, url, intervalSeconds: 1 } })).id

/** Makes the domain due for its next daily query. */
const endDay = async (): Promise<void> => {
  const sql = connectPostgres(mesh.databaseUrl, { connectionsMax: 1 })
  const rows = await sql`update domains set next_at = now() where name = ${domain} returning name`
  await sql.end()
  expect(rows).toHaveLength(1)
}

const main = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))
const cliStatus = async ({ apiKey }: Account, name: string): Promise<string> => {
  const { PATH, HOME } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'status', name], {
    env: { PATH, HOME, SERVICE_API_URL: mesh.apiUrl, SERVICE_API_KEY: apiKey },
  })
  return stdout.replaceAll(/\s+/g, ' ')
}
const pageOf = async ({ cookie }: Account, id: string): Promise<string> => {
  const url = new URL(`/dashboard/checks/${id}`, mesh.apiUrl)
  const answer = await fetch(url, { headers: { cookie } })
  expect(answer.status).toBe(200)
  return answer.text()
}
/** A check as the account sees it over REST. */
const detailOf = async ({ apiKey }: Account, id: string): Promise<CheckDetail> => {
  const answer = await fetch(`${mesh.apiUrl}/checks/${id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(answer.status).toBe(200)
  return (await answer.json()) as CheckDetail
}

test('a certificate and a domain with 6 days left send one message each, and one on renewal', async () => {
  const [owner, other] = accounts
  const site = await startSite(6)
  const shop = await createHttp(owner, 'shop', site.url)
  const names = await startDnsServer(({ id, question, send }) =>
    send({
      id,
      type: 'response',
      questions: [question],
      answers: [{ name: question.name, type: 'A', ttl: 60, data: '192.0.2.7' }],
    }),
  )
  closers.push(names.close)
  const createDns = async ({ act }: Account, name: string, host: string): Promise<string> => {
    const settings = { name: host, recordType: 'A', resolver: names.resolver }
    const body = { type: 'dns', name, intervalSeconds: 1, settings }
    return (await act('createTypedCheck', { body })).id
  }
  const zone = await createDns(owner, 'zone', `www.${domain}`)
  await createDns(other, 'the same zone', `shop.${domain}`)

  const ofShop = 'The certificate of shop expires in 6 days'
  const ofDomain = `The domain ${domain} expires in 6 days`
  await expectTitles(owner, ofShop, ofDomain)
  await expectTitles(other, ofDomain)
  expect(registry.questions).toEqual([`/rdap/domain/${domain}`])

  await expectShown({ owner, shop, zone }, 6)

  // a notification of another certificate shows that a round ran after these readings
  const { count } = site.requests
  await vi.waitFor(() => expect(site.requests.count).toBeGreaterThan(count + 2), patience)
  const marker = await startSite(3)
  await createHttp(owner, 'marker', marker.url)
  const ofMarker = 'The certificate of marker expires in 3 days'
  await expectTitles(owner, ofShop, ofDomain, ofMarker)

  site.renew(90)
  registry.renew(endOf(371))
  await endDay()
  const renewed = ['The certificate of shop was renewed', `The domain ${domain} was renewed`]
  await expectTitles(owner, ofShop, ofDomain, ofMarker, ...renewed)
  await expectTitles(other, ofDomain, `The domain ${domain} was renewed`)
  await expectShown({ owner, shop, zone }, 90, 371)

  marker.renew(90)
  const all = [ofShop, ofDomain, ofMarker, ...renewed, 'The certificate of marker was renewed']
  await expectTitles(owner, ...all)
  expect(titlesOf(other)).toHaveLength(2)
  expect(registry.questions).toEqual(Array(2).fill(`/rdap/domain/${domain}`))
}, 400_000)

/** Expects REST, the CLI, the check's page and the metrics to show both expiries. */
const expectShown = async (
  { owner, shop, zone }: { owner: Account; shop: string; zone: string },
  certificateDays: number,
  domainDays = certificateDays,
): Promise<void> => {
  const { certificates: shown } = await vi.waitFor(async () => {
    const detail = await detailOf(owner, shop)
    expect(detail.certificates).toMatchObject([
      {
        daysLeft: certificateDays,
        names: ['127.0.0.1'],
        issuer: 'test authority',
        regions: ['fra'],
      },
    ])
    return detail
  }, patience)
  const certificateEnd = shown?.[0]?.expiresAt ?? ''
  const { domain: registration } = await detailOf(owner, zone)
  expect(registration).toMatchObject({
    name: domain,
    daysLeft: domainDays,
    registrar: 'A Registrar',
  })
  const domainEnd = registration?.expiresAt ?? ''

  expect(await cliStatus(owner, 'shop')).toContain(
    `Certificate: expires in ${certificateDays} days (${certificateEnd.slice(0, 10)}); issued by test authority`,
  )
  expect(await cliStatus(owner, 'zone')).toContain(
    `Domain: ${domain} expires in ${domainDays} days (${domainEnd.slice(0, 10)}); registrar A Registrar`,
  )
  for (const [id, end] of [
    [shop, certificateEnd],
    [zone, domainEnd],
  ] as const) {
    expect(await pageOf(owner, id)).toContain(`datetime="${end}"`)
  }
  for (const { url } of mesh.controlPlanes) {
    await vi.waitFor(async () => {
      const text = await readMetrics(url, null)
      expect(sumMetric(text, 'certificate_days_left', { check: shop })).toBe(certificateDays)
      expect(sumMetric(text, 'domain_days_left', { domain })).toBe(domainDays)
    }, patience)
  }
}
