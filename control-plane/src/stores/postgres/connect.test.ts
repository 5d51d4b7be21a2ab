import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { storableJson } from '@probe-mesh/contracts/schema/foreign-json'
import { connectPostgres } from './connect.ts'

const database = useTestDatabase()
const sql = database.use({ connectionsMax: 2 })

const oddTexts = ['a\u0000b', '\ud83d', 'x\ude00', '\\ud800', '\\\ud800', '\\u0000', '\\\\u0000']
const text = fc.array(fc.constantFrom(...oddTexts, 'a', '😀', '\\', '"')).map((all) => all.join(''))
const storable = (value: string): string => value.toWellFormed().replaceAll('\u0000', '\ufffd')

test('stored JSON differs from its source only in NUL and half surrogate pairs', () => {
  forAll([text], (value) => {
    expect(JSON.parse(storableJson(JSON.stringify({ [value]: [value] })))).toEqual({
      [storable(value)]: [storable(value)],
    })
  })
})

test('jsonb and json accept any text', async () => {
  const rows = await sql<{ b: string[]; j: string[] }[]>`
    select ${sql.json(oddTexts)}::jsonb as b, ${sql.json(oddTexts)}::json as j`
  expect(rows).toEqual([{ b: oddTexts.map(storable), j: oddTexts.map(storable) }])
})

test('reads the array types of the server until they are known, and uses them from then on', async () => {
  const pool = connectPostgres(database.url, { connectionsMax: 2 })
  expect(pool.options.fetch_types).toBe(true)
  await pool`select 1`
  expect(pool.options.fetch_types).toBe(false)
  // the second query opens a connection that does not read the types
  const read = () => pool`select ${['a', 'b']}::text[] as list, pg_sleep(0.1)`
  const lists = await Promise.all([read(), read()])
  for (const rows of lists) expect(rows).toMatchObject([{ list: ['a', 'b'] }])
  await pool.end()
})
