import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import postgres from 'postgres'

/** One of several servers that a URL names. */
export type Host = { host: string; port: number }

/** A server that takes writes. Standbys of one cluster and their primary have one id; each promotion begins a timeline. */
export type Primary = Host & { cluster: string; timeline: number }

/** The cluster that a pool wrote to, and the last timeline of it that it saw. */
export type KnownCluster = Pick<Primary, 'cluster' | 'timeline'>

const portDefault = 5_432
const connectSeconds = 3
/** For so long the server that was found is not looked for again, however many connections are opened. */
const foundMsMax = 1_000

/**
 * Which of the servers that answer is written to. Pure.
 * @param known null: none was written to yet
 * @returns null where none takes writes
 * @throws Error where it cannot be said which, or only servers that the cluster has left behind take writes
 */
export const chooseWriter = (
  primaries: readonly Primary[],
  known: KnownCluster | null,
): Primary | null => {
  const names = primaries.map(({ host, port }) => `${host}:${port}`).join(' and ')
  const ours = primaries.filter(({ cluster }) => known === null || cluster === known.cluster)
  const [best, second] = ours.toSorted((a, b) => b.timeline - a.timeline)
  if (best === undefined) {
    if (primaries.length === 0) return null
    throw new Error(`${names} is another Postgres than the one that was written to`)
  }
  if (ours.some(({ cluster }) => cluster !== best.cluster)) {
    throw new Error(
      `${names} take writes, and neither follows the other: take the wrong one out of DATABASE_URL`,
    )
  }
  if (second?.timeline === best.timeline) {
    throw new Error(`${names} take writes on one timeline: stop the one that is out of date`)
  }
  if (known !== null && best.timeline < known.timeline) {
    throw new Error(`${names} is a former primary: another server was promoted since`)
  }
  return best
}

/** Opens connections to the one of several servers that takes writes, and follows it after a failover. */
export const followWriter = (urls: readonly string[]): (() => Promise<Duplex>) => {
  let known: KnownCluster | null = null
  let found: { writer: Promise<Primary>; atMs: number } | null = null
  const find = async (): Promise<Primary> => {
    const asked = await Promise.allSettled(urls.map(askPrimary))
    const primaries = asked.flatMap((one) =>
      one.status === 'fulfilled' && one.value !== null ? [one.value] : [],
    )
    const writer = choose(primaries, known)
    if (writer !== null) {
      known = writer
      return writer
    }
    const reasons: unknown[] = asked.flatMap((one) =>
      one.status === 'rejected' ? [one.reason] : [],
    )
    // a wrong password is not waited for
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

/** A process that has a writer waits until the right one is back; a start is refused. */
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
      `none of the servers of DATABASE_URL takes writes${reasons.map((reason) => `; ${messageOf(reason)}`).join('')}`,
    ),
    { code: 'NO_WRITER' },
  )

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** @returns null where it is a standby */
const askPrimary = async (url: string): Promise<Primary | null> => {
  const sql = postgres(url, {
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
 * The driver forgets a connection for which it gets no socket, and never writes again on one whose first write was
 * still to come when it closed (postgres 3.4.9). So it gets a stream that takes the first write and fails then.
 */
const failing = (error: Error): Duplex =>
  new Duplex({
    read: () => {},
    write(_chunk, _encoding, done) {
      done()
      setImmediate(() => this.destroy(error))
    },
  })
