import { createHash } from 'node:crypto'
import { apiKeyScope } from '@probe-mesh/contracts/account/key-text'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { insertAccount } from './accounts-store.ts'
import { findStatusPages } from '../records/status-page/status-pages-store.ts'
import { changeTier, listAccounts } from './manage-accounts.ts'
import { createAccount } from '../login/create-account.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { isPassword } from '../login/passwords/password.ts'

const sql = useTestSql()
const context = useOnce(() => ({ sql, now: Date.now }))

const unknownId = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const password = 'correct horse battery'

const account = async (email: string, tier: 'free' | 'growth' | 'scale' = 'scale') => {
  const created = await createAccount(context, { name: 'Acme', email, password, tier })
  if (isRefusal(created)) throw new Error(created.message)
  return created
}

const key = async (accountId: string, scope: 'read' | 'read_write' = 'read') => {
  const made = await createKey(context, { accountId, name: 'ci', scope })
  if (isRefusal(made)) throw new Error(made.message)
  return made
}

describe('accounts', () => {
  test('only the first account that the operator creates is the operator’s own', async () => {
    const made = await Promise.all(
      ['first', 'second', 'third'].map((name) => account(`${name}@operators.example`)),
    )
    const marked = await sql<{ id: string }[]>`select id from accounts where is_operators`
    expect(marked).toHaveLength(1)
    expect(made.map(({ id }) => id)).toContain(marked[0]?.id)
    await account('later@operators.example')
    expect(await sql`select id from accounts where is_operators`).toEqual(marked)
  })

  test('an account that the operator creates after a sign-up is a customer’s', async () => {
    await sql`update accounts set is_operators = false`
    await insertAccount(sql, { id: unknownId, name: 'signed up', tier: 'free', createdAtMs: 0 })
    await account('customer@operators.example')
    expect(await sql`select id from accounts where is_operators`).toEqual([])
    await sql`delete from accounts where id = ${unknownId}`
  })

  test('stores the password as a hash that only the password matches', async () => {
    const { id } = await account('hash@example.org')
    const [user] = await sql<{ password_hash: string }[]>`
      select password_hash from users where account_id = ${id}`
    const stored = user?.password_hash ?? ''
    expect(stored).toMatch(/^\$argon2id\$/)
    expect(stored).not.toContain(password)
    expect(await isPassword(password, stored)).toBe(true)
    expect(await isPassword(`${password}!`, stored)).toBe(false)
    expect(await isPassword(password, 'nonsense')).toBe(false)
  })

  test('an address has one user, in any case of letters, and a refused account stores nothing', async () => {
    await account('once@example.org')
    const again = await createAccount(context, {
      name: 'Second',
      email: 'ONCE@example.org',
      password,
      tier: 'free',
    })
    expect(again).toMatchObject({ refused: 'SV-3002', errors: [{ path: 'email' }] })
    const all = await listAccounts(context)
    expect(all.map(({ name }) => name)).not.toContain('Second')
    expect(all).toContainEqual(expect.objectContaining({ email: 'once@example.org', tier: 'scale' }))
  })

  test('an account starts with a status page, also when its name is taken', async () => {
    const [one, two] = [await account('page-1@example.org'), await account('page-2@example.org')]
    const pages = [await findStatusPages(sql, one.id), await findStatusPages(sql, two.id)]
    expect(pages).toMatchObject([[{ name: 'Acme' }], [{ name: 'Acme' }]])
    expect(new Set(pages.flat().map(({ slug }) => slug)).size).toBe(2)
  })

  test('reports all problems of the input at once', async () => {
    const refused = await createAccount(context, {
      name: ' ',
      email: 'nobody',
      password: 'short',
      tier: 'free',
    })
    expect(refused).toMatchObject({
      refused: 'SV-2001',
      errors: [{ path: 'name' }, { path: 'email' }, { path: 'password' }],
    })
  })

  test('changes a tier, and refuses an unknown account', async () => {
    const { id } = await account('tier@example.org', 'free')
    expect(await changeTier(context, { accountId: id, tier: 'scale' })).toMatchObject({
      tier: 'scale',
    })
    expect(await changeTier(context, { accountId: unknownId, tier: 'free' })).toMatchObject({
      refused: 'SV-3001',
    })
  })
})

describe('keys', () => {
  test('stores a key as its hash, and lists its hint only', async () => {
    const { id } = await account('keys@example.org')
    const made = await key(id, 'read_write')
    expect(apiKeyScope(made.apiKey)).toBe('read_write')
    const [row] = await sql<{ key_hash: Buffer }[]>`select key_hash from api_keys where account_id = ${id}`
    expect(row?.key_hash).toEqual(createHash('sha256').update(made.apiKey).digest())
    const listed = await listKeys(context, { accountId: id })
    expect(listed).toEqual([made.key])
    expect(made.key.hint).toBe(`sv_rw_…${made.apiKey.slice(-4)}`)
  })

  test('a free account can only create read keys', async () => {
    const { id } = await account('free@example.org', 'free')
    const input = { accountId: id, name: 'ci', scope: 'read_write' } as const
    expect(await createKey(context, input)).toMatchObject({ refused: 'SV-1005' })
    expect(await createKey(context, { ...input, scope: 'read' })).toMatchObject({
      key: { scope: 'read' },
    })
  })

  test('an account has at most 50 open keys, also when many are created at once', async () => {
    const { id } = await account('many@example.org')
    const made = await Promise.all(
      Array.from({ length: 55 }, () => createKey(context, { accountId: id, name: 'n', scope: 'read' })),
    )
    const keys = made.flatMap((one) => (isRefusal(one) ? [] : one.key))
    expect(keys).toHaveLength(50)
    await revokeKey(context, { keyId: keys[0]?.id ?? '' })
    await expect(key(id)).resolves.toBeDefined()
  })

  test('revoking again keeps the first instant, and unknown ids are refused', async () => {
    const { id } = await account('revoke@example.org')
    const made = await key(id)
    const first = await revokeKey({ sql, now: () => 1_000 }, { keyId: made.key.id })
    const second = await revokeKey({ sql, now: () => 2_000 }, { keyId: made.key.id })
    expect(first).toMatchObject({ revokedAtMs: 1_000 })
    expect(second).toEqual(first)
    expect(await revokeKey(context, { keyId: unknownId })).toMatchObject({ refused: 'SV-3001' })
    expect(await listKeys(context, { accountId: unknownId })).toMatchObject({ refused: 'SV-3001' })
    expect(await createKey(context, { accountId: unknownId, name: 'n', scope: 'read' })).toMatchObject({
      refused: 'SV-3001',
    })
  })
})
