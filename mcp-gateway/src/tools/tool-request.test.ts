import { toolsOf } from '@probe-mesh/contracts/api/tools'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { inputSchemaOf } from './tool-list.ts'
import { toolRequest } from './tool-request.ts'

const id = '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70'
const toolNamed = (name: string) => {
  const tool = toolsOf.mcp.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}
const requestOf = (name: string, args: Record<string, unknown>) => toolRequest(toolNamed(name), '', args)

test.each([
  ['is_service_down', { service: 'GitHub' }, 'GET /services/GitHub/status'],
  ['is_service_down', { service: 'a b/../c?d#é' }, 'GET /services/a%20b%2F..%2Fc%3Fd%23%C3%A9/status'],
  ['is_service_down', { service: 'x', region: 'fra' }, 'GET /services/x/status?region=fra'],
  ['get_stack', { stack: 'web-shop' }, 'GET /stacks/web-shop'],
  ['internet_weather', {}, 'GET /weather'],
  ['get_check_status', { checkId: id }, `GET /checks/${id}`],
  ['list_heartbeat_runs', { checkId: id, limit: 5 }, `GET /checks/${id}/runs?limit=5`],
  ['list_incidents', { limit: 501 }, 'GET /incidents?limit=501'],
  ['get_active_maintenance_window', { statusPageId: id }, `GET /maintenance?statusPageId=${id}`],
  ['end_maintenance_window', { windowId: id }, `DELETE /maintenance/${id}`],
])('%s %j is %s', (name, args, line) => {
  const request = requestOf(name, args)
  if (isRefusal(request)) throw new Error(request.message)
  expect(`${request.method} ${request.path}`).toBe(line)
  expect(request.body).toBeNull()
})

test('sends all arguments outside the path unchanged in the body', () => {
  const args = { checkId: id, regions: ['fra'], unknown: { deep: [null, '\u001b'] } }
  expect(requestOf('update_check_regions', args)).toEqual({
    method: 'PATCH',
    path: `/checks/${id}`,
    body: JSON.stringify({ regions: ['fra'], unknown: { deep: [null, '\u001b'] } }),
  })
  expect(requestOf('update_check_assertions', { checkId: id })).toMatchObject({ body: '{}' })
  const posing = JSON.parse(`{"checkId":"${id}","__proto__":{"regions":["fra"]}}`) as object
  expect(requestOf('update_check_regions', { ...posing })).toMatchObject({
    body: '{"__proto__":{"regions":["fra"]}}',
  })
})

describe('refuses all problems at once, under the names of the tool', () => {
  test.each([
    ['get_check_status', {}, ['checkId']],
    ['get_check_status', { checkId: 'x' }, ['checkId']],
    ['get_check_status', { id }, ['checkId', 'id']],
    ['list_checks', { limit: 5 }, ['limit']],
    ['is_service_down', { service: '' }, ['service']],
    ['is_service_down', { service: 'x'.repeat(301) }, ['service']],
    ['is_service_down', { service: '\ud800' }, ['service']],
    ['is_service_down', { service: 'x', region: ['fra'] }, ['region']],
    ['is_service_down', { service: 5, region: null, more: 1 }, ['service', 'region', 'more']],
    ['list_heartbeat_runs', { checkId: id, limit: {} }, ['limit']],
  ])('%s %j: %j', (name, args, paths) => {
    const request = requestOf(name, args)
    expect(isRefusal(request) && request.refused).toBe('SV-2001')
    expect(isRefusal(request) && request.errors.map(({ path }) => path)).toEqual(paths)
  })
})

test('never reaches another route, whatever the arguments', () => {
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue())
  const tool = fc.constantFrom(...toolsOf.mcp)
  forAll(
    [tool, fc.dictionary(fc.string(), value), fc.array(value)],
    { numRuns: 2_000 },
    (tool, more, values) => {
      const names = Object.keys(inputSchemaOf(tool)['properties'] as object)
      const args = { ...more, ...Object.fromEntries(names.map((name, at) => [name, values[at]])) }
      const request = toolRequest(tool, '/public', args)
      if (isRefusal(request)) return
      const pattern = tool.route.path.replace(/:\w+/g, '[^/?#]+')
      expect(request.path.split('?')[0]).toMatch(new RegExp(`^/public${pattern}$`))
      expect(request.method).toBe(tool.route.method)
      expect(request.path).toMatch(/^[\x21-\x7e]+$/)
    },
  )
})
