import { beforeBaseline } from '@probe-mesh/control-plane/stores/postgres/baseline'
import type { Manifest } from './archive/format.ts'

/** The state of the target before a restore. */
export type RestoreFacts = {
  /** Migrations of this version. */
  postgresMigrations: readonly string[]
  /** Those that a backup has at least. */
  postgresBaseline: readonly string[]
  clickhouseMigrations: readonly string[]
  /** Migrations that the target already has: at most those of the backup. */
  appliedPostgres: readonly string[]
  appliedClickHouse: readonly string[]
  /** Whether the database has no account; null: the restore creates the database. */
  isDatabaseEmpty: boolean | null
  /** Whether the target stores readings on a ClickHouse cluster. */
  isCluster: boolean
  /** Tables with readings or errors; null: the restore creates them. */
  filledTables: readonly string[] | null
  /** Entries of DATA_DIR that conflict with the restore. */
  dataDir: { path: string; entries: readonly string[] }
  /** Entries of the NATS key folder that conflict with the keys of the backup. */
  keysDir: { path: string; entries: readonly string[] }
  /** SECRETS_KEY compared with the key of the backup. */
  secretsKey: 'same' | 'other' | 'not set' | 'not in the backup'
}

/** All reasons against a restore, each with what to do. */
export const restoreProblems = (manifest: Manifest, facts: RestoreFacts): string[] => [
  ...newerProblems(manifest, facts),
  ...earlierProblems(manifest, facts),
  ...furtherProblems(manifest, facts),
  ...(facts.isDatabaseEmpty === false
    ? ['the database has accounts. Create a new database, and set DATABASE_URL to it']
    : []),
  ...(facts.isCluster && manifest.clickhouse !== null
    ? [
        "the backup has readings, and CLICKHOUSE_CLUSTER names a cluster. Restore into a single server, or use a backup made with --without-readings and restore readings with ClickHouse's RESTORE ON CLUSTER",
      ]
    : []),
  ...(facts.filledTables === null || facts.filledTables.length === 0
    ? []
    : [
        `ClickHouse has rows in ${facts.filledTables.join(', ')}. Create a new database, and set CLICKHOUSE_URL to it`,
      ]),
  ...occupied('DATA_DIR', facts.dataDir),
  ...occupied('the folder of NATS keys', facts.keysDir),
  ...(facts.secretsKey === 'other'
    ? [
        'SECRETS_KEY differs from the key of the backup, so channel credentials could not be decrypted. Set the old key, or unset SECRETS_KEY: the restore writes the old key to DATA_DIR/secrets.key',
      ]
    : []),
]

const newerProblems = (manifest: Manifest, facts: RestoreFacts): string[] => {
  const unknown = [
    ...manifest.postgres.migrations.filter((name) => !facts.postgresMigrations.includes(name)),
    ...(manifest.clickhouse?.migrations ?? []).filter((name) => !facts.clickhouseMigrations.includes(name)),
  ]
  return unknown.length === 0
    ? []
    : [
        `the backup comes from a newer version (${manifest.product}) with unknown migrations: ${unknown.join(', ')}. Restore with that version`,
      ]
}

const earlierProblems = (manifest: Manifest, facts: RestoreFacts): string[] =>
  facts.postgresBaseline.every((name) => manifest.postgres.migrations.includes(name))
    ? []
    : [`the backup cannot be restored: ${beforeBaseline}`]

/** A migration may change rows. One that ran before the restore would miss the restored rows. */
const furtherProblems = (manifest: Manifest, facts: RestoreFacts): string[] => {
  const further = (what: string, has: readonly string[], of: readonly string[]): string[] => {
    const names = has.filter((name) => !of.includes(name))
    return names.length === 0
      ? []
      : [
          `${what} already has migrations that the backup does not have: ${names.join(', ')}. Use a new database; the restore migrates it to this version`,
        ]
  }
  return [
    ...further('the database', facts.appliedPostgres, manifest.postgres.migrations),
    ...(manifest.clickhouse === null
      ? []
      : further('ClickHouse', facts.appliedClickHouse, manifest.clickhouse.migrations)),
  ]
}

const occupied = (
  what: string,
  { path, entries }: { path: string; entries: readonly string[] },
): string[] => {
  if (entries.length === 0) return []
  const some = entries.slice(0, 4).join(', ')
  return [`${what} (${path}) is not empty (${some}). Move it, or set another folder`]
}
