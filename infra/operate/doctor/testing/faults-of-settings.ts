import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { migratePostgres } from '@probe-mesh/control-plane/stores/postgres/migrate'
import { withDatabase } from '../../../testing/database-name.ts'
import { expectRefusal } from './faults-of-parts.ts'
import type { Fault } from './fault.ts'
import type { FaultyMesh } from './faulty-mesh.ts'

const asSuperuser = async (mesh: FaultyMesh, statement: string): Promise<void> => {
  const sql = connectPostgres(mesh.postgres.url, { connectionsMax: 1 })
  await sql.unsafe(statement).finally(() => sql.end({ timeout: 1 }))
}

const migrate = async (url: string): Promise<void> => {
  const sql = connectPostgres(url, { connectionsMax: 1 })
  await migratePostgres(sql).finally(() => sql.end({ timeout: 1 }))
}

/** Resets the environment of one control plane to that of the others. */
const setSound = async (mesh: FaultyMesh, name: string): Promise<void> => {
  mesh.environment[name] = mesh.sound[name] ?? ''
  await mesh.restart(0)
}

/** Wrong keys, addresses and permissions. */
export const faultsOfSettings: readonly Fault[] = [
  {
    planted: 'a control plane has another SECRETS_KEY',
    plant: async (mesh) => {
      mesh.environment['SECRETS_KEY'] = 'another key, which has 32 characters or more'
      await expectRefusal(mesh.restart(0))
    },
    found: {
      level: 'broken',
      topic: 'secrets key',
      message: /^SECRETS_KEY is not the key of this system/,
    },
    remedy: /^Set the key that the other control planes use/,
    apply: (mesh) => setSound(mesh, 'SECRETS_KEY'),
  },
  {
    planted: 'a gateway has another GATEWAY_KEY',
    plant: (mesh) => mesh.gateway('another-gateway-key-of-32-characters-or-more'),
    found: { level: 'broken', topic: 'gateway', message: /it refuses this gateway/ },
    remedy: /^Set the same GATEWAY_KEY on the gateway and on every control plane/,
    apply: (mesh) => mesh.gateway(),
  },
  {
    planted: "DATABASE_URL leads to an empty database, but CLICKHOUSE_URL to the system's ClickHouse",
    plant: async (mesh) => {
      await asSuperuser(mesh, 'create database other')
      mesh.environment['DATABASE_URL'] = withDatabase(mesh.postgres.url, 'other')
      await expectRefusal(mesh.restart(0))
    },
    found: {
      level: 'broken',
      topic: 'system',
      message: /^Postgres is empty, and ClickHouse is of system/,
    },
    remedy: /^Set DATABASE_URL to the Postgres of that system/,
    apply: (mesh) => setSound(mesh, 'DATABASE_URL'),
  },
  {
    planted: 'the role of DATABASE_URL lacks CREATEROLE before the first start',
    plant: async (mesh) => {
      await asSuperuser(mesh, `create role small login password 'small'`)
      await asSuperuser(mesh, 'create database small owner small')
      const url = new URL(withDatabase(mesh.postgres.url, 'small'))
      url.username = 'small'
      url.password = 'small'
      mesh.environment['DATABASE_URL'] = url.href
      await expectRefusal(migrate(url.href))
    },
    found: {
      level: 'broken',
      topic: 'postgres',
      message: /^The role of DATABASE_URL has no permission to create or grant/,
    },
    remedy: /psql -c '(?<statement>[^']+)'/,
    apply: async (mesh, { statement = '' }) => {
      await asSuperuser(mesh, statement)
      await migrate(mesh.environment['DATABASE_URL'] ?? '')
    },
    restore: async (mesh) => {
      mesh.environment['DATABASE_URL'] = mesh.sound['DATABASE_URL'] ?? ''
    },
  },
  {
    planted: 'PUBLIC_URL leads nowhere',
    plant: async (mesh) => {
      mesh.environment['PUBLIC_URL'] = `http://127.0.0.1:${mesh.freePort()}`
      await mesh.restart(0)
    },
    found: { level: 'broken', topic: 'web', message: /but PUBLIC_URL does not lead to it/ },
    remedy: /PUBLIC_URL=(?<url>http\S+)\.$/,
    apply: async (mesh, { url = '' }) => {
      mesh.environment['PUBLIC_URL'] = url
      await mesh.restart(0)
    },
    restore: (mesh) => setSound(mesh, 'PUBLIC_URL'),
  },
]
