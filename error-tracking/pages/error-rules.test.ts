import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { expect, test } from 'vitest'
import { mainOf, withoutOwnScript } from '@probe-mesh/web/src/testing/flat'
import { hostile } from '@probe-mesh/web/src/testing/publisher'
import { useTestWeb, type Visitor } from '@probe-mesh/web/src/testing/test-web'

const web = useTestWeb({ config: { budgetScale: 100 } })

const list = '/dashboard/errors/rules'
const ruleId = /\/dashboard\/errors\/rules\/([\w-]{36})"/
const rule = {
  name: hostile,
  enabled: 'on',
  events: 'spike',
  'spike.of': 'issue',
  'spike.spanMinutes': '5',
  'spike.eventsMin': '20',
  'spike.factor': '2.5',
  projects: 'all',
  channels: 'all',
  emailUsers: 'on',
}
const projectOf = async (member: Visitor, name: string): Promise<string> => {
  const made = await member.post('/dashboard/errors', { name, platform: 'node' })
  return String(/errors\/([\w-]{36})$/.exec(made.to ?? '')?.[1])
}

test('creates a rule with every field, lists, changes and deletes it', async () => {
  const member = await web.member()
  expect((await member.get(list)).text).toContain('Without a rule, errors notify no channel')
  expect((await member.get('/dashboard/rules')).text).toContain(`href="${list}"`)
  expect((await member.get(`${list}/new`)).text).toContain('value="new_issue" checked>')
  const projectId = await projectOf(member, hostile)
  expect(await member.post(list, rule)).toMatchObject({ status: 303, to: list })
  const shown = await member.get(list)
  expect(withoutOwnScript(shown.raw)).not.toContain('<script')
  expect(shown.text).toContain('20 or more events of an issue in 5 min, 2.5 times the usual')
  expect(mainOf(shown.text)).toMatch(/all channels and every user by e-mail of.*in all projects/)
  const path = `${list}/${ruleId.exec(shown.text)?.[1]}`
  const form = await member.get(path)
  expect(withoutOwnScript(form.raw)).not.toContain('<script')
  expect(form.text).toContain('value="spike" checked>')
  expect(form.text).toContain('<option value="5" selected>')
  const { enabled: _, ...off } = { ...rule, projects: 'some', projectIds: projectId }
  expect(await member.post(path, { ...off, name: 'quiet' })).toMatchObject({ status: 303 })
  const changed = await member.get(list)
  expect(changed.text).toMatch(/quiet<\/bdi><\/a>.*Disabled/)
  expect((await member.get(`${path}/delete`)).text).toContain('no longer notifies of errors')
  expect(await member.post(`${path}/delete`)).toMatchObject({ status: 303 })
  expect((await member.get(list)).text).not.toContain('quiet')
  const actions = await web.at.sql<{ action: string }[]>`
    select action from audit_log
    where account_id = ${member.accountId} and resource_type = 'error_rule' order by at, id`
  expect(actions.map(({ action }) => action)).toEqual([
    'createErrorRule',
    'updateErrorRule',
    'deleteErrorRule',
  ])
})

test('shows every problem at its field and keeps what was typed', async () => {
  const member = await web.member()
  const wrong: [string, Record<string, string>][] = [
    ['name', { name: ' ' }],
    ['events', { events: 'asleep' }],
    ['spike-of', { 'spike.of': 'account' }],
    ['spike-spanMinutes', { 'spike.spanMinutes': '6' }],
    ['spike-eventsMin', { 'spike.eventsMin': '0' }],
    ['spike-eventsMin', { 'spike.eventsMin': '' }],
    ['spike-factor', { 'spike.factor': '0.9' }],
    ['projectIds', { projects: 'some' }],
    ['projectIds', { projects: 'some', projectIds: uuidv7(0) }],
    ['channelIds', { channels: 'some', channelIds: uuidv7(0) }],
    // all and some contradict each other
    ['projects', { projectIds: uuidv7(0) }],
    ['channels', { channelIds: uuidv7(0) }],
  ]
  for (const [field, more] of wrong) {
    const { status, text } = await member.post(list, { ...rule, ...more })
    expect([field, status]).toEqual([field, 422])
    expect(text).toContain(`id="field-${field}-problem"`)
    expect(text).toContain('name="emailUsers" checked')
  }
  expect((await member.get(list)).text).toContain('No alert rules yet')
  const least = { 'spike.eventsMin': '1', 'spike.factor': '1' }
  expect(await member.post(list, { ...rule, ...least })).toMatchObject({ status: 303 })
})

test('hides rules of other accounts and counts pending messages', async () => {
  const [one, other] = [await web.member(), await web.member()]
  await one.post(list, rule)
  const id = ruleId.exec((await one.get(list)).text)?.[1]
  expect(await other.get(`${list}/${id}`)).toMatchObject({ status: 303 })
  expect(await other.post(`${list}/${id}`, rule)).toMatchObject({ status: 404 })
  expect(await other.post(`${list}/${id}/delete`)).toMatchObject({ status: 404 })
  await web.at.sql`
    update error_rule_states set tell_at = now(),
      bound = '{"hourAtMs": 0, "told": 10, "waiting": {"counts": {"new_issue": 1214}, "first": []}}'
    where rule_id = ${String(id)}`
  expect((await one.get(list)).text).toContain('1,214 messages')
  expect((await one.get(`${list}/${id}/delete`)).text).toContain('1,214 pending messages')
})

test('ends the open spikes of a rule without a message when its spike changes', async () => {
  const member = await web.member()
  const projectId = await projectOf(member, 'shop')
  await member.post(list, rule)
  const id = String(ruleId.exec((await member.get(list)).text)?.[1])
  const at = new Date(web.at.now() - 60_000)
  await web.at.sql`
    insert into error_spikes (id, account_id, rule_id, project_id, began_at, last_met_at, told)
    values (${uuidv7(0)}, ${member.accountId}, ${id}, ${projectId}, ${at}, ${at}, true)`
  const open = () => web.at.sql`
    select from error_spikes where rule_id = ${id} and ended_at is null`
  await member.post(`${list}/${id}`, { ...rule, name: 'renamed' })
  expect(await open()).toHaveLength(1)
  await member.post(`${list}/${id}`, { ...rule, 'spike.eventsMin': '21' })
  expect(await open()).toHaveLength(0)
  expect(
    await web.at.sql`
    select from deliveries where account_id = ${member.accountId}`,
  ).toHaveLength(0)
})
