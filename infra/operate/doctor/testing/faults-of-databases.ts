import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { withDatabase } from '../../../testing/database-name.ts'
import type { Fault } from './fault.ts'
import type { FaultyMesh } from './faulty-mesh.ts'

/** A session of a person, which no limit of the product ends. */
const openPsql = async (url: string): Promise<Sql> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  const limits = ['idle_in_transaction_session_timeout', 'statement_timeout']
  await sql.unsafe([`set application_name = 'psql'`, ...limits.map((limit) => `set ${limit} = 0`)].join('; '))
  return sql
}

/** Runs statements as a superuser, one after another. */
const asSuperuser = async (mesh: FaultyMesh, ...statements: string[]): Promise<void> => {
  const sql = await openPsql(mesh.postgres.url)
  try {
    for (const statement of statements) await sql.unsafe(statement)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const onClickHouse = async ({ clickhouse }: FaultyMesh, query: string): Promise<void> => {
  const { origin, username, password, pathname } = new URL(clickhouse.url)
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'x-clickhouse-database': pathname.slice(1),
  }
  const answer = await fetch(origin, { method: 'POST', headers, body: query })
  if (!answer.ok) throw new Error(await answer.text())
}

/** The session that holds a lock or a place. */
let held: Sql | null = null
const letGo = async (): Promise<void> => {
  await held?.end({ timeout: 1 })
  held = null
}

/** Databases that answer and do not work. */
export const faultsOfDatabases: readonly Fault[] = [
  {
    planted: 'Postgres accepts no writes, as when a provider finds its disk full',
    plant: (mesh) =>
      asSuperuser(mesh, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()'),
    found: {
      level: 'broken',
      topic: 'postgres',
      message: /^Postgres accepts no writes: default_transaction/,
    },
    remedy: /psql "\$DATABASE_URL" -c "(?<first>alter system reset \w+)" -c "(?<second>select \S+)"$/,
    apply: (mesh, { first = '', second = '' }) => asSuperuser(mesh, first, second),
    restore: async (mesh) => void (await Promise.all([mesh.restart(0), mesh.restart(1)])),
  },
  {
    planted: 'a session holds a lock on a table',
    plant: async (mesh) => {
      held = await openPsql(mesh.postgres.url)
      await held.unsafe('begin; lock table checks in access exclusive mode')
    },
    found: {
      level: 'broken',
      topic: 'postgres',
      message: /^The session \d+ \(\w+, psql, idle in transaction\) holds a lock on checks/,
    },
    remedy: /-c "(?<statement>select pg_terminate_backend\(\d+\))"/,
    apply: (mesh, { statement = '' }) => asSuperuser(mesh, statement),
    restore: letGo,
  },
  {
    planted: 'the role of DATABASE_URL reached its own limit of connections',
    plant: async (mesh) => {
      await asSuperuser(
        mesh,
        'drop role if exists small_limit',
        `create role small_limit login password 'small' connection limit 1`,
      )
      const url = new URL(withDatabase(mesh.postgres.url, new URL(mesh.postgres.url).pathname.slice(1)))
      url.username = 'small_limit'
      url.password = 'small'
      held = await openPsql(url.href)
      mesh.environment['DATABASE_URL'] = url.href
    },
    found: {
      level: 'broken',
      topic: 'postgres',
      message: /^Postgres refuses: too many connections for role/,
    },
    remedy: /psql -c '(?<statement>alter role "small_limit" connection limit -1)'/,
    apply: (mesh, { statement = '' }) => asSuperuser(mesh, statement),
    restore: async (mesh) => {
      mesh.environment['DATABASE_URL'] = mesh.sound['DATABASE_URL'] ?? ''
      await letGo()
    },
  },
  {
    planted: 'a table of Postgres is missing',
    plant: (mesh) => asSuperuser(mesh, 'alter table saved_filters rename to saved_filters_old'),
    found: { level: 'broken', topic: 'postgres', message: /^The database lacks the table saved_filters/ },
    remedy: /psql "\$DATABASE_URL" -c '(?<statement>alter table [^']+)'$/,
    apply: (mesh, { statement = '' }) => asSuperuser(mesh, statement),
  },
  {
    planted: 'a table of ClickHouse is missing',
    plant: (mesh) => onClickHouse(mesh, 'rename table readings_minute to readings_minute_old'),
    found: { level: 'broken', topic: 'clickhouse', message: /lacks the table readings_minute, so/ },
    remedy: /"(?<statement>rename table \w+ to \w+)"/,
    apply: (mesh, { statement = '' }) => onClickHouse(mesh, statement),
  },
]
