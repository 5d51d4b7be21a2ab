import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { findRunAs, giveTo, type RunAs } from '@probe-mesh/infra/start/embedded/postgres/run-as'
import { createCommandPart } from '@probe-mesh/infra/testing/processes/command-part'
import type { Part } from '@probe-mesh/infra/testing/processes/part'

const run = promisify(execFile)
/** The files of the deployment, which start the servers. */
const deployed = fileURLToPath(new URL('../../../infra/deploy/compose/postgres/', import.meta.url))
const debian = '/usr/lib/postgresql'
const password = 'the-password-of-a-test'

type Server = Part & { readonly port: number; readonly pgdata: string }

/** Two Postgres servers, run by the deployment files, one following the other synchronously. */
export type PostgresPair = Part & {
  /** The URL with both servers. */
  readonly url: string
  /**
   * Kills the primary, promotes the other server, and restarts the former as its standby. @returns the new
   * primary's port
   */
  failOver(): Promise<number>
  /** Restarts a killed former primary by hand, against the documentation. */
  startFormer(): Promise<{ port: number; close(): Promise<void> }>
  /** Starts a new, empty cluster with the same password by hand, against the documentation. */
  startUnrelated(): Promise<{ port: number; close(): Promise<void> }>
  readonly primaryPort: number
  urlOf(...ports: readonly number[]): string
}

/** @throws Error if the machine has no Postgres with `pg_basebackup` */
export const createPostgresPair = async (folder: string, nextPort: () => number): Promise<PostgresPair> => {
  const home = join(folder, 'postgres')
  const runAs = await findRunAs()
  const bin = await findBin()
  const ports = [nextPort(), nextPort()] as const
  const otherPort = nextPort()
  const strangeData = join(home, String(otherPort), 'pgdata')
  await prepareFiles(home, runAs, [...ports, otherPort])
  const environment = (at: 0 | 1) => ({
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    LC_ALL: 'C',
    PGDATA: join(home, String(ports[at]), 'pgdata'),
    PEER: '127.0.0.1',
    PEER_PORT: String(ports[at === 0 ? 1 : 0]),
    OWN_PORT: String(ports[at]),
    PGHOST: home,
    PGPORT: String(ports[at]),
    PGPASS: join(home, String(ports[at]), 'pgpass'),
    PGPASSWORD: password,
    POLL_SECONDS: '0.2',
    POSTGRES_USER: 'postgres',
    POSTGRES_CONFIG: join(home, String(ports[at]), 'postgresql.conf'),
    POSTGRES_SECRETS: join(home, 'secrets'),
    POSTGRES_TLS: join(home, 'tls'),
    POSTGRES_SOCKETS: home,
  })
  const act = async (at: 0 | 1, ...command: readonly string[]): Promise<string> => {
    const [first = '', ...rest] = [...runAs.prefix, ...command]
    const options = { env: environment(at), cwd: '/', ...runAs.identity, timeout: 60_000 }
    return (await run(first, rest, options)).stdout
  }
  const serverOf = (at: 0 | 1): Server => {
    const port = ports[at]
    const { PGDATA: pgdata } = environment(at)
    const part = createCommandPart({
      name: `postgres-${at + 1}`,
      command: [...runAs.prefix, 'sh', join(deployed, 'follow.sh')],
      environment: environment(at),
      logFile: join(folder, 'logs', `postgres-${at + 1}`),
      isReady: async () => {
        await run(join(bin, 'pg_isready'), readiness(port))
        return true
      },
    })
    return Object.assign(part, { port, pgdata })
  }
  const servers = [serverOf(0), serverOf(1)] as const
  let primary: 0 | 1 = 0
  let isNew = true

  const urlOf = (...named: readonly number[]): string =>
    `postgres://mesh:${password}@${named.map((port) => `127.0.0.1:${port}`).join(',')}/mesh?sslmode=require`
  const begin = async (): Promise<void> => {
    await act(0, 'initdb', ...initdbFlags(home))
    await writeFile(join(home, String(ports[0]), 'alone'), '')
    await servers[0].start()
    // commits wait for a standby, which cannot follow before its role exists
    const atOnce = ['env', 'PGOPTIONS=-c synchronous_commit=local']
    await act(0, ...atOnce, ...psql('create database mesh'))
    await act(0, ...atOnce, 'sh', join(deployed, 'make-users.sh'))
    // on a busy machine fifty commits that wait for a standby exceed the start's time limit
    const owner = connectPostgres(`${urlOf(ports[0])}&synchronous_commit=local`, {
      connectionsMax: 1,
    })
    await migratePostgres(owner).finally(() => owner.end())
    await servers[1].start()
    isNew = false
  }
  const untilFollowed = async (): Promise<void> => {
    const query = `select count(*) from pg_stat_replication where sync_state = 'sync'`
    for (let tries = 0; tries < 300; tries++) {
      const output = await act(primary, ...psql(query))
      if (output.trim() === '1') return
      await elapse(100)
    }
    throw new Error(`no standby follows ${servers[primary].port}`)
  }
  const both = async <T>(what: (server: Server) => Promise<T>): Promise<void> => {
    await Promise.all(servers.map(what))
  }
  return {
    name: 'postgres',
    url: urlOf(...ports),
    urlOf,
    get primaryPort() {
      return servers[primary].port
    },
    get isAlive() {
      return servers[primary].isAlive
    },
    start: async () => {
      if (isNew) await begin()
      else await both((server) => server.start())
      await untilFollowed()
      return Date.now()
    },
    failOver: async () => {
      const [former, other] = primary === 0 ? ([0, 1] as const) : ([1, 0] as const)
      await servers[former].kill()
      await act(other, 'sh', join(deployed, 'promote.sh'))
      primary = other
      await servers[former].start()
      const again = psql('alter system reset synchronous_standby_names', 'select pg_reload_conf()')
      await act(other, ...again)
      await untilFollowed()
      return servers[other].port
    },
    startFormer: async () => {
      await cp(`${servers[primary === 0 ? 1 : 0].pgdata}.former`, strangeData, { recursive: true })
      return startByHand(home, { port: otherPort, bin, runAs })
    },
    startUnrelated: async () => {
      await act(0, 'initdb', '-D', strangeData, ...initdbFlags(home))
      const unrelated = await startByHand(home, { port: otherPort, bin, runAs })
      await act(0, 'env', `PGPORT=${otherPort}`, ...psql('create database mesh'))
      await act(0, 'env', `PGPORT=${otherPort}`, 'sh', join(deployed, 'make-users.sh'))
      return unrelated
    },
    kill: async () => {
      const at = Date.now()
      await both((server) => server.kill())
      return at
    },
    stop: async () => {
      await both((server) => server.stop())
      return null
    },
    printed: () => servers.map((server) => server.printed()).join('\n'),
    pause: () => servers[primary].pause(),
    resume: () => servers[primary].resume(),
    processIds: () => servers.flatMap((server) => server.processIds()),
    close: () => both((server) => server.close()),
  }
}

const readiness = (port: number): string[] => `-q -h 127.0.0.1 -p ${port} -U mesh -d mesh`.split(' ')

/** As the superuser, over the socket. */
const psql = (...statements: readonly string[]): string[] => [
  ...'psql -XAtq -U postgres -d postgres'.split(' '),
  ...statements.flatMap((statement) => ['-c', statement]),
]

const initdbFlags = (home: string): string[] => [
  '-U',
  'postgres',
  `--pwfile=${join(home, 'secrets', 'postgres-password')}`,
  '--auth=scram-sha-256',
  '--data-checksums',
  '--no-sync',
]

/** Starts a server without the deployment's files, on its own port. */
const startByHand = async (
  home: string,
  { port, bin, runAs }: { port: number; bin: string; runAs: RunAs },
): Promise<{ port: number; close(): Promise<void> }> => {
  const own = join(home, String(port))
  const pgdata = join(own, 'pgdata')
  await rm(join(pgdata, 'postmaster.pid'), { force: true })
  await chmod(pgdata, 0o700)
  await giveTo(runAs.owner, pgdata)
  const config = ['-c', `config_file=${join(own, 'postgresql.conf')}`]
  const alone = ['-c', 'synchronous_standby_names=']
  const part = createCommandPart({
    name: 'by hand',
    command: [...runAs.prefix, join(bin, 'postgres'), '-D', pgdata, ...config, ...alone],
    environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
    logFile: join(own, 'log'),
    isReady: async () => {
      await run(join(bin, 'pg_isready'), readiness(port))
      return true
    },
  })
  await part.start()
  const close = async (): Promise<void> => {
    await part.close()
    await rm(pgdata, { recursive: true, force: true })
  }
  return { port, close }
}

/** Writes the files that a container would mount, with the paths of this folder. */
const prepareFiles = async (home: string, runAs: RunAs, ports: readonly number[]): Promise<void> => {
  for (const path of ['secrets', 'tls', ...ports.map(String)]) {
    await mkdir(join(home, path), { recursive: true, mode: 0o700 })
  }
  for (const name of ['postgres-password', 'postgres-mesh-password', 'postgres-replication-password']) {
    await writeFile(join(home, 'secrets', name), password, { mode: 0o600 })
  }
  const [key, certificate] = ['server.key', 'server.pem'].map((name) => join(home, 'tls', name))
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=127.0.0.1',
    '-addext',
    'subjectAltName=IP:127.0.0.1,DNS:127.0.0.1',
    '-keyout',
    key ?? '',
    '-out',
    certificate ?? '',
  ])
  await cp(certificate ?? '', join(home, 'tls', 'ca.pem'))
  const conf = await readFile(join(deployed, 'postgresql.conf'), 'utf8')
  if (!/^# synchronous_standby_names/m.test(conf))
    throw new Error('the file lost the line that operators enable')
  for (const port of ports) {
    const own = conf
      .replace('port = 5432', `port = ${port}`)
      .replace("listen_addresses = '*'", "listen_addresses = '127.0.0.1'")
      .replace('/etc/postgresql/pg_hba.conf', join(deployed, 'pg_hba.conf'))
      .replace('/var/run/postgresql', home)
      .replaceAll('/run/tls', join(home, 'tls'))
      .replace('# synchronous_standby_names', 'synchronous_standby_names')
      .replace("'1GB'", "'32MB'")
    await writeFile(join(home, String(port), 'postgresql.conf'), own)
  }
  await giveTo(runAs.owner, home)
}

const findBin = async (): Promise<string> => {
  const majors = (await readdir(debian).catch(() => [])).map(Number).toSorted((a, b) => b - a)
  const [major] = majors
  if (major === undefined) throw new Error('no Postgres server: apt install postgresql')
  return join(debian, String(major), 'bin')
}
