import { beforeAll, describe, expect, test } from 'vitest'
import { createWeb } from '../web.ts'
import { origin, startTestWeb, type TestWeb } from '../testing/test-web.ts'
import { asMarkdown } from '../pages/as-markdown.ts'

let web: TestWeb
beforeAll(async () => {
  // also served by the listening app, with its error handling
  const apiUrl = `${origin}/v1`
  web = await startTestWeb({
    serve: (app) => {
      void app.register(createWeb({ inject: (request) => app.inject(request), apiUrl, mcpUrl: null }))
    },
  })
})

const people = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const hostile = '%22%3E%3Cscript%3Ealert(1)%3C/script%3E'

test.each(['/nothing-here', '/dashboard/nothing', '/dashboardx', `/${hostile}`, '/assets/x.css'])(
  '%s is a page with a way on for people',
  async (path) => {
    const shown = await web.visitor().get(path, people)
    expect(shown.status).toBe(404)
    expect(shown.headers['content-type']).toContain('text/html')
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'")
    expect(shown.text).toContain('href="/dashboard"')
    expect(shown.text).toContain('<form class="find" role="search" method="get" action="/services"')
    expect(shown.text).not.toContain('SV-')
    expect(shown.raw).not.toContain('alert(1)')
  },
)

test('a logged-in member keeps the navigation', async () => {
  const shown = await (await web.member()).get('/dashboard/nothing', people)
  expect(shown.status).toBe(404)
  expect(shown.text).toContain('aria-label="Dashboard"')
})

test.each([
  ['text/plain', 'x'],
  // with files, but without the closing boundary
  ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
  ['multipart/form-data', 'no boundary'],
])('a form that cannot be read is refused by a page: %s', async (type, payload) => {
  const answer = await web.at.app.inject({
    method: 'POST',
    url: '/login',
    headers: { ...people, origin, host: '127.0.0.1:8080', 'content-type': type },
    payload,
  })
  expect(answer.statusCode).toBe(415)
  expect(answer.headers['content-type']).toContain('text/html')
  expect(answer.body).toContain('href="/dashboard"')
})

test.each([asMarkdown('/stacks/nope'), asMarkdown('/status/nobody-has-this')])(
  'what %s refuses is Markdown, as it would have been',
  async (path) => {
    const shown = await web.visitor().get(path, people)
    expect(shown.status).toBe(404)
    expect(shown.headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    expect(shown.raw).toMatch(/^# Not found\n\n[^]*\n\nSV-3001\n$/)
  },
)

test('the listening app serves the same page', async () => {
  const answer = await web.at.app.inject({ method: 'GET', url: '/nothing', headers: people })
  expect(answer).toMatchObject({ statusCode: 404 })
  expect(answer.headers['content-type']).toContain('text/html')
  const problem = await web.at.call('GET', '/nothing')
  expect(problem).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
})

test('a problem of a field is shown once, at the field, without a code', async () => {
  const { text } = await web.visitor().post('/login')
  expect(text.match(/must not be empty/g)).toHaveLength(2)
  expect(text).toContain('id="field-email-problem"')
  expect(text).not.toContain('SV-')
})

test('one address answers people with pages and programs with JSON', async () => {
  const path = '/status/nobody-has-this/subscribers'
  const email = 'x@example.org'
  const form = await web.at.app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' },
    payload: new URLSearchParams({ email }).toString(),
  })
  expect([form.statusCode, form.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  const program = await web.at.call('POST', path, { body: { email } })
  expect(program).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
  const other = await web.at.call('POST', path, {
    headers: { 'content-type': 'text/x' },
    body: 'x',
  })
  expect(other).toMatchObject({ status: 400, json: { code: 'SV-2001' } })
})

describe('programs get the usual problem', () => {
  test.each([
    ['/nothing-here', { accept: '*/*' }],
    ['/nothing-here', { accept: 'application/json' }],
    ['/v1/nothing', people],
    ['/dashboard-api/nothing', people],
    ['/ping/nothing/x/y', people],
  ])('%s asked with %o', async (path, headers) => {
    const shown = await web.visitor().get(path, headers)
    expect(shown.status).toBe(404)
    expect(shown.headers['content-type']).not.toContain('text/html')
  })
})
