import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import tls from 'node:tls'
import { setTimeout as elapse } from 'node:timers/promises'
import { checkFamilies, figuresOf } from '@probe-mesh/control-plane/src/account-metrics/check-metrics'
import { certificateIn } from '@probe-mesh/control-plane/src/checks/expiry/certificates'
import type { ScrapedCheck } from '@probe-mesh/control-plane/src/account-metrics/scraped-checks-store'
import { newCheckState, newRegionState, type RegionState } from '@probe-mesh/control-plane/src/status/state'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { createTrust } from '@probe-mesh/probe-agent/src/request/connect'
import { ask, resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { chainCases, createChains, type ChainCase } from '@probe-mesh/probe-agent/src/request/testing/chains'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { findBlackbox } from '../testing/blackbox-binary.ts'

/** The same servers through blackbox_exporter and ours: when a certificate expires, and whether it is accepted now. */

const host = 'chain.example.com'
const folder = testFolder('chains-')
const chains = useOnce(() => createChains(folder, host, Date.now()))
let blackbox: { child: ChildProcess; port: number }

const moduleOf = (known: ChainCase['known']): string => known.join('_')

beforeAll(async () => {
  const program = await findBlackbox({ mayFetch: true })
  const modules: Record<string, unknown> = {}
  for (const { known } of chainCases) {
    const file = join(folder, `${moduleOf(known)}.ca`)
    await writeFile(file, known.map(chains.pem).join(''))
    const tlsOf = (more: object) => ({
      prober: 'http',
      timeout: '9s',
      http: { preferred_ip_protocol: 'ip4', tls_config: { ca_file: file, server_name: host, ...more } },
    })
    modules[moduleOf(known)] = tlsOf({})
  }
  // JSON is valid YAML
  await writeFile(join(folder, 'blackbox.json'), JSON.stringify({ modules }))
  const [port = 0] = await freePorts(1)
  const flags = ['--config.file', join(folder, 'blackbox.json'), '--web.listen-address', `127.0.0.1:${port}`]
  const child = spawn(program, flags, { stdio: 'ignore' })
  blackbox = { child, port }
  const end = performance.now() + 20_000
  while ((await fetch(`http://127.0.0.1:${port}/-/healthy`).catch(() => null))?.ok !== true) {
    if (child.exitCode !== null || performance.now() > end)
      throw new Error('blackbox_exporter does not respond')
    await elapse(50)
  }
}, 120_000)
afterAll(() => void blackbox.child.kill())

const serve = async ({ sent }: Pick<ChainCase, 'sent'>): Promise<number> => {
  const [own = 'leaf'] = sent
  const server = tls.createServer({ key: chains.key(own), cert: sent.map(chains.pem).join('') }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return portOf(server)
}

const peersOf = async (port: number, { known }: ChainCase) => {
  const parameters = new URLSearchParams({ target: `https://127.0.0.1:${port}/`, module: moduleOf(known) })
  const text = await (await fetch(`http://127.0.0.1:${blackbox.port}/probe?${parameters}`)).text()
  const figure = (name: string): number | null => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
    return found === undefined ? null : Number(found)
  }
  return {
    success: figure('probe_success') === 1,
    earliest: figure('probe_ssl_earliest_cert_expiry'),
    lastChain: figure('probe_ssl_last_chain_expiry_timestamp_seconds'),
  }
}

/** What the metrics of an account say of a reading of this server. */
const oursOf = async (port: number, { known }: ChainCase) => {
  const outcome = await ask(
    `https://${host}:${port}/`,
    {},
    { resolver: resolverOf({ [host]: ['127.0.0.1'] }), trust: createTrust(known.map(chains.pem)) },
  )
  const cause = outcome.ok ? 'ok' : outcome.cause
  const [region, nowMs] = ['fra', Date.now()]
  const reading = { certificateExpiresAt: outcome.certificateExpiresAt, region, cause, measuredAt: nowMs }
  const record = certificateIn(reading as Reading, nowMs)
  const measured: RegionState = { ...newRegionState, verdict: outcome.ok ? 'up' : 'down', measuredAt: nowMs }
  const check: ScrapedCheck = {
    id: '0198f3c0-0000-7000-8000-000000000001',
    name: 'chain',
    type: 'http',
    url: `https://${host}/`,
    target: null,
    paused: false,
    regions: [region],
    intervalSeconds: 60,
    certificates: record === null ? [] : [record],
    state: { ...newCheckState, status: 'operational', regions: { [region]: measured } },
  }
  const families = checkFamilies.flatMap(({ name, samples }) =>
    name.startsWith('probe_ssl')
      ? samples(figuresOf(check, nowMs, new Set())).map(({ value }) => [name, value])
      : [],
  )
  return {
    success: outcome.ok,
    cause,
    expiresAt: outcome.certificateExpiresAt,
    figures: Object.fromEntries(families),
  }
}

/** Clients that follow one path only, as OpenSSL does, do not accept this one. */
const ofOnePath = 'a second path is the only one'

test('60 chains or more are compared', () => {
  expect(chainCases.length).toBeGreaterThanOrEqual(60)
})

test.each(chainCases)('$title', async (each) => {
  const port = await serve(each)
  const [peer, ours] = [await peersOf(port, each), await oursOf(port, each)]
  const expiresAt = chains.expiresAt(each.ends) / 1000
  expect(ours.expiresAt).toBe(expiresAt * 1000)
  if (each.title === ofOnePath) {
    expect([peer.success, peer.lastChain, ours.cause]).toEqual([true, expiresAt, 'certificate_untrusted'])
    return
  }
  expect([ours.success, ours.cause]).toEqual([peer.success, each.cause ?? 'ok'])
  if (!peer.success) return
  expect(peer.lastChain).toBe(expiresAt)
  expect(ours.figures).toEqual({
    probe_ssl_earliest_cert_expiry: peer.lastChain,
    probe_ssl_last_chain_expiry_timestamp_seconds: peer.lastChain,
  })
  // what was sent and is not used may end before, and what was not sent is not in its earliest
  const sentEnds = Math.min(...each.sent.map((id) => chains.expiresAt(id) / 1000))
  expect(peer.earliest).toBe(sentEnds)
})
