import { insertTestHeartbeat } from '@probe-mesh/control-plane/pings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withoutOwnScript } from '../../testing/flat.ts'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'
import { boxesMax, checkBoxes } from './check-boxes.ts'

let web: TestWeb
beforeAll(async () => {
  web = await startTestWeb()
})
afterAll(() => web.close())

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
  expect((await member.get('/dashboard/rules')).text).toContain('nobody is told of anything')
  expect(await member.post('/dashboard/rules', rule)).toMatchObject({ status: 303 })
  const list = await member.get('/dashboard/rules')
  expect(withoutOwnScript(list.raw)).not.toContain('<script')
  expect(list.text).toContain('<td>stale</td><td>1 minute 30 seconds</td><td>all checks</td>')
  expect(list.text).toContain('no channels, mail to every user')
  const path = `/dashboard/rules/${ruleId.exec(list.text)?.[1]}`
  const form = await member.get(path)
  expect(form.text).toContain('value="stale" checked>')
  expect(form.text).not.toContain('value="down" checked>')
  const { enabled: _, ...off } = rule
  expect(await member.post(path, { ...off, name: 'quiet' })).toMatchObject({ status: 303 })
  expect((await member.get('/dashboard/rules')).text).toContain('quiet</bdi></a></th><td>off</td>')
  expect((await member.get(`${path}/delete`)).text).toContain('only alert rule')
  expect(await member.post(`${path}/delete`)).toMatchObject({ status: 303 })
  expect((await member.get('/dashboard/rules')).text).not.toContain('quiet')
})

test.each([
  ['name', { name: ' ' }],
  ['statuses', { statuses: 'asleep' }],
  ['afterSeconds', { afterSeconds: '' }],
  ['afterSeconds', { afterSeconds: '86401' }],
  ['channelIds', { channelIds: 'x' }],
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
    const ids = await manyChecks(member.accountId, many)
    const fresh = await member.get('/dashboard/rules/new')
    expect(boxesIn(fresh.text)).toHaveLength(boxesMax)
    expect(fresh.text).toContain(`${many - boxesMax} more have none`)
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
    await manyChecks(member.accountId, 3)
    const { text } = await member.get('/dashboard/rules/new')
    expect(boxesIn(text)).toHaveLength(3)
    expect(text).not.toContain('role="search"')
  })
})

test('a ticked check has its box whatever is sought, and no check has two', () => {
  const name = fc.string({ maxLength: 3 })
  fc.assert(
    fc.property(
      fc.array(fc.record({ name, isTicked: fc.boolean() }), { maxLength: 80 }),
      name,
      (all, text) => {
        const checks = all.map(({ name }, index) => ({
          id: String(index),
          name,
          type: 'http' as const,
          url: null,
          target: null,
        }))
        const ticked = new Set(
          checks.filter((_, index) => all[index]?.isTicked).map(({ id }) => id),
        )
        const { choices, left } = checkBoxes(checks, { text, ticked })
        const shown = choices.map(({ value }) => value)
        expect(new Set(shown).size).toBe(shown.length)
        expect(shown.slice(0, ticked.size).toSorted()).toEqual([...ticked].toSorted())
        const sought = text.trim().toLowerCase()
        const matching = checks.filter(
          ({ id, name }) => !ticked.has(id) && name.toLowerCase().includes(sought),
        )
        expect(shown.length - ticked.size + left).toBe(matching.length)
        expect(shown.length - ticked.size).toBe(Math.min(boxesMax, matching.length))
      },
    ),
  )
})

/** Checks named `check 0` and so on. @returns their ids in that order */
const manyChecks = async (accountId: string, count: number): Promise<string[]> => {
  const { checkId } = await insertTestHeartbeat(web.at.sql, { accountId })
  const rows = await web.at.sql<{ id: string; name: string }[]>`
    with made as (
      insert into checks
      select (jsonb_populate_record(checks, jsonb_build_object(
        'id', gen_random_uuid(), 'name', 'check ' || n))).*
      from checks, generate_series(1, ${count - 1}) as n where id = ${checkId}
      returning id, name
    ), states as (
      insert into check_states
      select (jsonb_populate_record(check_states, jsonb_build_object('check_id', made.id))).*
      from check_states, made where check_states.check_id = ${checkId}
    )
    select id, name from made`
  await web.at.sql`update checks set name = 'check 0' where id = ${checkId}`
  const number = ({ name }: { name: string }): number => Number(name.slice(6))
  return [checkId, ...rows.toSorted((a, b) => number(a) - number(b)).map(({ id }) => id)]
}

const boxesIn = (text: string) =>
  [...text.matchAll(/name="checkIds" value="([^"]+)"( checked)?/g)].map(([, id, ticked]) => ({
    id,
    isTicked: ticked !== undefined,
  }))
