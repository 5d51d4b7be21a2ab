import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Logger } from 'pino'
import { openClickHouse, type ClickHouseAddress } from '../../stores/clickhouse/open.ts'
import {
  markClickHouse,
  readClickHouseIdentity,
  ensureSystemId,
  noteClickHouseMarked,
  readDatabaseIdentity,
} from './stored-identity.ts'
import { connectPostgres, type Sql } from '../../stores/postgres/connect.ts'
import { migratePostgres } from '../../stores/postgres/migrate.ts'
import { judgeEpoch, ownEpoch, readSchemaEpoch } from '../../stores/postgres/schema-epoch.ts'
import { judgeIdentity, type IdentityFacts } from './judge-identity.ts'
import { proveSecretsKey } from './prove-secrets-key.ts'

/** The addresses of the parts of a system. */
export type SystemParts = {
  databaseUrl: string
  clickhouse: ClickHouseAddress
  /** Reads the id that NATS has; null: the bus runs in this process. */
  readNatsId: (() => Promise<string | null>) | null
}

export const gatherIdentity = async (sql: Sql, parts: SystemParts): Promise<IdentityFacts> => {
  const [postgres, clickhouse, nats] = await Promise.all([
    readDatabaseIdentity(sql),
    readClickHouseIdentity(parts.clickhouse),
    parts.readNatsId === null ? null : parts.readNatsId().then((id) => ({ id })),
  ])
  return { postgres, clickhouse, nats }
}

/**
 * Checks that the parts belong to one system before anything is changed, migrates the databases, and writes
 * the system's id where it is missing.
 * @returns the system's id
 * @throws Error if a part belongs to another system, SECRETS_KEY is of another system, or this version is too
 * old
 */
export const prepareStores = async (
  parts: SystemParts & { secretsKey: string; now: () => number; log: Logger },
): Promise<string> => {
  const sql = connectPostgres(parts.databaseUrl, { connectionsMax: 1 })
  try {
    await refuseNewerSchema(sql, parts.log)
    const judged = judgeIdentity(await gatherIdentity(sql, parts))
    if (!judged.ok) throw new Error(judged.problem)
    const clickhouse = await openClickHouse(parts.clickhouse, parts.log)
    try {
      await migratePostgres(sql)
      await proveSecretsKey(sql, parts.secretsKey)
      const id = await ensureSystemId(sql, uuidv7(parts.now()))
      if (judged.id === null) parts.log.info({ system: id }, 'the system got an id')
      await markClickHouse(parts.clickhouse, id)
      // a control plane on another Postgres may have started at the same moment
      const { ids } = await readClickHouseIdentity(parts.clickhouse)
      if (ids.some((one) => one !== id)) {
        throw new Error(`ClickHouse is of system ${ids.join(', ')}, and Postgres of ${id}.`)
      }
      await noteClickHouseMarked(sql)
      return id
    } finally {
      await clickhouse.close()
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Refuses databases that accept newer versions only, before anything is changed. */
const refuseNewerSchema = async (sql: Sql, log: Logger): Promise<void> => {
  const judged = judgeEpoch(ownEpoch, await readSchemaEpoch(sql))
  if (!judged.ok) throw new Error(judged.problem)
  if (judged.isNewer)
    log.warn({}, 'the database was migrated by a newer version; this version can still serve it')
}
