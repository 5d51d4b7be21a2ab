import type { Manifest } from './archive/format.ts'

/** What is there before anything is restored. */
export type RestoreFacts = {
  /** What this version can migrate to, by store. */
  postgresMigrations: readonly string[]
  clickhouseMigrations: readonly string[]
  /** What the databases have of them already: they may be migrated, as long as no further than the backup. */
  appliedPostgres: readonly string[]
  appliedClickHouse: readonly string[]
  /** Whether the database holds no account; null: it is made new. */
  isDatabaseEmpty: boolean | null
  /** Whether readings lie on a cluster here, whose rows have each their shard. */
  isCluster: boolean
  /** Tables with readings or errors; null: they are made new. */
  filledTables: readonly string[] | null
  /** What DATA_DIR holds, where stores are to be made in it; else nothing. */
  dataDir: { path: string; entries: readonly string[] }
  /** What the folder of NATS's keys holds, where the backup has such keys. */
  keysDir: { path: string; entries: readonly string[] }
  /** How SECRETS_KEY stands to the one of the backup. */
  secretsKey: 'same' | 'other' | 'not set' | 'not in the backup'
}

/** Why a backup cannot be restored here, with what to do; all reasons at once. Pure. */
export const restoreProblems = (manifest: Manifest, facts: RestoreFacts): string[] => [
  ...newerProblems(manifest, facts),
  ...furtherProblems(manifest, facts),
  ...(facts.isDatabaseEmpty === false
    ? [
        'the database holds accounts: a backup goes into a new one. Create a database, and set DATABASE_URL to it',
      ]
    : []),
  ...(facts.isCluster && manifest.clickhouse !== null
    ? [
        "the backup holds readings, and CLICKHOUSE_CLUSTER names a cluster: restore into a server by itself, or take one --without-readings and bring readings back by ClickHouse's own RESTORE ON CLUSTER",
      ]
    : []),
  ...(facts.filledTables === null || facts.filledTables.length === 0
    ? []
    : [
        `ClickHouse holds ${facts.filledTables.join(', ')}: create a new database, and set CLICKHOUSE_URL to it`,
      ]),
  ...occupied('DATA_DIR', facts.dataDir),
  ...occupied('the folder of NATS keys', facts.keysDir),
  ...(facts.secretsKey === 'other'
    ? [
        'SECRETS_KEY is another than the backup was made with, and the credentials of channels could not be read: set it to the former one, or leave it out here and find it in DATA_DIR/secrets.key',
      ]
    : []),
]

const newerProblems = (manifest: Manifest, facts: RestoreFacts): string[] => {
  const unknown = [
    ...manifest.postgres.migrations.filter((name) => !facts.postgresMigrations.includes(name)),
    ...(manifest.clickhouse?.migrations ?? []).filter(
      (name) => !facts.clickhouseMigrations.includes(name),
    ),
  ]
  return unknown.length === 0
    ? []
    : [
        `the backup is of a newer version (${manifest.product}): this one does not know ${unknown.join(', ')}. Restore with that version`,
      ]
}

/** A migration may change rows: one that ran before they were there would be missing to them. */
const furtherProblems = (manifest: Manifest, facts: RestoreFacts): string[] => {
  const further = (what: string, has: readonly string[], of: readonly string[]): string[] => {
    const names = has.filter((name) => !of.includes(name))
    return names.length === 0
      ? []
      : [
          `${what} has ${names.join(', ')} already, which the backup is older than: give it a new database, which is brought from there to this version`,
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
  return [`${what} (${path}) is not empty (${some}): move it away, or name another`]
}
