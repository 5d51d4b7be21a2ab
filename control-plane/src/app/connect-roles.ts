import { lookUpConnections } from '@probe-mesh/contracts/api/request-pools'
import { connectPostgres } from '../stores/postgres/connect.ts'
import { migratePostgres } from '../stores/postgres/migrate.ts'

/**
 * Loops see every account, operations one at a time. Look-ups before the account is known have their own pool,
 * so that they do not use up the connections of loops.
 */
export const connectRoles = (databaseUrl: string) => ({
  sql: connectPostgres(databaseUrl, { role: 'probe_mesh_system' }),
  accountSql: connectPostgres(databaseUrl, { role: 'probe_mesh_account' }),
  lookUpSql: connectPostgres(databaseUrl, {
    role: 'probe_mesh_system',
    connectionsMax: lookUpConnections,
  }),
})

export const endRoles = (roles: ReturnType<typeof connectRoles>) =>
  Promise.all(Object.values(roles).map((pool) => pool.end({ timeout: 5 })))

/** Migrates as the role in the URL. Everything else runs with fewer rights. */
export const migrateAsOwner = async (databaseUrl: string): Promise<void> => {
  const owner = connectPostgres(databaseUrl, { connectionsMax: 1 })
  try {
    await migratePostgres(owner)
  } finally {
    await owner.end({ timeout: 5 })
  }
}
