import { expect, test } from 'vitest'
import { mainOf } from '../../testing/flat.ts'
import { useTestWeb } from '../../testing/test-web.ts'

const nasty = '<script>"&'

const web = useTestWeb({ config: { budgetScale: 100 } })

const owner = async () => {
  const member = await web.member()
  const key = await member.writeKey()
  const body = { name: nasty, url: 'https://example.org/', regions: ['fra', 'nrt'] }
  const { json } = await web.at.call('POST', '/v1/checks', { key, body })
  const read = async () => (await web.at.call('GET', `/v1/checks/${json.id}`, { key })).json
  return { ...member, read, path: `/dashboard/checks/${String(json.id)}` }
}

test('a run without an agent shows that regions did not answer, not that the check is down', async () => {
  const { post, get, path } = await owner()
  expect(await post(`${path}/run`)).toMatchObject({ status: 303, to: `${path}#regions` })
  const { text } = await get(path)
  expect(text).toContain('Some agents did not answer in time')
  expect(mainOf(text)).not.toContain('>Down<')
  expect(text).not.toContain('<script>')
  expect(await get(`${path}/run`)).toMatchObject({ status: 303, to: path })
})

test('a check is deleted after a confirmation page that lists what is lost', async () => {
  const { post, get, path } = await owner()
  const asked = await get(`${path}/delete`)
  expect(asked.text).toContain('its readings, history and uptime')
  expect(asked.text).toContain('its component on every status page')
  expect(asked.text).not.toContain('<script>')
  expect(await get(path)).toMatchObject({ status: 200 })
  expect(await post(`${path}/delete`)).toMatchObject({ status: 303, to: '/dashboard/checks' })
  expect((await get('/dashboard/checks')).text).toContain('Check deleted.')
  expect(await get(path)).toMatchObject({ status: 404 })
  expect(await post(`${path}/delete`)).toMatchObject({ status: 404 })
})

test('another account can neither run nor delete it', async () => {
  const { path, get } = await owner()
  const stranger = await web.member()
  for (const act of ['run', 'delete']) {
    expect(await stranger.post(`${path}/${act}`)).toMatchObject({ status: 404 })
  }
  expect(await get(path)).toMatchObject({ status: 200 })
})
