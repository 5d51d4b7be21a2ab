import { textOf } from '@probe-mesh/runtime/html'
import { expect, test } from 'vitest'
import { useTestWeb } from '../../testing/test-web.ts'
import { formIn } from '../../testing/form-in.ts'
import { pauseEndIn, pauseNotice } from './pause-end.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })

const owner = async () => {
  const member = await web.member()
  const key = await member.writeKey()
  const check = async (name: string): Promise<string> =>
    (await web.at.call('POST', '/v1/checks', { key, body: { name, url: 'https://example.org/' } })).json.id
  return { ...member, check }
}
const berlin = { cookie: 'zone=Europe/Berlin' }

test('a check is paused until a chosen end from its page, which says until when, and resumed before it', async () => {
  const { get, post, check } = await owner()
  const path = `/dashboard/checks/${await check('<shop>')}`
  expect((await get(path)).text).toContain(`href="${path}/pause"`)
  const shown = await get(`${path}/pause`, berlin)
  expect(shown.text).toContain('until tomorrow 09:00 (Europe/Berlin)')
  const form = formIn(shown.raw).filter(([name]) => name !== 'for')
  const posted = await post(
    '/dashboard/checks/bulk',
    [...form, ['for', 'tomorrow'], ['act', 'pause_until']],
    berlin,
  )
  expect(posted).toMatchObject({ status: 303, to: path })
  const paused = await get(path, berlin)
  expect(paused.text).toMatch(/Paused until<time [^>]*>[^<]*, 09:00 \(Europe\/Berlin\)<\/time>/)
  expect(paused.text).toContain('Change end of pause')
  await post(`${path}/resume`)
  expect((await get(path)).text).not.toContain('Paused until')
  await post(`${path}/pause`)
  expect((await get(path)).text).not.toContain('Paused until')
})

test('ticked checks are paused until a typed time, and a wrong one is shown at its field', async () => {
  const { get, post, check } = await owner()
  const ids = [await check('alpha'), await check('beta')]
  const ticked = ids.map((id): [string, string] => ['id', id])
  const asked = await post('/dashboard/checks/bulk', [...ticked, ['act', 'pause_until']])
  expect(asked.text).toContain('alpha')
  const send = (until: string, choice = '60') =>
    post('/dashboard/checks/bulk', [
      ...ticked,
      ['act', 'pause_until'],
      ['sure', 'yes'],
      ['for', choice],
      ['until', until],
    ])
  for (const [until, choice] of [
    ['2020-01-01T09:00', '60'],
    ['2099-01-01T09:00', '60'],
    ['soon', '60'],
    ['', 'ever'],
  ] as const) {
    const refused = await send(until, choice)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('id="field-until-problem"')
    expect(formIn(refused.raw)).toContainEqual(['until', until])
  }
  expect((await get('/dashboard/checks?status=paused')).text).toContain('No check matches')
  const end = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  expect(await send(end)).toMatchObject({ status: 303, to: '/dashboard/checks' })
  for (const id of ids) {
    expect((await get(`/dashboard/checks/${id}`)).text).toContain(
      `Paused until<time datetime="${end}:00.000Z"`,
    )
  }
})

test('the page of a stranger and an address outside of the dashboard lead nowhere', async () => {
  const [{ post, check }, stranger] = [await owner(), await owner()]
  const id = await check('alpha')
  expect((await stranger.get(`/dashboard/checks/${id}/pause`)).status).toBe(404)
  const form = {
    id,
    act: 'pause_until',
    sure: 'yes',
    for: '60',
    back: `//evil.example/dashboard/checks/${id}`,
  }
  expect(await post('/dashboard/checks/bulk', form)).toMatchObject({ to: '/dashboard/checks' })
})

test('a typed time counts before the choice, in the zone of the member', () => {
  const at = { nowMs: Date.parse('2026-03-28T20:30:00Z'), zone: 'Europe/Berlin' }
  expect(pauseEndIn({ for: '60', until: '2026-04-01T09:00' }, at)).toBe('2026-04-01T07:00:00.000Z')
  expect(pauseEndIn({ for: '240', until: ' ' }, at)).toBe('2026-03-29T00:30:00.000Z')
  expect(pauseEndIn({ for: 'tomorrow' }, at)).toBe('2026-03-29T07:00:00.000Z')
  expect(pauseEndIn({}, at)).toBe('')
})

test('a check that could not be resumed at its end says so', () => {
  const until = '2026-11-28T09:00:00.000Z'
  const textAt = (nowMs: number): string =>
    textOf(pauseNotice({ ok: true, value: { paused: true, until } }, { id: 'x', nowMs, zone: 'UTC' }))
  expect(textAt(Date.parse(until) - 1)).toContain('It then resumes by itself')
  expect(textAt(Date.parse(until) + 60_000)).toContain('could not be resumed')
})
