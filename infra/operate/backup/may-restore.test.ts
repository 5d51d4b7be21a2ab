import { expect, test } from 'vitest'
import type { Manifest } from './archive/format.ts'
import { restoreProblems, type RestoreFacts } from './may-restore.ts'

const manifest: Manifest = {
  format: 1,
  product: '0.2.0',
  takenAt: '2026-11-22T10:00:00.000Z',
  regions: ['fra'],
  postgres: { version: '18.4', migrations: ['0001.sql', '0002.sql'], sequences: [] },
  clickhouse: { version: '26.5', migrations: ['0001.sql'] },
  errorBatchesOpen: 0,
  parts: [],
}
const facts: RestoreFacts = {
  postgresMigrations: ['0001.sql', '0002.sql', '0003.sql'],
  postgresBaseline: ['0001.sql'],
  clickhouseMigrations: ['0001.sql'],
  appliedPostgres: [],
  appliedClickHouse: [],
  isDatabaseEmpty: true,
  isCluster: false,
  filledTables: [],
  dataDir: { path: '/data', entries: [] },
  keysDir: { path: '/nats', entries: [] },
  secretsKey: 'same',
}

test.each<[string, Partial<RestoreFacts>]>([
  ['of an older version', {}],
  ['of this version', { postgresMigrations: ['0001.sql', '0002.sql'] }],
  ['into stores that are made new', { isDatabaseEmpty: null, filledTables: null }],
  [
    'into databases that were migrated as far',
    { appliedPostgres: ['0001.sql', '0002.sql'], appliedClickHouse: ['0001.sql'] },
  ],
  ['where no key is set', { secretsKey: 'not set' }],
  ['that has no key', { secretsKey: 'not in the backup' }],
])('a backup %s can be restored', (_, over) => {
  expect(restoreProblems(manifest, { ...facts, ...over })).toEqual([])
})

test.each<[string, Partial<RestoreFacts>, RegExp]>([
  ['is of a newer version', { postgresMigrations: ['0001.sql'] }, /newer version.*0002\.sql/],
  [
    'is from before the baseline',
    { postgresBaseline: ['0000.sql'] },
    /before 2026-11-29.*docs\/upgrades\.md/,
  ],
  ['has newer readings', { clickhouseMigrations: [] }, /newer version.*0001\.sql/],
  ['meets a newer database', { appliedPostgres: ['0003.sql'] }, /does not have: 0003\.sql/],
  ['meets a newer ClickHouse', { appliedClickHouse: ['0002.sql'] }, /does not have: 0002\.sql/],
  ['meets accounts', { isDatabaseEmpty: false }, /DATABASE_URL/],
  ['meets readings', { filledTables: ['readings_raw'] }, /readings_raw.*CLICKHOUSE_URL/],
  ['meets a cluster', { isCluster: true }, /CLICKHOUSE_CLUSTER.*--without-readings/],
  ['meets a folder', { dataDir: { path: '/data', entries: ['bus'] } }, /\/data.*bus/],
  ['meets keys', { keysDir: { path: '/nats', entries: ['keys'] } }, /\/nats.*keys/],
  ['is of another key', { secretsKey: 'other' }, /SECRETS_KEY/],
])('a backup that %s cannot, and it is said what to do', (_, over, said) => {
  const problems = restoreProblems(manifest, { ...facts, ...over })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(said)
})

test('a backup without readings can be restored where readings are on a cluster', () => {
  const without: Manifest = { ...manifest, clickhouse: null }
  expect(restoreProblems(without, { ...facts, isCluster: true })).toEqual([])
})

test('lists all obstacles at once', () => {
  const all: RestoreFacts = {
    ...facts,
    postgresMigrations: [],
    isDatabaseEmpty: false,
    filledTables: ['readings_raw'],
    dataDir: { path: '/data', entries: ['postgres'] },
    keysDir: { path: '/nats', entries: ['keys'] },
    secretsKey: 'other',
  }
  expect(restoreProblems(manifest, all)).toHaveLength(6)
})
