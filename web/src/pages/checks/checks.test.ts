import { setStatus } from '@probe-mesh/control-plane/src/app/testing/pages'
import { insertTestHeartbeat } from '@probe-mesh/control-plane/src/heartbeats/testing-pings'
import { describe, expect, test } from 'vitest'
import { mainOf } from '../../testing/flat.ts'
import { manyChecks } from '../../testing/many-checks.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb({ config: { budgetScale: 100 } })

const owner = async () => {
  const member = await web.member()
  const key = await member.writeKey()
  const check = async (name: string): Promise<string> =>
    (await web.at.call('POST', '/v1/checks', { key, body: { name, url: 'https://example.org/' } })).json.id
  return { ...member, check }
}

test('an account without checks is offered its first check', async () => {
  const member = await web.member()
  expect((await member.get('/dashboard/checks')).text).toContain('No checks yet')
})

test('the list shows the worst first, counts by status, and finds by name', async () => {
  const { get, check } = await owner()
  await check('alpha')
  const down = await check('<beta>')
  await setStatus(web.at, down, 'down')
  const { text } = await get('/dashboard/checks')
  expect(text).toContain('>Down<span class="count">1</span></a>')
  expect(text).toContain('>Unknown<span class="count">1</span></a>')
  expect(text.indexOf('&lt;beta&gt;')).toBeLessThan(text.indexOf('alpha'))
  const found = await get('/dashboard/checks?q=BET')
  expect(found.text).toContain('&lt;beta&gt;')
  expect(found.text).not.toContain('alpha')
  const none = await get('/dashboard/checks?q=%22%3E%3Cscript%3E')
  expect(none.text).toContain('No check matches')
  expect(none.text).not.toContain('<script>')
})

test('the list filters by status and type, keeps the filter, and shows the number of matches', async () => {
  const { get, check, accountId } = await owner()
  const ids = await Promise.all(['alpha', 'beta', 'gamma'].map(check))
  await insertTestHeartbeat(web.at.sql, { accountId })
  await setStatus(web.at, ids[0] ?? '', 'down')
  await setStatus(web.at, ids[1] ?? '', 'down')
  const chip = (text: string, count: number) => `>${text}<span class="count">${count}</span></a>`
  const whole = await get('/dashboard/checks')
  expect(whole.text).toContain('1 to 4 of 4 checks')
  expect(whole.text).toContain(`aria-current="true"${chip('All', 4)}`)
  expect(whole.text).toContain(`<a href="/dashboard/checks?status=down"${chip('Down', 2)}`)
  expect(whole.text).not.toContain('>Stale<span')

  const down = await get('/dashboard/checks?status=down')
  expect(down.text).toContain('1 to 2 of 2 checks')
  expect(down.text).toContain(`aria-current="true"${chip('Down', 2)}`)
  expect(down.text).toContain('<input type="hidden" name="status" value="down">')
  expect(down.text).not.toContain('gamma')

  const both = await get('/dashboard/checks?q=a&type=http&status=unknown')
  expect(both.text).toContain('1 to 1 of 1 checks')
  expect(both.text).toContain('<option value="http" selected>')
  expect(both.text).toContain(`href="/dashboard/checks?q=a&amp;status=down&amp;type=http"${chip('Down', 2)}`)
  expect(mainOf(both.raw)).toContain('gamma')

  const none = await get('/dashboard/checks?status=paused&type=dns&q=x')
  expect(none.text).toContain('No check matches')
  expect(none.text).toContain('<a href="/dashboard/checks">Show all checks</a>')
  // an unknown status is no filter
  expect((await get('/dashboard/checks?status=fine&type=%22')).text).toContain('of 4 checks')
})

test('the next page of a filtered list is filtered too', async () => {
  const { get, accountId } = await owner()
  await manyChecks(web, accountId, 101)
  const { text } = await get('/dashboard/checks?type=heartbeat&q=check')
  expect(text).toContain('1 to 100 of 101 checks')
  expect(text).toContain('<a href="/dashboard/checks?q=check&amp;type=heartbeat&amp;page=2">')
  const last = await get('/dashboard/checks?type=heartbeat&q=check&page=2')
  expect(last.text).toContain('101 to 101 of 101 checks')
})

test('without ClickHouse the list has statuses and says that latencies are missing', async () => {
  const { get, check } = await owner()
  await setStatus(web.at, await check('web'), 'operational')
  const { status, text } = await get('/dashboard/checks')
  expect(status).toBe(200)
  expect(text).toContain('<strong class="tag good">Operational</strong>')
  expect(text).toContain('history is delayed, so latencies are missing')
})

test('a row has the state of each region, a bar of 48 slots, figures and an age', async () => {
  const { get, check } = await owner()
  const id = await check('<alpha>')
  await setStatus(web.at, id, 'down')
  const { text } = await get('/dashboard/checks')
  const row = /<tr class="is-down">.*?<\/tr>/s.exec(text)?.[0] ?? ''
  expect(row).toContain(`<a href="/dashboard/checks/${id}"><bdi>&lt;alpha&gt;</bdi></a>`)
  expect(row).toContain('<strong class="tag bad">Down</strong>')
  expect(row).toMatch(/aria-label="iad \w+, sjc \w+, fra \w+, nrt \w+"/)
  expect(row).toMatch(/<title>Half hours of the last day: .*<\/title>/)
  expect(row.match(/ 18h3v2h-3z/g)?.length).toBeGreaterThanOrEqual(47)
  expect(row).toContain('<td class="number uptime">')
})

describe('actions from the list', () => {
  const two = async () => {
    const member = await owner()
    const ids = [await member.check('alpha'), await member.check('beta')]
    const form = (act: string, more: Record<string, string> = {}): [string, string][] => [
      ...ids.map((id): [string, string] => ['id', id]),
      ['act', act],
      ...Object.entries(more),
    ]
    return { ...member, ids, form }
  }

  test('pause and resume the ticked checks and confirm it once', async () => {
    const { get, post, form } = await two()
    expect(await post('/dashboard/checks/bulk', form('pause'))).toMatchObject({
      status: 303,
      to: '/dashboard/checks',
    })
    const shown = await get('/dashboard/checks')
    expect(shown.text).toContain('Checks changed.')
    expect(shown.text.match(/<strong class="tag silent">Paused/g)).toHaveLength(2)
    expect((await get('/dashboard/checks')).text).not.toContain('Checks changed.')
    await post('/dashboard/checks/bulk', form('resume'))
    expect((await get('/dashboard/checks')).text).not.toContain('<strong class="tag silent">Paused')
  })

  test('ask before they delete, and name the checks', async () => {
    const { get, post, form } = await two()
    const asked = await post('/dashboard/checks/bulk', form('delete'))
    expect(asked.status).toBe(200)
    expect(asked.text).toContain('This cannot be undone.')
    for (const name of ['alpha', 'beta']) expect(asked.text).toContain(`<bdi>${name}</bdi>`)
    expect((await get('/dashboard/checks')).text).toContain('1 to 2 of 2 checks')
    expect(await post('/dashboard/checks/bulk', form('delete', { sure: 'yes' }))).toMatchObject({
      status: 303,
    })
    expect((await get('/dashboard/checks')).text).toContain('No checks yet')
  })

  test('tag the ticked checks, and show the form again for a refused tag', async () => {
    const { get, post, form } = await two()
    const refused = await post('/dashboard/checks/bulk', form('add_tag', { sure: 'yes', tag: 'a,b' }))
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('id="field-tag-problem"')
    await post('/dashboard/checks/bulk', form('add_tag', { sure: 'yes', tag: 'R&D' }))
    expect((await get('/dashboard/checks')).text.match(/<bdi>R&amp;D<\/bdi>/g)).toHaveLength(2)
  })

  test('publish the ticked checks on a page, and name the unchanged ones', async () => {
    const { post, form, ids } = await two()
    const [open = '', hidden = ''] = ids
    await web.at.sql`update checks set private = true where id = ${hidden}`
    const asked = await post('/dashboard/checks/bulk', form('publish'))
    const page = /<option value="([^"]+)"/.exec(asked.raw)?.[1] ?? ''
    const sure = form('publish', { sure: 'yes', statusPageId: page })
    const result = await post('/dashboard/checks/bulk', sure)
    expect(result.text).toContain('1 changed. 1 stayed as they were:')
    expect(result.text).toContain(`href="/dashboard/checks/${hidden}"`)
    expect(result.text).not.toContain(`href="/dashboard/checks/${open}"`)
    // an already published check needs no message
    await web.at.sql`update checks set private = false where id = ${hidden}`
    for (const _ of ['the second check', 'nothing']) {
      expect(await post('/dashboard/checks/bulk', sure)).toMatchObject({ status: 303 })
    }
  })

  test('redirect to nothing outside the list', async () => {
    const { post, form } = await two()
    for (const back of [
      'https://example.org/',
      '//example.org',
      '/dashboard/account',
      '/dashboard/checksum',
    ]) {
      expect(await post('/dashboard/checks/bulk', form('pause', { back }))).toMatchObject({
        to: '/dashboard/checks',
      })
    }
    const filtered = '/dashboard/checks?status=down'
    expect(await post('/dashboard/checks/bulk', form('pause', { back: filtered }))).toMatchObject({
      to: filtered,
    })
  })
})

test('one check is paused with a way to undo it, and cloned into a form', async () => {
  const { get, post, check } = await owner()
  const path = `/dashboard/checks/${await check('web')}`
  expect(await post(`${path}/pause`)).toMatchObject({ status: 303, to: path })
  const paused = await get(path)
  expect(paused.text).toContain('Check paused.')
  expect(paused.text).toContain(
    `<form method="post" action="${path}/resume"><button type="submit">Undo</button></form>`,
  )
  expect(paused.text).toContain('<strong class="tag silent">Paused</strong>')
  await post(`${path}/resume`)
  expect((await get(path)).text).not.toContain('>Paused<')
  const { to } = await post(`${path}/clone`)
  expect((await get(String(to))).text).toContain('value="web copy"')
  const stranger = await web.member()
  for (const act of ['pause', 'resume', 'clone']) {
    expect(await stranger.post(`${path}/${act}`)).toMatchObject({ status: 404 })
  }
})

test('a new check has one uptime, since it was created, and none of times that it does not exist', async () => {
  const { get, check } = await owner()
  const id = await check('young')
  const text = (await get(`/dashboard/checks/${id}`)).text
  expect(text).toMatch(/Uptime, 24 hours<.*?since ?<time[^>]*>[^<]*<\/time>, 0s measured/s)
  expect(text.match(/<dd>-<\/dd><dd class="note">not so old yet/g)).toHaveLength(3)
})

test('a check shows its evidence by region', async () => {
  const { get, check } = await owner()
  const id = await check('web')
  await setStatus(web.at, id, 'operational')
  const { status, text } = await get(`/dashboard/checks/${id}`)
  expect(status).toBe(200)
  expect(text).toContain('<caption>Last reading of each region</caption>')
  expect(text).toContain('(all measured from this machine)')
})

test("another account's check is not found, and an invalid id is refused", async () => {
  const { check } = await owner()
  const id = await check('mine')
  const stranger = await web.member()
  expect(await stranger.get(`/dashboard/checks/${id}`)).toMatchObject({ status: 404 })
  expect(await stranger.get('/dashboard/checks/none')).toMatchObject({ status: 422 })
})
