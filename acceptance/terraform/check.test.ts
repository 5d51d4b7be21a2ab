import { createTypedCheck } from '@probe-mesh/control-plane/checks/create-check'
import {
  accepted,
  typedChecks,
  writingContext,
} from '@probe-mesh/control-plane/src/app/testing/operation-context'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { expectOk, flat, openStage, startPlane, type Stage } from './testing/stage.ts'

/** `service_check` under the real Terraform, against a real control plane. */

const patience = { timeout: 120_000 }
let own: Stage
const plane = useOnce(() => startPlane())
afterAll(() => plane?.at.close())
beforeEach(async () => {
  own = await openStage(plane)
  return () => own.close()
})

const check = (...lines: string[]): string => `resource "service_check" "web" {\n${lines.join('\n')}\n}\n`
/** A URL that is not canonical. */
const base = ['name = "web"', 'url = "https://Web.example.com"']

test('a check is created, changed in place, replaced and destroyed', patience, async () => {
  expectOk(await own.apply(check(...base)))
  const [created] = await own.checks()
  expect(created).toMatchObject({ name: 'web', url: 'https://Web.example.com', allRegions: true })
  await own.expectNothingToDo()

  const narrowed = ['regions = ["fra", "iad"]', 'assertion_status_min = 200', 'assertion_status_max = 204']
  expectOk(await own.apply(check(...base, ...narrowed)))
  const [changed] = await own.checks()
  expect(changed).toMatchObject({ id: created?.id, allRegions: false, assertionStatusMax: 204 })
  expect(changed?.regions.toSorted()).toEqual(['fra', 'iad'])
  await own.expectNothingToDo()

  expectOk(await own.apply(check(...base)))
  const cleared = { id: created?.id, allRegions: true, assertionStatusMin: null }
  expect(await own.checks()).toMatchObject([cleared])
  await own.expectNothingToDo()

  for (const replaced of [
    ['name = "shop"', 'url = "https://Web.example.com"'],
    ['name = "shop"', 'url = "https://shop.example.com"'],
    ['name = "shop"', 'url = "https://shop.example.com"', 'interval_seconds = 300'],
  ]) {
    const [before] = await own.checks()
    const ran = await own.apply(check(...replaced))
    expectOk(ran)
    expect(ran.out).toContain('1 added, 0 changed, 1 destroyed')
    const [after, ...others] = await own.checks()
    expect([after?.id === before?.id, others]).toEqual([false, []])
  }
  await own.expectNothingToDo()
  expectOk(await own.terraform('destroy', '-auto-approve'))
  expect(await own.checks()).toEqual([])
})

test('repairs changes and deletions made outside Terraform', patience, async () => {
  expectOk(await own.apply(check(...base, 'assertion_body_op = "contains"', 'assertion_body_value = "ok"')))
  const [{ id } = { id: '' }] = await own.checks()
  await own.api('PATCH', `/checks/${id}/assertions`, {})
  await own.api('PATCH', `/checks/${id}`, { regions: ['nrt'] })
  expect((await own.terraform('plan', '-detailed-exitcode')).exitCode).toBe(2)
  expectOk(await own.terraform('apply', '-auto-approve'))
  expect(await own.checks()).toMatchObject([{ id, allRegions: true, assertionBodyValue: 'ok' }])

  await own.api('DELETE', `/checks/${id}`)
  expect((await own.terraform('plan')).out).toContain('Plan: 1 to add, 0 to change, 0 to destroy.')
  expectOk(await own.terraform('apply', '-auto-approve'))
  expect(await own.checks()).toMatchObject([{ name: 'web' }])
  await own.expectNothingToDo()
})

test('a check is imported, and its configuration changes nothing', patience, async () => {
  const { id } = await own.api('POST', '/checks', {
    name: 'web',
    url: 'https://web.example.com/',
    regions: ['fra'],
  })
  await own.plan(check('name = "web"', 'url = "https://web.example.com/"', 'regions = ["fra"]'))
  expectOk(await own.terraform('import', 'service_check.web', id))
  await own.expectNothingToDo()
  for (const [wrong, message] of [
    ['nonsense', 'UUID'],
    ['01900000-0000-7000-8000-000000000000', 'non-existent'],
  ] as const) {
    await own.terraform('state', 'rm', 'service_check.web')
    const ran = await own.terraform('import', 'service_check.web', wrong)
    expect(ran.exitCode).toBe(1)
    expect(flat(ran)).toContain(message)
  }
})

test(
  'a check of another type is imported, and a plan that would replace it is an error',
  patience,
  async () => {
    const { id, name } = accepted(
      await createTypedCheck(
        writingContext(plane.at.sql),
        { accountId: own.account.id, actor: { kind: 'operator' } },
        typedChecks.tcp.body,
      ),
    )
    await own.plan(check(`name = "${name}"`))
    expectOk(await own.terraform('import', 'service_check.web', id))
    await own.expectNothingToDo()
    const ran = await own.plan(check('name = "another"'))
    expect(ran.exitCode).toBe(1)
    expect(flat(ran)).toContain('tcp')
    expect(await own.checks()).toMatchObject([{ id, name }])
  },
)

test.each([
  ['no url', ['name = "web"'], 'url'],
  ['an invalid interval', [...base, 'interval_seconds = 0'], 'interval_seconds'],
  ['an interval faster than the tier', [...base, 'interval_seconds = 1'], 'SV-4002'],
  ['an unsafe target', ['name = "web"', 'url = "http://169.254.169.254/"'], 'SV-5001'],
  ['no region', [...base, 'regions = []'], 'regions'],
  ['a region that is not live', [...base, 'regions = ["gru"]'], 'SV-2001'],
  ['a body without its operator', [...base, 'assertion_body_value = "ok"'], 'assertion_body'],
  [
    'a path with a wildcard',
    [...base, 'assertion_json_path = "a.*"', 'assertion_json_op = "exists"'],
    'assertion_json_path',
  ],
])('%s is refused at its attribute', patience, async (_, lines, message) => {
  const ran = await own.apply(check(...lines))
  expect(ran.exitCode).toBe(1)
  expect(flat(ran)).toContain(message)
  expect(flat(ran)).toMatch(/on main\.tf line \d+/)
  expect(await own.checks()).toEqual([])
})

test('plans values that are known only after an apply', patience, async () => {
  const configuration = `resource "terraform_data" "x" { input = "late" }
resource "service_check" "web" {
  name = "check of \${terraform_data.x.output}"
  url = "https://\${terraform_data.x.id}.example.com/"
  interval_seconds = length(terraform_data.x.output) * 100
  regions = [terraform_data.x.output == "late" ? "fra" : "iad"]
}
`
  expectOk(await own.plan(configuration))
  expectOk(await own.apply(configuration))
  expect(await own.checks()).toMatchObject([
    { name: 'check of late', intervalSeconds: 400, regions: ['fra'] },
  ])
  await own.expectNothingToDo()
})

test('200 checks are created, read by one listing, and destroyed', patience, async () => {
  const many = `resource "service_check" "many" {
  count = 200
  name = "check \${count.index}"
  url = "https://example.com/\${count.index}"
}
`
  expectOk(await own.apply(many))
  expect(await own.checks()).toHaveLength(200)
  await own.expectNothingToDo()
  expectOk(await own.terraform('destroy', '-auto-approve'))
  expect(await own.checks()).toEqual([])
})
