import { randomBytes } from 'node:crypto'
import { dashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { toolsOf } from '@probe-mesh/contracts/api/tools'
import {
  dashboardExamples,
  sendAsUser,
  type DashboardWorld,
} from '@probe-mesh/control-plane/src/app/testing/dashboard-examples'
import { loggedIn } from '@probe-mesh/control-plane/src/app/testing/log-in'
import { missing } from '@probe-mesh/control-plane/src/app/testing/pages'
import { exampleCall, sendCall } from '@probe-mesh/control-plane/src/app/testing/route-examples'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { insertTestErrorProject } from '@probe-mesh/control-plane/src/stores/postgres/testing'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test, vi } from 'vitest'
import { errorAlertRoutes } from './contracts/error-alert-routes.ts'
import { errorDashboardRoutes } from './contracts/error-dashboard-routes.ts'
import { errorRoutes } from './contracts/error-routes.ts'

const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { errorTracking: 'off' } }))
const account = useOnce(() => at.account('scale'))
/** The refusal comes before anything is looked for. */
const world = new Proxy({} as DashboardWorld, { get: () => missing })
const off = {
  status: 403,
  json: { code: 'SV-3008', message: expect.stringContaining('ERROR_TRACKING=on') as unknown },
}

type RestName = keyof typeof errorRoutes
test.for(Object.keys(errorRoutes) as RestName[])('%s answers SV-3008', async (name) => {
  expect(await sendCall(at, name, exampleCall(name, world), { key: account.readKey })).toMatchObject(off)
})

test('every other read answers as before', async () => {
  const { readKey: key } = account
  for (const path of ['/v1/checks', '/v1/me', '/v1/status-pages', '/v1/incidents', '/readyz']) {
    expect([path, (await at.call('GET', path, { key })).status]).toEqual([path, 200])
  }
})

type OwnName = keyof typeof errorDashboardRoutes | keyof typeof errorAlertRoutes
const ownNames = Object.keys({ ...errorDashboardRoutes, ...errorAlertRoutes }) as OwnName[]
const user = useOnce(() => loggedIn(at))
test.for(ownNames)('%s of the dashboard answers SV-3008', async (name) => {
  const call = dashboardExamples[name](world)
  expect(await sendAsUser(at, user, dashboardRoutes[name], call)).toMatchObject(off)
})

test('the tools stay listed', () => {
  const names = toolsOf.mcp.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['list_error_projects', 'list_error_issues', 'get_error_issue']),
  )
})

test('events are refused so that an SDK drops them, and none reaches the stream', async () => {
  const projectId = await insertTestErrorProject(at.sql, account.id)
  const [row] = await at.sql<{ number: string; key: string }[]>`
    select number, public_key as key from error_projects p join error_keys k on k.project_id = p.id
    where p.id = ${projectId}`
  const event = JSON.stringify({ event_id: randomBytes(16).toString('hex'), message: 'it broke' })
  const publish = vi.spyOn(at.bus.errors, 'publish')
  for (const [kind, body] of [
    ['store', event],
    ['envelope', `{}\n{"type":"event"}\n${event}`],
    // larger than any accepted body
    ['envelope', 'x'.repeat(30 * 1024 * 1024)],
  ] as const) {
    const path = `/api/${row?.number}/${kind}/?sentry_key=${row?.key}`
    const answer = await at.call('POST', path, { body, headers: { 'content-type': 'text/plain' } })
    expect([403, 413]).toContain(answer.status)
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*' })
    expect(answer.headers['retry-after']).toBeUndefined()
    if (answer.status === 403) expect(answer.headers['x-sentry-error']).toContain('Error tracking is off')
  }
  expect(publish).not.toHaveBeenCalled()
})

test('an upload of source maps is refused after its key was checked', async () => {
  const path = '/api/0/organizations/any/chunk-upload/'
  expect((await at.call('GET', path, {})).json).toMatchObject({ code: 'SV-1001' })
  expect(await at.call('GET', path, { key: account.writeKey })).toMatchObject(off)
})
