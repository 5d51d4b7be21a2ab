import { createServer } from 'node:http'
import { once } from 'node:events'
import type { Fault } from './fault.ts'
import type { FaultyMesh } from './faulty-mesh.ts'
import { removeConsumer } from './spoil-nats.ts'

const agentOf = (mesh: FaultyMesh, name: string) => {
  const agent = mesh.agents.get(name)
  if (agent === undefined) throw new Error(`there is no agent ${name}`)
  return agent
}

/** Dead, full or conflicting parts. */
export const faultsOfParts: readonly Fault[] = [
  {
    planted: 'the agents of a region are dead',
    plant: async (mesh) => void (await agentOf(mesh, 'nrt-1').kill()),
    found: { level: 'broken', topic: 'agents', message: /^nrt has no online agent/ },
    remedy: /"REGION=(?<region>nrt) npm run agent"/,
    apply: async (mesh, { region }) => void (await agentOf(mesh, `${region}-1`).start()),
  },
  {
    planted: 'NATS is dead',
    plant: async ({ nats }) => void (await nats.kill()),
    found: { level: 'broken', topic: 'nats', message: /^NATS does not answer/ },
    remedy: /Start it \("systemctl start probe-mesh-nats"\)/,
    apply: async ({ nats }) => void (await nats.start()),
  },
  {
    planted: 'ClickHouse is dead',
    plant: async ({ clickhouse }) => void (await clickhouse.kill()),
    found: { level: 'broken', topic: 'clickhouse', message: /^ClickHouse does not answer/ },
    remedy: /Start it \("systemctl start clickhouse-server"\).*Readings wait on the stream/,
    apply: async ({ clickhouse }) => void (await clickhouse.start()),
  },
  {
    planted: 'Postgres is dead',
    plant: async ({ postgres }) => void (await postgres.kill()),
    found: { level: 'broken', topic: 'postgres', message: /^Postgres does not answer/ },
    remedy: /Start it \("systemctl start postgresql"\).*readings wait on the stream/,
    apply: async ({ postgres }) => void (await postgres.start()),
  },
  {
    planted: 'both control planes are stopped',
    plant: async (mesh) => void (await Promise.all([mesh.stop(0), mesh.stop(1)])),
    found: { level: 'broken', topic: 'partitions', message: /^16 of 16 have no owner/ },
    remedy: /Start a control plane \("systemctl start probe-mesh-control-plane"/,
    apply: async (mesh) => void (await Promise.all([mesh.restart(0), mesh.restart(1)])),
  },
  {
    planted: "ClickHouse's disk is full",
    plant: ({ clickhouse }) => clickhouse.fill(),
    found: { level: 'broken', topic: 'disk', message: /^ClickHouse's disk .* free of/ },
    remedy: /Free space at (?<path>\/\S+) \("df -h \S+"/,
    apply: ({ clickhouse }) => clickhouse.makeRoom(),
  },
  {
    planted: 'the mail server is dead',
    plant: (mesh) => mesh.mailServer('down'),
    found: { level: 'broken', topic: 'mail', message: /^The mail server does not accept/ },
    remedy: /^Start it, or correct host, port, user and password in SMTP_URL/,
    apply: (mesh) => mesh.mailServer('up'),
  },
  {
    planted: "another program has a control plane's port",
    plant: async (mesh) => {
      await mesh.stop(0)
      await occupy(Number(mesh.environment['PORT']))
      await expectRefusal(mesh.restart(0))
    },
    found: {
      level: 'broken',
      topic: 'port',
      message: /^Another program listens on 127\.0\.0\.1:\d+/,
    },
    remedy: /"ss -ltnp 'sport = :(?<port>\d+)'"/,
    apply: async (mesh, { port }) => {
      await leave(Number(port))
      await mesh.restart(0)
    },
  },
  {
    planted: 'a control plane of another version removed a consumer',
    plant: removeConsumer,
    found: { level: 'broken', topic: 'lag', message: /^The consumer READINGS ingest is missing/ },
    remedy: /Run one version.*"systemctl restart probe-mesh-control-plane"/,
    apply: async (mesh) => {
      await mesh.restart(0)
      await mesh.restart(1)
    },
  },
  {
    planted: "the proxy's health check requests a path that does not exist",
    plant: ({ proxy }) => proxy.askHealthBy('option httpchk GET /health'),
    found: { level: 'broken', topic: 'proxy', message: /forwards no requests \(status 503/ },
    remedy: /"(?<line>option httpchk GET \/readyz)"/,
    apply: ({ proxy }, { line = '' }) => proxy.askHealthBy(line),
  },
]

const programs = new Map<number, ReturnType<typeof createServer>>()

/** Another program that answers on the port. */
const occupy = async (port: number): Promise<void> => {
  const server = createServer((_, response) => void response.writeHead(404).end('hello'))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  programs.set(port, server)
}

const leave = async (port: number): Promise<void> => {
  const server = programs.get(port)
  if (server === undefined) throw new Error(`nobody has ${port}`)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

/** Expects that a program refuses to start. */
export const expectRefusal = async (starting: Promise<unknown>): Promise<void> => {
  const started = await starting.then(
    () => true,
    () => false,
  )
  if (started) throw new Error('it started, and should have refused to')
}
