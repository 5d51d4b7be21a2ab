import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { insertAudit } from '@probe-mesh/control-plane/src/accounts/operations/audit-store'
import { expect, test } from 'vitest'
import { hostile } from '../../testing/publisher.ts'
import { useTestWeb } from '../../testing/test-web.ts'
import { entriesShown } from './audit-page.ts'

const web = useTestWeb()

const path = '/dashboard/audit'
const rows = (text: string) => [...text.matchAll(/<bdi>(write-\d+)<\/bdi>/g)].map(([, id]) => id)

/** Writes of one instant, which differ only in their ids. */
const noteWrites = async (accountId: string, count: number): Promise<void> => {
  const actor = { kind: 'key' as const, id: 'k', name: `ci 100% ${hostile}`, address: '192.0.2.7' }
  const nowMs = web.at.now()
  for (let n = 0; n < count; n++) {
    const entry = { accountId, action: 'createCheck', resourceType: 'check' }
    await insertAudit(web.at.sql, actor, { ...entry, resourceId: `write-${n}` }, nowMs)
  }
}

test('every write is listed once across pages', async () => {
  const member = await web.member()
  await noteWrites(member.accountId, entriesShown + 1)
  const first = await member.get(`${path}?what=write-`)
  expect(rows(first.text)).toHaveLength(entriesShown)
  expect(first.text).not.toContain('>Newest<')
  const older = String(/href="([^"]+)">Older/.exec(first.text)?.[1]).replaceAll('&amp;', '&')
  const second = await member.get(older)
  expect(rows(second.text)).toHaveLength(1)
  expect(new Set([...rows(first.text), ...rows(second.text)]).size).toBe(entriesShown + 1)
  expect(second.text).not.toContain('>Older<')
  expect(second.text).toContain(`href="${path}?what=write-&amp;who=">Newest`)
})

test('writes are found by action and actor, as literal text in any case', async () => {
  const member = await web.member()
  await noteWrites(member.accountId, 2)
  const found = async (query: Record<string, string>) =>
    rows((await member.get(`${path}?${new URLSearchParams(query).toString()}`)).text).length
  expect(await found({})).toBe(2)
  expect(await found({ what: 'WRITE-1' })).toBe(1)
  expect(await found({ what: 'createcheck' })).toBe(2)
  expect(await found({ what: 'Created check' })).toBe(2)
  expect(await found({ who: '100% "><script>' })).toBe(2)
  expect(await found({ who: '192.0.2.7' })).toBe(2)
  expect(await found({ who: member.email })).toBe(0)
  expect(await found({ who: 'ci%100' })).toBe(0)
  expect(await found({ what: 'write_1' })).toBe(0)
  const { text } = await member.get(`${path}?who=${encodeURIComponent(hostile)}`)
  expect(text).toContain('value="&quot;&gt;&lt;script&gt;')
  expect(text).not.toContain('<script>')
  expect((await member.get(`${path}?what=nothing`)).text).toContain('No entry matches')
})

test("another account's entry is no valid start, and an invalid id is refused", async () => {
  const [one, other] = [await web.member(), await web.member()]
  await noteWrites(one.accountId, 2)
  const [entry] = await web.at.sql<{ id: string }[]>`
    select id from audit_log where account_id = ${one.accountId} order by at desc, id desc limit 1`
  await noteWrites(other.accountId, 1)
  expect(rows((await other.get(`${path}?before=${entry?.id}`)).text)).toEqual([])
  expect(rows((await one.get(`${path}?before=${entry?.id}`)).text)).toHaveLength(1)
  expect(rows((await one.get(`${path}?before=${uuidv7(0)}`)).text)).toEqual([])
  expect(await one.get(`${path}?before=x`)).toMatchObject({ status: 422 })
})
