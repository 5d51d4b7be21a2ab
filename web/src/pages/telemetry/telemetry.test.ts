import { afterAll, expect, test } from 'vitest'
import { useTestWeb } from '../../testing/test-web.ts'

const web = useTestWeb()
afterAll(() => web?.close())

const path = '/dashboard/opentelemetry'
const fields = { endpoint: 'https://otlp.example.com', headers: 'x-key: top-secret-1', metrics: 'on' }

test('the push is set up, shown without its secrets, changed and ended, without a script', async () => {
  const member = await web.member()
  expect((await member.get(path)).text).not.toContain('id="pushes"')
  expect(await member.post(path, fields)).toMatchObject({ status: 303, to: path })
  const page = (await member.get(path)).text
  for (const part of ['Stored: x-key.', 'value="https://otlp.example.com"', 'Not pushed yet', 'Off']) {
    expect(page).toContain(part)
  }
  expect(page).not.toContain('top-secret')
  await web.at.sql`
    update telemetry_pushes set failures = 2, last_error = 'HTTP 503', last_error_at = now(), dropped = 7
    where account_id = ${member.accountId} and signal = 'metrics'`
  expect((await member.get(path)).text).toMatch(/Failed 2 times.*HTTP 503.*7 dropped/)
  await web.at.sql`
    update telemetry_pushes set failures = 0, last_success_at = last_error_at
    where account_id = ${member.accountId} and signal = 'metrics'`
  expect((await member.get(path)).text).toContain('Working, see the last error')
  expect(page).toMatch(/value="json"\s+selected/)
  await member.post(path, { endpoint: fields.endpoint, traces: 'on', encoding: 'protobuf' })
  const changed = (await member.get(path)).text
  expect(changed).toContain('Stored: x-key.')
  expect(changed).toMatch(/value="protobuf"\s+selected/)
  expect(changed).toMatch(/name="traces"\s+checked/)
  await member.post(path, { endpoint: fields.endpoint, withoutHeaders: 'on' })
  expect((await member.get(path)).text).not.toContain('Stored: ')
  expect((await member.get(`${path}/delete`)).text).toContain('End the push')
  expect(await member.post(`${path}/delete`)).toMatchObject({ to: path })
  expect((await member.get(path)).text).not.toContain('id="pushes"')
})

test('everything wrong is said at once, and nothing is saved', async () => {
  const member = await web.member()
  const { status, text } = await member.post(path, {
    endpoint: 'otlp',
    headers: 'no colon',
    encoding: 'thrift',
  })
  expect(status).toBe(422)
  for (const field of ['endpoint', 'headers', 'encoding'])
    expect(text).toContain(`id="field-${field}-problem"`)
  await member.post(path, fields)
  const elsewhere = await member.post(path, { endpoint: 'https://elsewhere.example.com', metrics: 'on' })
  expect([elsewhere.status, elsewhere.text]).toEqual([
    422,
    expect.stringContaining('x-key was stored for another endpoint'),
  ])
  const unsafe = await member.post(path, { ...fields, endpoint: 'https://10.0.0.1' })
  expect(unsafe.text).toContain('the address is not public')
  expect((await member.get(path)).text).toContain('value="https://otlp.example.com"')
})
