import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { clickhouseMigrations, migrationText } from './migrate.ts'
import { clusterStatement, statementsOf, tableOf, wholeTableStatement } from './schema.ts'

const place = { cluster: 'mesh', database: 'probe_mesh' }
const names = await clickhouseMigrations()
const statements = (await Promise.all(names.map(migrationText))).flatMap(statementsOf)

test('the migrations of a single server never change', async () => {
  const digests = await Promise.all(
    names.slice(0, 3).map(async (name) => {
      const text = await migrationText(name)
      return [name, createHash('sha256').update(text).digest('hex').slice(0, 16)]
    }),
  )
  expect(Object.fromEntries(digests)).toEqual({
    '0001-readings.sql': 'b78aa2ca7a3cf079',
    '0002-details.sql': '8da478bfe70c426b',
    '0003-error-occurrences.sql': '0f65705badc4ebfb',
  })
})

test('the same files create the schema of a cluster', async () => {
  const written = statements.map((statement) => clusterStatement(statement, place).trim())
  const tables = statements.flatMap((statement) => tableOf(statement) ?? [])
  const whole = tables.map((table) => wholeTableStatement(table, place))
  await expect([...written, ...whole].map((text) => `${text};\n`).join('\n')).toMatchFileSnapshot(
    'testing/cluster-schema.sql',
  )
})

test('replicates every table of every migration in a cluster, with its deduplication window', () => {
  const tables = statements.filter((statement) => tableOf(statement) !== null)
  expect(tables.length).toBeGreaterThan(3)
  for (const statement of tables) {
    const text = clusterStatement(statement, place)
    const path = `/probe-mesh/mesh/{shard}/probe_mesh/${tableOf(statement)}`
    expect(text).toContain(`MergeTree('${path}', '{replica}')`)
    expect(text).toMatch(/^engine = Replicated/m)
    expect(text).toMatch(/[ \n]replicated_deduplication_window = \d+/)
    expect(text).not.toContain('non_replicated')
  }
})

test('a view has the same UUID on every replica, and no other view has it', () => {
  const uuid = (database: string, name: string): string | undefined =>
    /uuid '([^']+)'/.exec(
      clusterStatement(`create materialized view if not exists ${name} to t as select 1`, {
        ...place,
        database,
      }),
    )?.[1]
  expect(uuid('a', 'view')).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
  expect(uuid('a', 'view')).toBe(uuid('a', 'view'))
  expect(new Set([uuid('a', 'view'), uuid('b', 'view'), uuid('a', 'other')]).size).toBe(3)
})

test.each(['engine = Memory', 'engine = MergeTree()', 'engine = CollapsingMergeTree(sign)'])(
  'refuses a table with an engine that cannot be replicated (%s)',
  (engine) => {
    const statement = `create table if not exists t (id UInt8)\n${engine}\norder by id`
    expect(() => clusterStatement(statement, place)).toThrow('the engine of t')
  },
)

test('leaves other statements unchanged', () => {
  const alter = 'alter table readings_raw add column if not exists x UInt8'
  expect(clusterStatement(alter, place)).toBe(alter)
})
