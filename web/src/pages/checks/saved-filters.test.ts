import { expect, test } from 'vitest'
import { formIn } from '../../testing/form-in.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })

const nasty = '"><script>alert(1)</script>'
const owner = async () => {
  const member = await web.member()
  const key = await member.writeKey()
  await web.at.call('POST', '/v1/checks', { key, body: { name: 'shop', url: 'https://example.org/' } })
  return member
}
const savePath = '/dashboard/checks/filters'
/** The fields of the form that saves the shown filter, with a name. */
const fieldsOf = (raw: string, name: string): [string, string][] => {
  const form = /<form method="post" action="\/dashboard\/checks\/filters"[^]*?<\/form>/.exec(raw)?.[0] ?? ''
  return [...formIn(form).filter(([field]) => field !== 'name'), ['name', name]]
}

test('a filter is saved from the list, shown above it as a link that is marked, and deleted there', async () => {
  const { get, post } = await owner()
  expect((await get('/dashboard/checks')).text).not.toContain('Save this filter')
  const path = `/dashboard/checks?${new URLSearchParams({ q: nasty, status: 'down', sort: 'name' }).toString()}`
  const shown = await get(path)
  expect(shown.text).toContain('Save this filter')
  expect(await post(savePath, fieldsOf(shown.raw, nasty))).toMatchObject({ status: 303, to: path })
  const all = await get('/dashboard/checks')
  const href = path.replaceAll('&', '&amp;')
  expect(all.raw).toMatch(/aria-label="Saved filters"/)
  expect(all.raw).toContain(`href="${href}"`)
  expect(all.text).not.toContain('<script>alert')
  const current = await get(path)
  expect(current.text).toContain(`<a href="${href}" aria-current="true"><bdi>`)
  expect(current.text).not.toContain('Save this filter')
  const deletes = /action="(\/dashboard\/checks\/filters\/[^"]+\/delete)"/.exec(current.raw)?.[1] ?? ''
  expect(await post(deletes)).toMatchObject({ status: 303, to: '/dashboard/checks' })
  expect((await get('/dashboard/checks')).raw).not.toContain('aria-label="Saved filters"')
})

test('a refused name shows the list again with what was typed', async () => {
  const { get, post } = await owner()
  const shown = await get('/dashboard/checks?q=shop')
  await post(savePath, fieldsOf(shown.raw, 'Shop'))
  const other = await get('/dashboard/checks?q=sho')
  const taken = await post(savePath, fieldsOf(other.raw, 'SHOP'))
  expect(taken.status).toBe(409)
  expect(taken.text).toContain('id="field-name-problem"')
  expect(taken.raw).toContain('value="SHOP"')
  expect(taken.text).toContain('1 to 1 of 1 checks')
  expect((await post(savePath, fieldsOf(other.raw, ' '))).status).toBe(422)
  expect((await post(savePath, { name: 'all' })).status).toBe(422)
})

test('a filter with values of a newer version leads to the list', async () => {
  const { get, accountId } = await owner()
  await web.at.sql`
    insert into saved_filters (id, account_id, name, query, created_at)
    values (gen_random_uuid(), ${accountId}, 'Later', ${web.at.sql.json({ status: 'asleep', colour: 'red' })}, now())`
  const { raw } = await get('/dashboard/checks')
  expect(raw).toMatch(/<a href="\/dashboard\/checks"[^>]*>\s*<bdi>Later/)
})
