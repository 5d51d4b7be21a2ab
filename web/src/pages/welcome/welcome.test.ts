import { describe, expect, test } from 'vitest'
import { newRegionState } from '@probe-mesh/control-plane/src/status/state'
import { hostile } from '../../testing/publisher.ts'
import { mainOf } from '../../testing/flat.ts'
import { useTestWeb, type TestWeb, type Visitor } from '../../testing/test-web.ts'

const web = useTestWeb()

const path = '/dashboard/welcome'

/** Inserts present readings for some regions of a check; the others have not measured yet. */
const see = async (at: TestWeb['at'], checkId: string, saw: Record<string, 'up' | 'down' | 'blocked'>) => {
  const regions = Object.fromEntries(
    Object.entries(saw).map(([region, verdict]) => [
      region,
      { ...newRegionState, verdict, measuredAt: at.now() },
    ]),
  )
  await at.sql`update check_states set regions = ${at.sql.json(regions as never)} where check_id = ${checkId}`
}

const made = async (visitor: Visitor, url = 'example.org') => {
  const { to } = await visitor.post(path, { url })
  const shown = String(to)
  return { shown, id: shown.split('check=')[1] ?? '' }
}

test('an account without checks starts with its first check; others see the overview', async () => {
  const member = await web.member('free')
  expect(await member.get('/dashboard')).toMatchObject({ status: 303, to: path })
  expect((await member.get(path)).text).toContain('name="url"')
  await made(member)
  const overview = await member.get('/dashboard')
  expect(overview.status).toBe(200)
  expect(overview.text).toContain('<h1>Overview</h1>')
  expect(await member.get(path)).toMatchObject({ status: 303, to: '/dashboard/checks' })
})

test('one field creates a check, and an invalid target is refused at the field', async () => {
  const member = await web.member('free')
  for (const url of ['', hostile, 'ftp://example.org', '10.0.0.1']) {
    const shown = await member.post(path, { url })
    expect(shown.status, url).toBe(422)
    expect(shown.raw).not.toContain('<script>alert')
    expect(shown.text, url).toContain('id="field-url-problem"')
  }
  const { shown } = await made(member)
  const page = await member.get(shown)
  expect(page).toMatchObject({ status: 200 })
  expect(page.text).toContain('<bdi class="code">https://example.org</bdi>')
})

describe('first readings', () => {
  test('are refreshed while they may still arrive, without a script too', async () => {
    const member = await web.member()
    const { shown, id } = await made(member)
    const before = await member.get(shown)
    expect(before.text).toContain('0 of 4 regions have measured it.')
    expect(mainOf(before.text)).not.toContain('class="tag good"')
    expect(before.raw).toContain('<noscript><meta http-equiv="refresh" content="3"')
    await see(web.at, id, { fra: 'up', iad: 'up' })
    const half = await member.get(shown)
    expect(half.text).toContain('2 of 4 regions have measured it, and it is up there.')
    expect(half.text).toContain('data-awaited="yes"')
    await see(web.at, id, { fra: 'up', iad: 'up', nrt: 'up', sjc: 'up' })
    const whole = await member.get(shown)
    expect(whole.text).toContain('All 4 regions have measured it: it is up.')
    expect(whole.text).toContain('all regions measured from this machine')
    expect(whole.text).not.toContain('data-awaited')
    expect(whole.raw).not.toContain('http-equiv')
  })

  test.each(['down', 'blocked'] as const)('that are %s are never said to be up', async (verdict) => {
    const member = await web.member()
    const { shown, id } = await made(member)
    await see(web.at, id, { fra: verdict, iad: 'up', nrt: 'up', sjc: 'up' })
    const { text } = await member.get(shown)
    expect(text).toContain('4 of 4 regions have measured it. The results and reasons are below.')
    expect(text).not.toContain('it is up')
  })

  test('are not visible to another account', async () => {
    const [one, other] = [await web.member(), await web.member()]
    const { shown } = await made(one)
    expect((await other.get(shown)).status).toBe(404)
  })
})
