import { newUser, password } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { expect, test } from 'vitest'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb()

test('who is not logged in is asked to, and comes back to the page that was asked for', async () => {
  const { email } = await newUser(web.at)
  const visitor = web.visitor()
  const away = await visitor.get('/dashboard/checks?q=web')
  expect(away).toMatchObject({ status: 303, to: '/login?next=%2Fdashboard%2Fchecks%3Fq%3Dweb' })
  const form = await visitor.get(String(away.to))
  expect(form).toMatchObject({ status: 200 })
  expect(form.text).toContain('name="next" value="/dashboard/checks?q=web"')
  const login = { email, password, next: '/dashboard/checks?q=web' }
  expect(await visitor.post('/login', login)).toMatchObject({ status: 303, to: login.next })
  expect(await visitor.get(login.next)).toMatchObject({ status: 200 })
  expect(await visitor.get('/login')).toMatchObject({ status: 303, to: '/dashboard' })
})

test('a wrong password is said, the address is kept, and the password is not', async () => {
  const { email } = await newUser(web.at)
  const typed = { email, password: 'not the one' }
  const shown = await web.visitor().post('/login', typed)
  expect(shown.status).toBe(401)
  expect(shown.text).toContain('role="alert"')
  expect(shown.text).toContain(`value="${email}"`)
  expect(shown.text).not.toContain(typed.password)
  expect(shown.headers['set-cookie']).toBeUndefined()
})

test('every empty field is said at once', async () => {
  const { status, text } = await web.visitor().post('/login')
  expect(status).toBe(422)
  expect(text).toContain('id="field-email-problem"')
  expect(text).toContain('id="field-password-problem"')
})

test('a login that another site sends is refused', async () => {
  const { email } = await newUser(web.at)
  const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const shown = await web.visitor().post('/login', { email, password }, elsewhere)
  expect(shown.status).toBe(403)
  expect(shown.headers['set-cookie']).toBeUndefined()
})

test('a link is promised to any address, and says nothing of who has an account', async () => {
  const { email } = await newUser(web.at)
  const [known, unknown] = [
    await web.visitor().post('/login/links', { email }),
    await web.visitor().post('/login/links', { email: 'nobody@example.org' }),
  ]
  expect([known.status, known.to]).toEqual([303, '/login/sent'])
  expect([unknown.status, unknown.to, unknown.raw]).toEqual([known.status, known.to, known.raw])
  expect((await web.visitor().get('/login/sent')).text).toContain('If an account has this address')
})

test('who logs out is a stranger again, and may do it twice', async () => {
  const member = await web.member()
  expect(await member.post('/logout')).toMatchObject({ status: 303, to: '/login' })
  expect(await member.get('/dashboard/keys')).toMatchObject({ status: 303 })
  expect(await member.post('/logout')).toMatchObject({ status: 303, to: '/login' })
})
