import { expect, test } from 'vitest'
import { formIn } from '../../testing/form-in.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })

const nasty = '"><script>alert(1)</script>'
const owner = async () => {
  const member = await web.member()
  const key = await member.writeKey()
  const check = async (name: string): Promise<string> =>
    (await web.at.call('POST', '/v1/checks', { key, body: { name, url: 'https://example.org/' } })).json.id
  const colleague = async (): Promise<string> => {
    const rows = await web.at.sql<{ id: string }[]>`
      insert into users (id, account_id, email, name, password_hash, created_at)
      values (gen_random_uuid(), ${member.accountId}, ${`${member.accountId}@example.org`}, ${nasty}, '', now())
      returning id`
    return rows[0]?.id ?? ''
  }
  return { ...member, check, colleague }
}
const replaced = (form: [string, string][], more: Record<string, string>): [string, string][] => [
  ...form.filter(([name]) => !(name in more)),
  ...Object.entries(more),
]

test('runbook, owner and notes are set in the form, shown on the page as text, and kept by an unchanged form', async () => {
  const { get, post, check, colleague } = await owner()
  const [id, ownerId] = [await check('shop'), await colleague()]
  const path = `/dashboard/checks/${id}`
  expect((await get(path)).text).not.toContain('Runbook and notes')
  const notes = `first ${nasty}\r\nsecond`
  const form = formIn((await get(`${path}/edit`)).raw)
  const sent = replaced(form, { runbookUrl: ' https://wiki.example.org/?a=1&b="2" ', ownerId, notes })
  expect(await post(`${path}/edit`, sent)).toMatchObject({ status: 303, to: path })
  const { raw, text } = await get(path)
  expect(raw).toContain('href="https://wiki.example.org/?a=1&amp;b=&quot;2&quot;"')
  expect(raw).toContain('first &quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;<br>\nsecond')
  expect(raw).toContain(`href="/dashboard/checks?owner=${ownerId}"`)
  expect(text).not.toContain('<script>alert')
  const again = formIn((await get(`${path}/edit`)).raw)
  await post(`${path}/edit`, again)
  expect(formIn((await get(`${path}/edit`)).raw)).toEqual(again)
  expect(again).toContainEqual(['ownerId', ownerId])
  await post(`${path}/edit`, replaced(again, { runbookUrl: '', ownerId: '', notes: '' }))
  expect((await get(path)).text).not.toContain('Runbook and notes')
})

test('what is wrong is shown at its field with what was typed', async () => {
  const { get, post, check } = await owner()
  const path = `/dashboard/checks/${await check('shop')}/edit`
  const form = formIn((await get(path)).raw)
  const refused = await post(
    path,
    replaced(form, { runbookUrl: 'javascript:alert(1)', ownerId: 'x', notes: 'y'.repeat(2_001) }),
  )
  expect(refused.status).toBe(422)
  for (const name of ['runbookUrl', 'ownerId', 'notes']) {
    expect(refused.text).toContain(`id="field-${name}-problem"`)
  }
  expect(formIn(refused.raw)).toContainEqual(['runbookUrl', 'javascript:alert(1)'])
})

test('the list is filtered by the owner in its address, and its form keeps the owner', async () => {
  const { get, post, check, colleague } = await owner()
  const [id] = [await check('alpha'), await check('beta')]
  expect((await get('/dashboard/checks')).raw).not.toContain('name="owner"')
  const ownerId = await colleague()
  const edit = `/dashboard/checks/${id}/edit`
  await post(edit, replaced(formIn((await get(edit)).raw), { ownerId }))
  const { text } = await get(`/dashboard/checks?owner=${ownerId}`)
  expect(text).toContain('1 to 1 of 1 checks')
  expect(text).toContain('alpha')
  expect(text).toContain(`<option value="${ownerId}" selected>`)
  expect(text).toContain(`href="/dashboard/checks?status=unknown&amp;owner=${ownerId}"`)
  // an invalid owner is no filter
  expect((await get('/dashboard/checks?owner=%22')).text).toContain('of 2 checks')
})
