import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { password } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { beforeAll, expect, test } from 'vitest'
import { startTestWeb, type TestWeb } from '../../testing/test-web.ts'

let web: TestWeb
beforeAll(async () => {
  const tiers = { ...tiersDefault, growth: { ...tiersDefault.growth, monitors: 123, rawDays: 45 } }
  web = await startTestWeb({ config: { tiers } })
})

const path = '/dashboard/account'

test('says what the account may, which tier is its own, and what each is on this server', async () => {
  const { text } = await (await web.member('growth')).get(path)
  expect(text).toContain('<dd>0 of 123</dd>')
  expect(text).toContain('<dt>Shortest interval</dt><dd>1 minute</dd>')
  expect(text).toContain('Growth (current)')
  expect(text).toContain('<td class="number">123</td>')
  expect(text).toContain('<td>45 days</td>')
  expect(text).toContain(`<td class="number">${tiersDefault.scale.monitors}</td>`)
})

test('a member sets the own name and zone, and the zone of channels', async () => {
  const member = await web.member()
  const first = await member.get(path, { cookie: 'zone=Asia/Tokyo' })
  // that of the browser is near the top
  expect(first.text).toMatch(
    /<select[^>]*name="timeZone"[^>]*><option value="UTC" selected>UTC<\/option><option value="Asia\/Tokyo"/,
  )
  const saved = await member.post(`${path}/profile`, { name: 'Ada', timeZone: 'Europe/Berlin' })
  expect(saved).toMatchObject({ status: 303, to: path })
  expect(await member.post(`${path}/settings`, { accountZone: 'Asia/Tokyo' })).toMatchObject({ status: 303 })
  const { text } = await member.get(path)
  expect(text).toContain('value="Ada"')
  expect(text).toMatch(/name="timeZone"[^>]*><option value="Europe\/Berlin" selected>/)
  expect(text).toMatch(/name="accountZone"[^>]*><option value="Asia\/Tokyo" selected>/)
  const wrong = await member.post(`${path}/profile`, { name: 'Ada', timeZone: 'Nowhere' })
  expect(wrong.status).toBe(422)
  expect(wrong.text).toContain('id="field-timeZone-problem"')
  expect(wrong.text).not.toContain('id="field-newPassword-problem"')
})

test('a session somewhere else is ended, and all others', async () => {
  const member = await web.member()
  const elsewhere = async () => {
    const visitor = web.visitor()
    await visitor.post('/login', { email: member.email, password })
    return visitor
  }
  const one = await elsewhere()
  const end = /\/dashboard\/account\/sessions\/[\w-]{36}\/end/.exec((await member.get(path)).text)
  expect(await member.post(String(end?.[0]))).toMatchObject({ status: 303, to: path })
  expect((await one.get(path)).status).toBe(303)
  const two = await elsewhere()
  expect(await member.post(`${path}/sessions/end-others`)).toMatchObject({ status: 303 })
  expect((await two.get(path)).status).toBe(303)
  expect((await member.get(path)).text).not.toContain('End all other sessions')
})

test('a wrong password is said beside its field and never sent back; a right one is changed', async () => {
  const member = await web.member()
  const next = 'another password of 12'
  const wrong = { currentPassword: 'not the one', newPassword: next }
  const refused = await member.post(`${path}/password`, wrong)
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('id="field-currentPassword-problem"')
  expect(refused.raw).not.toContain(next)
  const short = { currentPassword: password, newPassword: 'elevenchars' }
  const tooShort = await member.post(`${path}/password`, short)
  expect(tooShort.text).toContain('id="field-newPassword-problem"')
  const right = { currentPassword: password, newPassword: next }
  expect(await member.post(`${path}/password`, right)).toMatchObject({ status: 303, to: path })
  expect((await member.get(path)).text).toContain('Password changed.')
  const again = await web.visitor().post('/login', { email: member.email, password: next })
  expect(again.status).toBe(303)
})

test('a chosen theme is on every page of the dashboard, confirmed once, and on no page that a cache may keep', async () => {
  const member = await web.member()
  expect((await member.get(path)).text).toContain('<html lang="en">')
  const saved = await member.post(`${path}/theme`, { theme: 'dark' })
  expect(saved).toMatchObject({ status: 303, to: path })
  expect(String(saved.headers['set-cookie'])).toContain('Path=/dashboard; HttpOnly; SameSite=Lax')
  const account = await member.get(path)
  expect(account.text).toContain('<html lang="en" class="dark">')
  expect(account.text).toMatch(/role="status"><div class="toast">.*Theme saved for this browser\./)
  expect(account.text).toMatch(/value="dark" checked/)
  expect((await member.get('/dashboard/checks/new/nothing')).text).toContain('class="dark"')
  const [own, others] = [await member.get('/'), await web.visitor().get('/')]
  expect(own.headers['cache-control']).toContain('public')
  expect(own.raw).toBe(others.raw)
  await member.post(`${path}/theme`, { theme: 'system' })
  expect((await member.get(path)).text).toContain('<html lang="en">')
})

test('a theme that does not exist is refused beside its field, and the theme stays', async () => {
  const member = await web.member()
  await member.post(`${path}/theme`, { theme: 'light' })
  const wrong = await member.post(`${path}/theme`, { theme: 'pink"><script>' })
  expect(wrong.status).toBe(422)
  expect(wrong.text).toContain('id="field-theme-problem">must be one of system, light, dark<')
  expect(wrong.raw).not.toContain('pink')
  expect(wrong.text).toContain('<html lang="en" class="light">')
  const forged = await web.visitor().get('/login', { cookie: 'theme=pink' })
  expect(forged.text).toContain('<html lang="en">')
})

test('the audit log says who wrote what from where, escaped', async () => {
  const member = await web.member()
  await member.post('/dashboard/keys', { name: 'ci', scope: 'read' })
  const { status, text } = await member.get('/dashboard/audit')
  expect(status).toBe(200)
  expect(text).toMatch(new RegExp(`Created key</th>.*<bdi>${member.email}</bdi>`))
  const other = await web.member()
  expect((await other.get('/dashboard/audit')).text).not.toContain('Created key')
})
