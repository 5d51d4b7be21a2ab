import { randomUUID } from 'node:crypto'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeEach, expect, test } from 'vitest'
import { insertAccount } from '../../accounts/accounts-store.ts'
import type { Sql, Transaction } from './connect.ts'
import { inAccount } from './in-account.ts'

const database = useTestDatabase()
/** One connection, so that the next transaction would see leftovers. */
const sql = database.use({ connectionsMax: 1, role: 'probe_mesh_account' })
const owner = database.use({ connectionsMax: 1 })
let mine: string
let other: string

beforeEach(async () => {
  mine = randomUUID()
  other = randomUUID()
  for (const id of [mine, other]) {
    await insertAccount(owner, { id, name: id, tier: 'scale', createdAtMs: Date.now() })
  }
})

const names = async (connection: Sql | Transaction): Promise<string[]> =>
  (await connection<{ name: string }[]>`select name from accounts`).map((row) => row.name)
const rename = (tx: Transaction, name: string) => tx`update accounts set name = ${name}`

test('the first statement sees the account, and so do statements sent together', async () => {
  const seen = await inAccount(sql, mine, (tx) => Promise.all([names(tx), names(tx)]))
  expect(seen).toEqual([[mine], [mine]])
})

test('accounts that use one connection in turn each see their own rows', async () => {
  const work = (id: string) => inAccount(sql, id, (tx) => names(tx))
  expect(await Promise.all([work(mine), work(other), work(mine)])).toEqual([[mine], [other], [mine]])
})

test('nothing is visible after it, committed or rolled back', async () => {
  await inAccount(sql, mine, (tx) => rename(tx, 'kept'))
  expect(await names(sql)).toEqual([])
  await expect(
    inAccount(sql, mine, async (tx) => {
      await rename(tx, 'thrown')
      throw new Error('the work failed')
    }),
  ).rejects.toThrow('the work failed')
  expect(await names(sql)).toEqual([])
  const refusal = refuse('SV-3002')
  const refused = await inAccount(sql, mine, async (tx) => {
    await rename(tx, 'refused')
    return refusal
  })
  expect(refused).toBe(refusal)
  expect(await names(sql)).toEqual([])
  expect((await names(owner)).filter((name) => ['kept', 'thrown', 'refused'].includes(name))).toEqual([
    'kept',
  ])
})

test('an invalid id is an error, and nothing is visible', async () => {
  await expect(inAccount(sql, 'nobody', (tx) => names(tx))).rejects.toMatchObject({ code: '22P02' })
  expect(await names(sql)).toEqual([])
})

test('retries a statement whose table was migrated after the connection prepared it', async () => {
  const read = () => inAccount(sql, mine, (tx) => tx`select * from accounts`)
  await read()
  await owner`alter table accounts add column migrated text`
  expect(await read()).toMatchObject([{ id: mine, migrated: null }])
  await owner`alter table accounts drop column migrated`
  expect(await read()).toMatchObject([{ id: mine }])
})
