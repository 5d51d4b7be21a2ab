import { loopbackHost, loopbackInUrl } from '@probe-mesh/runtime/loopback'
import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { findBinaries } from './binaries.ts'
import { clusterFolder, clusterMajor, defaultDatabase, ensureCluster, superuser } from './cluster.ts'
import { endFormerServer, readPostmaster } from './former-server.ts'
import { explainRunAs, findRunAs, type RunAs } from './run-as.ts'
import { spawnServer, type ServerProcess } from './server-process.ts'

const startAttemptsMax = 5
const startAgainMs = 200
/** Recovery after a kill replays the log, which takes long after many writes. */
const readyWaitMs = 120_000
const readyPollMs = 10

/** A running embedded Postgres. */
export type EmbeddedPostgres = {
  /** `postgres://user:password@127.0.0.1:port/postgres`, as superuser. */
  readonly url: string
  readonly pid: number
  /** Resolves when the server ends, also without `close`. */
  readonly exited: Promise<void>
  /** A fast shutdown within a bound: running statements are cancelled, committed data is kept. */
  close(): Promise<void>
}

/**
 * Starts a private Postgres on loopback and creates its cluster on first use. It ends when this process ends
 * in any way, and the next start recovers. The caller holds the lock of `dataDir` (`lock.ts`).
 * @param options.durable false trades safety for speed, in tests
 * @param options.behind the URL of an earlier run, to be reused
 * @throws Error with the reason and the end of the server's log
 */
export const startPostgres = async (options: {
  dataDir: string
  log: Log
  durable?: boolean
  behind?: string | null
  runAs?: RunAs
}): Promise<EmbeddedPostgres> => {
  const { dataDir, log, durable = true, behind = null } = options
  const runAs = options.runAs ?? (await findRunAs())
  const binaries = await findBinaries(runAs, await clusterMajor(dataDir))
  const { password } = await ensureCluster({ dataDir, binaries, runAs, durable })
  // The path as the kernel shows it in the arguments of the process: a later start recognises it.
  const cluster = await realpath(clusterFolder(dataDir))
  await endFormerServer(cluster, log)

  for (let attempt = 1; ; attempt += 1) {
    const port = behind === null ? await freePort() : Number(new URL(behind).port)
    const settings = [
      `listen_addresses=${loopbackHost()}`,
      ...commonSettings,
      ...(durable ? [] : throwawaySettings),
      // no processes that only read: one machine has nothing to gain from them
      ...(binaries.major >= 18 ? ['io_method=sync'] : []),
    ]
    const server = spawnServer({ cluster, port, binaries, runAs, settings, log })
    if (await isReady(server, cluster)) {
      log.info({ pid: server.pid, port, major: binaries.major }, 'Postgres is ready')
      const url = `postgres://${superuser}:${password}@${loopbackInUrl()}:${port}/${defaultDatabase}`
      return { url, pid: server.pid, exited: server.exited, close: server.close }
    }
    await server.close()
    if (attempt === startAttemptsMax || !isPassing(server.tail())) {
      throw new Error(`Postgres in ${dataDir} did not start.${explainRunAs(runAs)}\n${server.tail()}`)
    }
    await wait(startAgainMs * attempt)
  }
}

const commonSettings = [
  // A socket's path is limited to 107 bytes; that of a data directory is not.
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=64MB',
  'max_logical_replication_workers=0',
  // LOG ranks above ERROR here: the error of a statement goes only to its sender.
  'log_min_messages=log',
  'log_checkpoints=off',
]

const throwawaySettings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_connections=400',
]

/** Another program took the port, or children of the last server still hold its shared memory. */
const isPassing = (tail: string): boolean =>
  /could not bind|could not create any TCP\/IP sockets|is still in use|lock file .* already exists/.test(tail)

const isReady = async (server: ServerProcess, cluster: string): Promise<boolean> => {
  const end = performance.now() + readyWaitMs
  while (!server.hasExited() && performance.now() < end) {
    const postmaster = await readPostmaster(cluster)
    if (postmaster?.pid === server.pid && postmaster.status === 'ready') return true
    await Promise.race([wait(readyPollMs), server.exited])
  }
  return false
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen({ host: loopbackHost(), port: 0 })
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port on loopback')
  return address.port
}
