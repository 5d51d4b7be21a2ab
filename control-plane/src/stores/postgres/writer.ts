import { messageOf } from '@probe-mesh/runtime/errors'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import postgres from 'postgres'
import { ofIpv6 } from './hosts.ts'

/** One of several servers that a URL names. */
type Host = { host: string; port: number }

/**
 * A server that accepts writes. A primary and its standbys share a cluster id; each promotion starts a
 * timeline.
 */
type Primary = Host & { cluster: string; timeline: number }

/** The cluster that a pool wrote to, and its last known timeline. */
type KnownCluster = Pick<Primary, 'cluster' | 'timeline'>

const portDefault = 5_432
const connectSeconds = 3
/** The server that was found is used for this long before the next search, ms. */
const foundMsMax = 1_000

/**
 * Chooses the server to write to.
 * @param known null: nothing was written yet
 * @returns null if none accepts writes
 * @throws Error if the choice is ambiguous, or only outdated servers of the cluster accept writes
 */
export const chooseWriter = (primaries: readonly Primary[], known: KnownCluster | null): Primary | null => {
  const names = primaries.map(({ host, port }) => `${host}:${port}`).join(' and ')
  const ours = primaries.filter(({ cluster }) => known === null || cluster === known.cluster)
  const [best, second] = ours.toSorted((a, b) => b.timeline - a.timeline)
  if (best === undefined) {
    if (primaries.length === 0) return null
    throw new Error(`${names} is not the Postgres cluster that this process wrote to before`)
  }
  if (ours.some(({ cluster }) => cluster !== best.cluster)) {
    throw new Error(
      `${names} accept writes, and neither follows the other. Remove the wrong one from DATABASE_URL.`,
    )
  }
  if (second?.timeline === best.timeline) {
    throw new Error(`${names} accept writes on the same timeline. Stop the outdated one.`)
  }
  if (known !== null && best.timeline < known.timeline) {
    throw new Error(`${names} is a former primary: another server was promoted later`)
  }
  return best
}

/** Opens connections to the server that accepts writes, and finds the new one after a failover. */
export const followWriter = (urls: readonly string[]): (() => Promise<Duplex>) => {
  let known: KnownCluster | null = null
  let found: { writer: Promise<Primary>; atMs: number } | null = null
  const find = async (): Promise<Primary> => {
    const results = await Promise.allSettled(urls.map(findPrimary))
    const primaries = results.flatMap((one) =>
      one.status === 'fulfilled' && one.value !== null ? [one.value] : [],
    )
    const writer = choose(primaries, known)
    if (writer !== null) {
      known = writer
      return writer
    }
    const reasons: unknown[] = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    // a wrong password does not become right by waiting
    const refusal = reasons.find(
      (reason) => reason instanceof postgres.PostgresError && /^(28|3D)/.test(reason.code),
    )
    throw refusal ?? noWriter(reasons)
  }
  const writer = (): Promise<Primary> => {
    const now = performance.now()
    if (found === null || now - found.atMs > foundMsMax) found = { writer: find(), atMs: now }
    return found.writer
  }
  return async () => {
    try {
      return await open(await writer())
    } catch (error) {
      return failing(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

/** A running process waits until its primary is back; a start is refused. */
const choose = (primaries: readonly Primary[], known: KnownCluster | null): Primary | null => {
  try {
    return chooseWriter(primaries, known)
  } catch (cause) {
    if (known === null) throw cause
    throw Object.assign(new Error(messageOf(cause), { cause }), { code: 'NO_WRITER' })
  }
}

const noWriter = (reasons: readonly unknown[]): Error =>
  Object.assign(
    new Error(
      `no server of DATABASE_URL accepts writes${reasons.map((reason) => `; ${messageOf(reason)}`).join('')}`,
    ),
    { code: 'NO_WRITER' },
  )

/** @returns null if it is a standby */
const findPrimary = async (url: string): Promise<Primary | null> => {
  const sql = postgres(url, {
    ...ofIpv6(url),
    max: 1,
    connect_timeout: connectSeconds,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'probe-mesh finds the writer', statement_timeout: 2_000 },
  })
  try {
    const [row] = await sql<{ cluster: string; timeline: string | null }[]>`
      select (select system_identifier::text from pg_control_system()) as cluster,
        case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end
          as timeline`
    if (row === undefined || row.timeline === null) return null
    const [host = '', port = portDefault] = [sql.options.host[0], sql.options.port[0]]
    return { host, port, cluster: row.cluster, timeline: Number.parseInt(row.timeline, 16) }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const open = (server: Host): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: server.host, port: server.port })
    socket.setTimeout(connectSeconds * 1_000, () =>
      socket.destroy(Object.assign(new Error('timeout'), { code: 'CONNECT_TIMEOUT' })),
    )
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.setTimeout(0)
      socket.removeListener('error', reject)
      // the driver verifies the certificate for this name
      resolve(Object.assign(socket, { host: server.host, port: server.port }))
    })
  })

/**
 * The driver loses a connection that gets no socket, and one whose socket closes before its first write
 * (postgres 3.4.9). So it gets a stream that accepts the first write and then fails.
 */
const failing = (error: Error): Duplex =>
  new Duplex({
    read: () => {},
    write(_chunk, _encoding, done) {
      done()
      setImmediate(() => this.destroy(error))
    },
  })
