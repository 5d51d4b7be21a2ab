import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import fc from 'fast-check'
import { forAllAsync } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { useTestApp } from '../../app/testing/test-app.ts'
import { findCheckNames, searchChecks } from './check-names.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'

const at = useTestApp()

type Drawn = { name: string; url: string | null; target: string | null; isPrivate: boolean }

const insert = async (accountId: string, checks: readonly Drawn[]): Promise<string[]> => {
  await at.sql`delete from checks where account_id = ${accountId}`
  const ids = checks.map((_, index) => uuidv7(1_800_000_000_000 + index))
  for (const [index, { name, url, target, isPrivate }] of checks.entries()) {
    await at.sql`
      insert into checks (id, account_id, type, name, url, target, interval_seconds, regions,
        all_regions, private, config, valid_from, created_at, updated_at)
      values (${ids[index] ?? ''}, ${accountId}, 'http', ${name}, ${url}, ${target}, 60, '{fra}',
        false, ${isPrivate}, ${at.sql.json({ type: 'unknown' })}, now(), now(), now())`
  }
  return ids
}

const pageOf = async (accountId: string): Promise<string> => {
  const [page] = await at.sql<{ id: string }[]>`
    select id from status_pages where account_id = ${accountId}`
  return page?.id ?? ''
}

const publish = async (accountId: string, pageId: string, checkId: string): Promise<void> => {
  await at.sql`
    insert into components (id, account_id, status_page_id, check_id, display_name, created_at,
      updated_at)
    values (gen_random_uuid(), ${accountId}, ${pageId}, ${checkId}, 'shown', now(), now())`
}

const text = fc.constantFrom('', 'a', 'B', '%', '_', "'", '\\', ' a ', 'api/x')
const line = fc.constantFrom('a', 'Ab', 'b', '100%', 'a_b', "o'b", 'c\\d', 'é')
const drawn = fc.record({
  name: line,
  url: fc.constantFrom(null, 'https://API/x'),
  target: fc.constantFrom(null, 'b:53'),
  isPrivate: fc.boolean(),
  isPublished: fc.boolean(),
  isNamed: fc.boolean(),
})

test('finds the same checks as a scan of all, by name, with matching counts', async () => {
  const { id: accountId } = await at.account('scale')
  const other = await at.account('scale')
  const pageId = await pageOf(accountId)
  const [theirs = ''] = await insert(other.id, [{ name: 'a', url: null, target: null, isPrivate: false }])
  const asked = fc.record({ text, most: fc.constantFrom(1, 3, 200), isForPage: fc.boolean() })
  await forAllAsync([fc.array(drawn, { maxLength: 9 }), asked], { numRuns: 40 }, async (checks, of) => {
    const ids = await insert(accountId, checks)
    for (const [index, { isPublished }] of checks.entries()) {
      if (isPublished) await publish(accountId, pageId, ids[index] ?? '')
    }
    const all = checks
      .map((check, index) => ({ ...check, id: ids[index] ?? '' }))
      .filter((check) => !of.isForPage || (!check.isPrivate && !check.isPublished))
      .toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || (a.id < b.id ? -1 : 1))
    const needle = of.text.trim().toLowerCase()
    const matching = all.filter(({ name, url, target }) =>
      [name, url ?? '', target ?? ''].some((each) => each.toLowerCase().includes(needle)),
    )
    const others = matching.filter(({ isNamed }) => !isNamed)
    const publishableOn = of.isForPage ? pageId : null
    const except = [theirs, ...ids.filter((_, index) => checks[index]?.isNamed)]
    const [named, found] = await inAccount(at.accountSql, accountId, async (tx) => [
      await findCheckNames(tx, accountId, except, publishableOn),
      await searchChecks(tx, accountId, { text: of.text, except, most: of.most }, publishableOn),
    ])
    expect(named.map(({ id }) => id)).toEqual(all.filter(({ isNamed }) => isNamed).map(({ id }) => id))
    expect(found.checks.map(({ id }) => id)).toEqual(others.slice(0, of.most).map(({ id }) => id))
    expect(found).toMatchObject({
      left: Math.max(0, others.length - of.most),
      count: matching.length,
      all: all.length,
    })
  })
})

test('finds checks by name, URL or target, and none of other accounts', async () => {
  const { id: accountId } = await at.account('scale')
  const other = await at.account('scale')
  const ids = await insert(accountId, [
    { name: '<b>', url: 'https://example.org/', target: null, isPrivate: false },
  ])
  expect(await inAccount(at.accountSql, accountId, (tx) => findCheckNames(tx, accountId, ids, null))).toEqual(
    [
      {
        id: ids[0],
        name: '<b>',
        type: 'http',
        url: 'https://example.org/',
        target: null,
        regions: ['fra'],
      },
    ],
  )
  const [stolen, needle] = await inAccount(at.accountSql, other.id, async (tx) => [
    await findCheckNames(tx, accountId, ids, null),
    await searchChecks(tx, accountId, { text: '', except: [], most: 9 }, null),
  ])
  expect(stolen).toEqual([])
  expect(needle).toEqual({ checks: [], left: 0, count: 0, all: 0 })
})
