import { describe, expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { manyChecks } from '../../testing/many-checks.ts'
import { useTestWeb } from '../../testing/test-web.ts'
import { boxesMax } from './check-boxes.ts'

const web = useTestWeb()

const rule = {
  name: 'night <script>"',
  enabled: 'on',
  statuses: 'stale',
  afterSeconds: '90',
  checks: 'all',
  channels: 'some',
  emailUsers: 'on',
}
const ruleId = /\/dashboard\/rules\/([\w-]{36})"/

test('a rule is made with every field, listed, changed and deleted', async () => {
  const member = await web.member()
  // every account begins with a rule
  const first = ruleId.exec((await member.get('/dashboard/rules')).text)?.[1]
  await member.post(`/dashboard/rules/${first}/delete`)
  expect((await member.get('/dashboard/rules')).text).toContain('No alert rules')
  expect(await member.post('/dashboard/rules', rule)).toMatchObject({ status: 303 })
  const list = await member.get('/dashboard/rules')
  expect(withoutOwnScript(list.raw)).not.toContain('<script')
  expect(list.text).toMatch(
    /Notifies\s*every user by e-mail\s*when\s*any check\s*is\s*stale,\s*after 1 minute 30 seconds/,
  )
  const path = `/dashboard/rules/${ruleId.exec(list.text)?.[1]}`
  const form = await member.get(path)
  expect(form.text).toContain('value="stale" checked>')
  expect(form.text).not.toContain('value="down" checked>')
  expect(form.text).not.toContain('name="unconfirmed" checked')
  await member.post(path, { ...rule, unconfirmed: 'on' })
  expect((await member.get(path)).text).toContain('name="unconfirmed" checked')
  expect((await member.get('/dashboard/rules')).text).toContain('stale or failing without confirmation,')
  const days = { certificateDays: '20, 3', domainDays: '' }
  await member.post(path, { ...rule, ...days })
  expect((await member.get(path)).raw).toMatch(/name="certificateDays"[^>]*value="20, 3"/)
  expect((await member.get('/dashboard/rules')).text).toContain('20 and 3 days before a certificate expires.')
  const { enabled: _, ...off } = rule
  expect(await member.post(path, { ...off, name: 'quiet' })).toMatchObject({ status: 303 })
  expect((await member.get('/dashboard/rules')).text).toMatch(
    /quiet<\/bdi><\/a><\/th><td><strong class="tag silent">Off/,
  )
  expect((await member.get(`${path}/delete`)).text).toContain('only alert rule')
  expect(await member.post(`${path}/delete`)).toMatchObject({ status: 303 })
  expect((await member.get('/dashboard/rules')).text).not.toContain('quiet')
})

test.each([
  ['name', { name: ' ' }],
  ['statuses', { statuses: 'asleep' }],
  ['certificateDays', { certificateDays: 'a week' }],
  ['certificateDays', { certificateDays: '7 7' }],
  ['domainDays', { domainDays: '91' }],
  ['afterSeconds', { afterSeconds: '' }],
  ['afterSeconds', { afterSeconds: '86401' }],
  ['channelIds', { channelIds: 'x' }],
  ['fallbackChannelId', { fallbackChannelId: 'x' }],
  ['checkIds', { checks: 'some' }],
])('a wrong %s is said beside its field, and what was typed is kept', async (field, wrong) => {
  const member = await web.member()
  const { status, text } = await member.post('/dashboard/rules', { ...rule, ...wrong })
  expect(status).toBe(422)
  expect(text).toContain(`id="field-${field}-problem"`)
  expect(text).toContain('name="emailUsers" checked')
  const latest = await member.post('/dashboard/rules', { ...rule, afterSeconds: '86400' })
  expect(latest.status).toBe(303)
})

describe('all checks or channels while some are ticked', () => {
  const all = Object.entries({ ...rule, channels: 'all' })

  test('are refused beside the choice with all else that is wrong, and both are kept', async () => {
    const member = await web.member()
    const [checkId = ''] = await manyChecks(web, member.accountId, 2)
    const { status, text } = await member.post('/dashboard/rules', [
      ...all.filter(([name]) => name !== 'afterSeconds'),
      ['checkIds', checkId],
      ['channelIds', checkId],
      ['afterSeconds', 'soon'],
    ])
    expect(status).toBe(422)
    for (const field of ['checks', 'channels', 'afterSeconds']) {
      expect(text).toContain(`id="field-${field}-problem"`)
    }
    expect(text).toContain('all checks are chosen, but 1 check is ticked below: clear it')
    expect(text).toContain('name="checks" value="all" checked>')
    expect(boxesIn(text)[0]).toEqual({ id: checkId, isTicked: true })
    expect((await member.get('/dashboard/rules')).text).not.toContain('night')
    const some = all.map(([name, value]): [string, string] => [name, name === 'checks' ? 'some' : value])
    const saved = await member.post('/dashboard/rules', [...some, ['checkIds', checkId]])
    expect(saved.status).toBe(303)
  })

  test('are refused of a rule that named some, whose boxes one button unticks, unsaved', async () => {
    const member = await web.member()
    const [checkId = '', other = ''] = await manyChecks(web, member.accountId, 2)
    const ticked: [string, string][] = [
      ['checkIds', checkId],
      ['checkIds', other],
    ]
    await member.post('/dashboard/rules', [...Object.entries({ ...rule, checks: 'some' }), ...ticked])
    const list = await member.get('/dashboard/rules')
    const path = /\/dashboard\/rules\/[\w-]{36}(?=">[^/]*night)/.exec(list.text)?.[0] ?? ''
    const wrong = await member.post(path, [...all, ...ticked])
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('2 checks are ticked below: clear them')
    const unticked = await member.post(path, [...all, ...ticked, ['act', 'untick']])
    expect(unticked.status).toBe(200)
    expect(boxesIn(unticked.text).filter(({ isTicked }) => isTicked)).toEqual([])
    expect((await member.get('/dashboard/rules')).text).toContain('<bdi>check 1</bdi>')
    expect(await member.post(path, all)).toMatchObject({ status: 303 })
    expect((await member.get('/dashboard/rules')).text).not.toContain('<bdi>check 1</bdi>')
  })
})

test('what a rule named and is deleted is said to be gone, and who is left to be told', async () => {
  const member = await web.member()
  const [checkId = ''] = await manyChecks(web, member.accountId, 1)
  expect((await member.get('/dashboard/rules')).text).toContain('notifies no one.')
  const config = { 'config.webhookUrl': 'https://discord.com/api/webhooks/12/v3ry-s3cret-token' }
  const form = { type: 'discord', name: 'hook', ...config }
  const channelId = String((await member.post('/dashboard/channels', form)).to).slice(-36)
  const { emailUsers: _, ...unmailed } = rule
  const chosen = { checkIds: checkId, channelIds: channelId, checks: 'some' }
  await member.post('/dashboard/rules', { ...unmailed, ...chosen })
  const before = await member.get('/dashboard/rules')
  expect(before.text).toMatch(/Notifies\s*<bdi>hook<\/bdi>\s*when\s*<bdi>check 0<\/bdi>/)
  const asked = await member.get(`/dashboard/checks/${checkId}/delete`)
  expect(asked.text).toContain('(its only check: the rule will notify of nothing)')
  await member.post(`/dashboard/checks/${checkId}/delete`)
  await member.post(`/dashboard/channels/${channelId}/delete`)
  const after = await member.get('/dashboard/rules')
  expect(after.text).toContain('no check (all were deleted)')
  expect(after.text).toContain('Notifies no one</strong>')
})

test("another account's rule is not there", async () => {
  const [one, other] = [await web.member(), await web.member()]
  await one.post('/dashboard/rules', rule)
  const id = ruleId.exec((await one.get('/dashboard/rules')).text)?.[1]
  expect(await other.get(`/dashboard/rules/${id}`)).toMatchObject({ status: 303 })
  expect(await other.post(`/dashboard/rules/${id}`, rule)).toMatchObject({ status: 404 })
  expect(await other.post(`/dashboard/rules/${id}/delete`)).toMatchObject({ status: 404 })
})

describe('of many checks', () => {
  const many = 60

  test('those that are looked for have a box, and what is ticked and typed is kept unsaved', async () => {
    const member = await web.member()
    const ids = await manyChecks(web, member.accountId, many)
    const fresh = await member.get('/dashboard/rules/new')
    expect(boxesIn(fresh.text)).toHaveLength(boxesMax)
    expect(fresh.text).toContain(`${many - boxesMax} more: search`)
    const [first = '', last = ''] = [ids[0], ids.at(-1)]
    const form = Object.entries({ ...rule, checks: 'all' })
    const found = await member.post('/dashboard/rules', [
      ...form,
      ['checkIds', first],
      ['q', 'CHECK 59'],
      ['sought', ''],
      ['act', 'enter'],
    ])
    expect(found.status).toBe(200)
    expect(boxesIn(found.text)).toEqual([
      { id: first, isTicked: true },
      { id: last, isTicked: false },
    ])
    expect(found.text).toContain('name="emailUsers" checked')
    expect(withoutOwnScript(found.raw)).not.toContain('<script')
    expect((await member.get('/dashboard/rules')).text).not.toContain('night')
    const saved = await member.post('/dashboard/rules', [
      ...Object.entries({ ...rule, checks: 'some', act: 'enter', q: 'x', sought: 'x' }),
      ['checkIds', first],
      ['checkIds', last],
    ])
    expect(saved.status).toBe(303)
    expect((await member.get('/dashboard/rules')).text).toContain('<bdi>check 59</bdi>')
  })

  test('as many as all boxes show need no search', async () => {
    const member = await web.member()
    await manyChecks(web, member.accountId, 3)
    const { text } = await member.get('/dashboard/rules/new')
    expect(boxesIn(text)).toHaveLength(3)
    expect(text).not.toContain('role="search"')
  })
})

const boxesIn = (text: string) =>
  [...text.matchAll(/name="checkIds" value="([^"]+)"( checked)?/g)].map(([, id, ticked]) => ({
    id,
    isTicked: ticked !== undefined,
  }))
