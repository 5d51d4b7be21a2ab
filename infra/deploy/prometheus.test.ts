import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testFolder } from '../testing/folder.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { findDebianProgram } from '../testing/debian-program.ts'
import { recordFigure } from '../testing/figure.ts'
import { createCommandPart } from '../testing/processes/command-part.ts'
import {
  createAgent,
  createControlPlane,
  createServers,
  journalDir,
  type AgentPart,
} from '../testing/processes/compose.ts'
import { freePorts } from '../testing/processes/free-ports.ts'
import { clientOf } from './testing/client.ts'
import { createGatewayPart } from './testing/gateway-part.ts'
import { makeCertificate } from './testing/proxied-mesh.ts'

/** The files for Prometheus, tested with Debian's promtool, and with its Prometheus on a running mesh. */
const files = fileURLToPath(new URL('prometheus', import.meta.url))
const read = (name: string): Promise<string> => readFile(join(files, name), 'utf8')
const run = promisify(execFile)
const token = 'the-token-of-a-test-0'

const folder = testFolder('prometheus-')
let promtool: string
let configFile: string
let agents: AgentPart[]
let root: string
const closers: (() => Promise<unknown>)[] = []
const keep = <P extends { close(): Promise<unknown> }>(part: P): P => {
  closers.push(() => part.close())
  return part
}

beforeAll(async () => {
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  promtool = await findDebianProgram('prometheus', { mayFetch: true, program: 'promtool' })
  const beside = dirname(promtool)
  const prometheus = [join(beside, 'prometheus'), join(beside, 'root/usr/bin/prometheus')].find((path) =>
    existsSync(path),
  )
  if (prometheus === undefined) throw new Error(`there is no prometheus next to ${promtool}`)
  for (const path of [join(folder, 'logs'), journalDir(folder)]) await mkdir(path)
  const { certificate, key } = await makeCertificate(folder)
  const ca = await readFile(certificate)
  const ports = await freePorts(16)
  const nextPort = (): number => ports.pop() ?? 0
  const servers = await createServers(folder, ['fra'], nextPort)
  await Promise.all([servers.postgres, servers.clickhouse, servers.nats].map((part) => keep(part).start()))
  const [one, two, gatewayPort, own] = [nextPort(), nextPort(), nextPort(), nextPort()]
  const shared = {
    TLS_CERT: certificate,
    TLS_KEY: key,
    NODE_EXTRA_CA_CERTS: certificate,
    METRICS_TOKEN: token,
    GATEWAY_KEY: 'the-gateway-key-of-the-tests-of-32-characters',
    PUBLIC_URL: `https://localhost:${one}`,
    MCP_URL: `https://localhost:${gatewayPort}`,
  }
  const isReadyAt = (port: number) => async () => (await clientOf(port, ca).send('/readyz')).status === 200
  const controlPlanes = [one, two].map((port, at) =>
    keep(
      createControlPlane(servers, {
        name: `control-plane-${at + 1}`,
        port,
        folder,
        publicUrl: shared.PUBLIC_URL,
        regions: ['fra'],
        tiers: {},
        budgetScale: 1,
        environment: shared,
        isReady: isReadyAt(port),
      }),
    ),
  )
  agents = [1, 2].map((n) =>
    keep(
      createAgent(servers, {
        name: `fra-${n}`,
        port: nextPort(),
        folder,
        region: 'fra',
        natsPort: servers.natsPort,
        environment: { METRICS_TOKEN: token },
      }),
    ),
  )
  // agents are ready once they have assignments from a control plane
  for (const parts of [controlPlanes, agents]) await Promise.all(parts.map((part) => part.start()))
  const gateway = createGatewayPart({
    port: gatewayPort,
    folder,
    environment: { ...shared, CONTROL_PLANE_URL: shared.PUBLIC_URL },
    isReady: isReadyAt(gatewayPort),
  })
  await keep(gateway).start()

  const [tokenFile, places] = [join(folder, 'metrics-token'), join(folder, 'prometheus.yml')]
  configFile = places
  await writeFile(tokenFile, `${token}\n`)
  await writeFile(join(folder, 'alerts.yml'), await read('alerts.yml'))
  const agentPorts = agents.map(({ url }) => new URL(url).port)
  const changes: [string, string][] = [
    ['/etc/prometheus/probe-mesh-ca.pem', certificate],
    ['/etc/prometheus/probe-mesh-metrics-token', tokenFile],
    ['[control-plane-1:8080, control-plane-2:8080]', `['localhost:${one}', 'localhost:${two}']`],
    ['[gateway-1:8081, gateway-2:8081]', `['localhost:${gatewayPort}']`],
    ['[agent-fra-1:9464, agent-fra-2:9464]', `['127.0.0.1:${agentPorts.join("', '127.0.0.1:")}']`],
    ['interval: 15s', 'interval: 1s'],
  ]
  const placed = changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`prometheus.yml has no ${from}`)
      return text.replaceAll(from, to)
    },
    await read('prometheus.yml'),
  )
  await writeFile(places, placed)
  root = `http://127.0.0.1:${own}`
  const storage = `--storage.tsdb.path=${join(folder, 'tsdb')}`
  const started = createCommandPart({
    name: 'prometheus',
    command: [prometheus, `--config.file=${places}`, storage, `--web.listen-address=127.0.0.1:${own}`],
    environment: {},
    logFile: join(folder, 'logs', 'prometheus'),
    isReady: async () => (await fetch(`${root}/-/ready`)).ok,
  })
  await keep(started).start()
}, 300_000)
afterAll(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
}, 60_000)

type Group = { rules: { alert: string; expr: string; labels: { severity: string } }[] }
const alerts = async (): Promise<Group['rules']> =>
  (parse(await read('alerts.yml')) as { groups: Group[] }).groups.flatMap(({ rules }) => rules)

test('has a configuration and rules that promtool accepts', async () => {
  const { stdout } = await run(promtool, ['check', 'config', configFile])
  expect(stdout).toContain('is valid prometheus config file syntax')
  const { stdout: ofRules } = await run(promtool, ['check', 'rules', join(files, 'alerts.yml')])
  expect(ofRules).toContain(`SUCCESS: ${(await alerts()).length} rules found`)
})

test('fires each alert in its case and not in the opposite case', async () => {
  const tests = parse(await read('alerts-test.yml')) as { tests: { name: string }[] }
  expect(tests.tests.map(({ name }) => name).toSorted()).toEqual(
    (await alerts()).flatMap(({ alert }) => [`${alert} fires`, `${alert} does not fire`]).toSorted(),
  )
  const { stdout } = await run(promtool, ['test', 'rules', join(files, 'alerts-test.yml')])
  expect(stdout).toContain('SUCCESS')
})

const query = async <T>(path: string): Promise<T> =>
  ((await (await fetch(`${root}/api/v1/${path}`)).json()) as { data: T }).data

type RulesAnswer = {
  groups: { rules: { name: string; health: string; lastError?: string; state: string }[] }[]
}
const states = async () => (await query<RulesAnswer>('rules')).groups.flatMap(({ rules }) => rules)

test('reads every process, and raises no alert while all of them work', async (context) => {
  type Targets = { activeTargets: { scrapePool: string; health: string; lastError: string }[] }
  await vi.waitFor(
    async () => {
      const { activeTargets } = await query<Targets>('targets')
      const up = activeTargets.map(({ scrapePool, health, lastError }) => [scrapePool, health, lastError])
      expect(up.toSorted()).toEqual([
        ...[1, 2].map(() => ['probe-mesh-agent', 'up', '']),
        ...[1, 2].map(() => ['probe-mesh-control-plane', 'up', '']),
        ['probe-mesh-gateway', 'up', ''],
      ])
      for (const rule of await states()) expect([rule.name, rule.health]).toEqual([rule.name, 'ok'])
    },
    { timeout: 30_000, interval: 500 },
  )
  await vi.waitFor(
    async () =>
      expect((await states()).filter(({ state }) => state !== 'inactive').map(({ name }) => name)).toEqual(
        // its absence would be the alert
        ['Watchdog'],
      ),
    { timeout: 60_000, interval: 500 },
  )
  const { result } = await query<{ result: { value: [number, string] }[] }>(
    'query?query=count(count by (__name__) ({job=~"probe-mesh-.*"}))',
  )
  await recordFigure(context, `Prometheus reads ${result[0]?.value[1]} metrics of 5 processes`)
}, 120_000)

test('raises the alert of a region within the time of its rule when its agents are dead', async () => {
  for (const agent of agents) await agent.kill()
  await vi.waitFor(
    async () => {
      const rule = (await states()).find(({ name }) => name === 'ProbeMeshRegionWithoutAgents')
      expect(rule?.state).toBe('firing')
    },
    { timeout: 150_000, interval: 1_000 },
  )
}, 180_000)
