import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useTestWeb } from '@probe-mesh/web/src/testing/test-web'
import { expect, test } from 'vitest'

const store = useTestClickHouse()
const web = useTestWeb(() => ({ clickhouseUrl: store.url, config: { errorTracking: 'off' } }))

const unknown = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'

test('while error tracking is off its pages say so, and every other page answers as before', async () => {
  const member = await web.member()
  const key = await member.writeKey()
  const body = { name: 'web', url: 'https://example.org/' }
  const { id: checkId } = (await web.at.call('POST', '/v1/checks', { key, body })).json
  const paths = web.served
    .filter((route) => route.startsWith('GET /dashboard'))
    .map((route) => route.slice('GET '.length).replace('/checks/:id', `/checks/${checkId}`))
  const ofErrors = paths.filter((path) => /errors/.test(path)).map((path) => path.replace(/:\w+/g, unknown))
  const others = paths.filter((path) => !/errors|:/.test(path))
  expect(ofErrors.length).toBeGreaterThan(10)
  expect(others.length).toBeGreaterThan(30)
  const answers = (asked: readonly string[]) =>
    Promise.all(asked.map(async (path) => ({ path, ...(await member.get(path)) })))
  const broken = (await answers(others)).filter(
    ({ status, text }) => status >= 400 || text.includes('racking is off'),
  )
  expect(broken.map(({ path, status }) => `${path} ${status}`)).toEqual([])
  const silent = (await answers(ofErrors)).filter(({ text }) => !text.includes('Error tracking is off'))
  // an empty form, which is refused when it is sent, and a redirect to a page that says so
  expect(silent.map(({ path, status }) => `${path} ${status}`)).toEqual([
    '/dashboard/errors/new 200',
    `/dashboard/errors/${unknown}/issues 303`,
  ])
  const sent = await member.post('/dashboard/errors', { name: 'shop', platform: 'node' })
  expect(sent.text).toContain('Error tracking is off')
})
