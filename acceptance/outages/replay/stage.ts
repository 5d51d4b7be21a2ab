import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import type { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { startControlPlane } from '@probe-mesh/control-plane/app/control-plane'
import { startClickHouse } from '@probe-mesh/infra/start/embedded/clickhouse/start'
import { silentLog } from '@probe-mesh/infra/start/embedded/log'
import { startPostgres } from '@probe-mesh/infra/start/embedded/postgres/start'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { findBlackbox } from '../../testing/blackbox-binary.ts'
import { findDebianProgram } from '@probe-mesh/infra/testing/debian-program'
import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { createAnswerClient, type AnswerClient } from '../../scenarios/answer-client.ts'
import pino from 'pino'
import { Registry } from 'prom-client'
import type { NetworkState } from '../condition-at.ts'
import { vantages, type Vantage, type World, type WorldService } from '../world.ts'
import { canary, planInternet } from './internet-plan.ts'
import type { RegionProbed, RegionSettings } from './region.ts'

/** The whole path over a small internet in each region: agents, broker, databases, control plane, answers. */
export type Stage = {
  readonly client: AnswerClient
  /** Sets the state of a region's network, by slug of the service. */
  play(region: Vantage, states: Readonly<Record<string, NetworkState>>): void
  /** The results of the last probes of a service by blackbox_exporter, one per region. */
  probed(slug: string): boolean[]
  close(): Promise<void>
}

/** Services outside the world, so that a shared cause differs from them. */
const bystandersCount = 24
const bystanders = Array.from({ length: bystandersCount }, (_, n) => ({
  slug: `bystander-${n}`,
  host: `www.bystander-${n}.net`,
  zone: `bystander-${n}.net`,
  vendor: null,
  cdn: null,
  cloud: null,
  cloudRegion: null,
  dns: null,
}))

export const startStage = async (world: World, intervalSeconds: number): Promise<Stage> => {
  const closers: (() => void | Promise<void>)[] = []
  try {
    return await start(world, intervalSeconds, closers)
  } catch (error) {
    await closeAll(closers).catch(() => undefined)
    throw error
  }
}

const start = async (
  world: World,
  intervalSeconds: number,
  closers: (() => void | Promise<void>)[],
): Promise<Stage> => {
  const programs = {
    unbound: await findDebianProgram('unbound'),
    knot: await findDebianProgram('knot', { mayFetch: true, program: 'knotd' }),
    blackbox: await findBlackbox({ mayFetch: true }),
  }
  const folder = await mkdtemp(join(tmpdir(), 'replay-'))
  closers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  const services = [...world.services, ...bystanders]
  const planFile = join(folder, 'plan.json')
  await writeFile(planFile, JSON.stringify(planInternet([...services, canary])))

  const [postgres, clickhouse, nats] = await Promise.all([
    startPostgres({ dataDir: join(folder, 'postgres'), log: silentLog, durable: false }),
    startClickHouse({ dataDir: join(folder, 'clickhouse'), log: silentLog }),
    startTestNats(),
  ])
  closers.push(async () => {
    await Promise.all([postgres.close(), clickhouse.close(), nats.close()])
  })
  const broker = join(folder, 'broker')
  closers.push(await openBrokerLink(broker, Number(new URL(nats.url).port)))
  const bus = await openNatsBus({
    servers: [nats.url],
    name: 'the control plane of a replay',
    topology: { regions: [...vantages] },
  })
  closers.push(() => bus.close())
  const parsed = parseConfig({
    PORT: '0',
    PUBLIC_URL: 'https://probe-mesh.example.com',
    DATA_DIR: join(folder, 'control-plane'),
    REGIONS: vantages.join(','),
    RDAP_BOOTSTRAP: 'none',
    TRUST_PROXY: 'loopback',
    CATALOG_INTERVAL_SECONDS: String(intervalSeconds),
  })
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'))
  const controlPlane = await startControlPlane({
    config: parsed.config,
    catalog: indexCatalog(catalogOf(services)),
    databaseUrl: postgres.url,
    clickhouseUrl: clickhouse.url,
    secretsKey: 'a key for replays of outages only',
    bus,
    registry: new Registry(),
    log: pino({ level: process.env['MESH_LOG'] ?? 'silent' }, pino.destination(2)),
    now: Date.now,
    vantage: 'regional',
  })
  closers.push(async () => {
    controlPlane.setServing(false)
    await controlPlane.app.close()
    await controlPlane.close()
  })
  const url = await controlPlane.app.listen({ host: '127.0.0.1', port: 0 })
  controlPlane.setServing(true)

  const signed = Object.fromEntries(
    world.services
      .filter(({ slug }) =>
        world.conditions.some(
          (condition) => condition.fails === 'names_bogus' && condition.services.includes(slug),
        ),
      )
      .map(({ slug, zone }) => [slug, zone]),
  )
  const hosts = Object.fromEntries(world.services.map(({ slug, host }) => [slug, host]))
  const probed = new Map<Vantage, Record<string, boolean>>()
  const regions = new Map<Vantage, ChildProcess>()
  closers.push(async () => {
    await Promise.all([...regions.values()].map(endRegion))
  })
  for (const region of vantages) {
    const own = join(folder, region)
    await mkdir(own, { recursive: true })
    const process = spawnRegion({
      region,
      folder: own,
      planFile,
      ...programs,
      broker,
      signed,
      peer: { hosts, intervalSeconds },
    })
    regions.set(region, process)
  }
  await Promise.all([...regions.values()].map(untilReady))
  for (const [region, { stdout }] of regions) {
    if (stdout === null) throw new Error('a region has no output')
    createInterface({ input: stdout }).on('line', (line) => {
      const { slug, success } = JSON.parse(line) as RegionProbed
      probed.set(region, { ...probed.get(region), [slug]: success })
    })
  }
  return {
    client: createAnswerClient(() => `${url}/v1/public`),
    play: (region, states) => {
      regions.get(region)?.stdin?.write(`${JSON.stringify(states)}\n`)
    },
    probed: (slug) => [...probed.values()].flatMap((bySlug) => bySlug[slug] ?? []),
    close: () => closeAll(closers),
  }
}

const spawnRegion = (settings: RegionSettings): ChildProcess => {
  const script = fileURLToPath(new URL('region.ts', import.meta.url))
  const namespaces = ['--map-root-user', '--mount', '--net']
  const args = [...namespaces, process.execPath, script, JSON.stringify(settings)]
  return spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] })
}

const untilReady = async (region: ChildProcess): Promise<void> => {
  if (region.stdout === null) throw new Error('a region has no output')
  const ended = once(region, 'exit').then(() => {
    throw new Error('a region ended before it was ready')
  })
  ended.catch(() => undefined)
  await Promise.race([once(region.stdout, 'data'), ended])
}

const endRegion = async (region: ChildProcess): Promise<void> => {
  if (region.exitCode !== null) return
  const ended = once(region, 'exit')
  region.stdin?.end()
  await ended
}

/** A link to the broker through a Unix socket, which all network namespaces share. */
const openBrokerLink = async (path: string, port: number): Promise<() => void> => {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    const way = connect(port, '127.0.0.1')
    socket.pipe(way).pipe(socket)
    for (const end of [socket, way]) {
      open.add(end)
      end.on('close', () => open.delete(end))
      end.on('error', () => {
        socket.destroy()
        way.destroy()
      })
    }
  })
  server.listen(path)
  await once(server, 'listening')
  return () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
}

const catalogOf = (services: readonly Omit<WorldService, 'facts'>[]): Catalog => ({
  stacks: [],
  services: services.map(({ slug, host, vendor, cdn, cloud, cloudRegion, dns }) => ({
    slug,
    name: slug,
    aliases: [],
    domains: [],
    category: 'work',
    probes: [{ url: `http://${host}/`, name: null, expect: {} }],
    vendor,
    cdn,
    cloud,
    cloudRegion,
    dns,
    statusPage: null,
  })),
})
