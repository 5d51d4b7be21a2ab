import { afterAll, expect, test } from 'vitest'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb()
afterAll(() => web?.close())

const fields = {
  url: 'https://api.example.org/orders',
  intervalSeconds: '60',
  regions: 'fra',
  'request.method': 'POST',
  'request.headers': 'X-Api-Key: key-of-the-shop\r\nAccept: application/json',
  'request.body': '{"ping":true}',
  'request.contentType': 'application/json',
  'request.auth.type': 'basic',
  'request.auth.username': 'probe',
  'request.auth.password': 'pass-of-the-shop',
  'request.latencyMsMax': '900',
  act: 'save',
}

test('a check with a request is created, shown with references and edited, without a script', async () => {
  const member = await web.member()
  expect((await member.get('/dashboard/checks/new')).text).toMatch(/<details\s*>\s*<summary>Credentials/)
  const { status, to } = await member.post('/dashboard/checks/new/http', fields)
  expect(status).toBe(303)
  const [edit, shown, secrets] = [
    (await member.get(`${to}/edit`)).text,
    (await member.get(to ?? '')).text,
    (await member.get('/dashboard/secrets')).text,
  ]
  expect(shown).toContain('POST with the headers X-Api-Key, Accept, a body, a user name and a password')
  expect(shown).toContain('api_example_org_password, api_example_org_x_api_key')
  expect(edit).toContain('X-Api-Key: {{ secret.api_example_org_x_api_key }}')
  expect(edit).toContain('value="{{ secret.api_example_org_password }}"')
  expect(edit).toMatch(/<details open\s*>\s*<summary>Credentials/)
  expect(secrets).toContain('api_example_org_password')
  for (const page of [edit, shown, secrets]) expect(page).not.toMatch(/(key|pass)-of-the-shop/)
  const plain = { ...fields, 'request.method': '', 'request.headers': '', 'request.body': '' }
  const emptied = { 'request.auth.type': '', 'request.auth.username': '', 'request.auth.password': '' }
  const none = { 'request.contentType': '', 'request.latencyMsMax': '' }
  expect(await member.post(`${to}/edit`, { ...plain, ...emptied, ...none })).toMatchObject({ status: 303 })
  expect((await web.at.sql`select config from checks`)[0]).toEqual({ config: { type: 'http' } })
})

test('problems of a request stand beside their fields, whose section is open', async () => {
  const member = await web.member()
  const wrong = { ...fields, url: 'http://api.example.org/', 'request.httpVersion': '2' }
  const { status, text } = await member.post('/dashboard/checks/new/http', {
    ...wrong,
    'request.headers': 'x-token: {{ secret.unknown }}',
  })
  expect(status).toBe(422)
  expect(text).toContain('there is no secret with the name unknown; create it first')
  expect(text).toContain('id="field-request-headers-problem"')
  expect(text).toContain('id="field-request-httpVersion-problem"')
  expect(text).toMatch(/<details open\s*>\s*<summary>Redirects, versions and limits/)
})

test('a step has the same fields, and its credentials become secrets', async () => {
  const member = await web.member()
  const { status, to } = await member.post('/dashboard/checks/new/multistep', {
    name: 'shop',
    intervalSeconds: '60',
    regions: 'fra',
    'steps[0].name': 'orders',
    'steps[0].method': 'GET',
    'steps[0].url': 'https://api.example.org/orders',
    'steps[0].options.auth.type': 'bearer',
    'steps[0].options.auth.token': 'token-of-the-shop',
    act: 'save',
  })
  expect(status).toBe(303)
  const edit = (await member.get(`${to}/edit`)).text
  expect(edit).toContain('value="{{ secret.api_example_org_token }}"')
  expect(edit).not.toContain('token-of-the-shop')
})
