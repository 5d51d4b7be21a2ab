import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { Slug } from '@probe-mesh/contracts/schema/text'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { createFirstPage } from '../../login/create-first-page-store.ts'
import { slugOf } from '../../records/status-page/page-record.ts'
import { insertAccount } from '../../accounts/accounts-store.ts'
import { findStatusPages } from '../../records/status-page/status-pages-store.ts'

const sql = useTestSql({ connectionsMax: 4 })

const names = ['Acme', 'acme', 'ACME!', 'Acme, Inc.', '日本', '—', 'a'.repeat(31), 'a'.repeat(30)]

const accounts = async () => {
  const made = names.map((name, index) => {
    const createdAtMs = 1_700_000_000_000 + index
    return { id: uuidv7(createdAtMs), name, tier: 'free' as const, createdAtMs }
  })
  for (const account of made) await insertAccount(sql, account)
  return made
}

const slugs = async (made: readonly { id: string }[]) => {
  const pages = await Promise.all(made.map(({ id }) => findStatusPages(sql, id)))
  expect(pages.map((own) => own.length)).toEqual(made.map(() => 1))
  return pages.flat().map(({ slug }) => slug)
}

test('every account gets one page with the slug of its name', async () => {
  const made = await accounts()
  for (const account of made) await createFirstPage(sql, account)
  const given = await slugs(made)
  expect(new Set(given).size).toBe(names.length)
  for (const [index, slug] of given.entries()) {
    expect(Slug.safeParse(slug).success, slug).toBe(true)
    expect(slug.startsWith(slugOf(names[index] ?? ''))).toBe(true)
  }
  await sql`delete from accounts`
})

test('accounts with one name that are created at once get separate pages', async () => {
  const made = Array.from({ length: 8 }, () => {
    const createdAtMs = Date.now()
    return { id: uuidv7(createdAtMs), name: 'Acme', tier: 'free' as const, createdAtMs }
  })
  await Promise.all(
    made.map(async (account) => {
      await insertAccount(sql, account)
      await createFirstPage(sql, account)
    }),
  )
  const theirs = await slugs(made)
  expect(new Set(theirs).size).toBe(8)
  expect(theirs).toContain('acme')
})
