import { readFile } from 'node:fs/promises'
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

/** The statement of the migration that creates pages for existing accounts. */
const ofMigration = async (): Promise<string> => {
  const file = new URL('migrations/0007-pages.sql', import.meta.url)
  const statement = /^insert into status_pages[^;]+;/m.exec(await readFile(file, 'utf8'))
  if (statement === null) throw new Error('the migration has no such statement')
  return statement[0]
}

const slugs = async (made: readonly { id: string }[]) => {
  const pages = await Promise.all(made.map(({ id }) => findStatusPages(sql, id)))
  expect(pages.map((own) => own.length)).toEqual(made.map(() => 1))
  return pages.flat().map(({ slug }) => slug)
}

test('the migration gives every older account one page, as sign-up would have', async () => {
  const made = await accounts()
  await sql.unsafe(await ofMigration())
  const migrated = await slugs(made)
  for (const page of (await Promise.all(made.map(({ id }) => findStatusPages(sql, id)))).flat()) {
    expect(page).toMatchObject({ themePreset: 'system', locale: 'en', links: [], title: null })
    // RFC 9562 5.7: version 7, the variant, and the time of the migration
    expect(page.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const madeAtMs = Number.parseInt(page.id.replace('-', '').slice(0, 12), 16)
    expect(Math.abs(madeAtMs - page.createdAtMs)).toBeLessThan(60_000)
  }
  await sql`delete from status_pages`
  for (const account of made) await createFirstPage(sql, account)
  expect(await slugs(made)).toEqual(migrated)
  expect(new Set(migrated).size).toBe(names.length)
  for (const [index, slug] of migrated.entries()) {
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
