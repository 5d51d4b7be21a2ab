import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTypedCheck } from '@probe-mesh/control-plane/checks/create-check'
import {
  accepted,
  typedChecks,
  writingContext,
} from '@probe-mesh/control-plane/src/app/testing/operation-context'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { expectOk, flat, head, openStage, startPlane, type Stage } from './testing/stage.ts'

/** What exists is imported with a configuration that Terraform writes, and a private check stays with its agent. */

const patience = { timeout: 240_000 }
let own: Stage
const plane = useOnce(() => startPlane())
afterAll(() => plane?.at.close())
beforeEach(async () => {
  own = await openStage(plane)
  return () => own.close()
})

const intranet = 'http://wiki.internal/'
const enrol = async (): Promise<string> =>
  `private-${(await own.api('POST', '/agents', { name: 'office' })).agent.id}`
const check = (...lines: string[]): string => `resource "service_check" "web" {\n${lines.join('\n')}\n}\n`

test(
  'a generated configuration is valid and changes nothing, for every importable type',
  patience,
  async () => {
    const imports: string[] = []
    const add = (type: string, id: string): void => {
      imports.push(`import {\n  to = ${type}.it${imports.length}\n  id = "${id}"\n}\n`)
    }
    const region = await enrol()
    const http = await own.api('POST', '/checks', {
      name: 'web',
      url: 'https://web.example.com/',
      regions: ['fra'],
    })
    const inner = await own.api('POST', '/checks', { name: 'wiki', url: intranet, regions: [region] })
    for (const { id } of [http, inner]) add('service_check', id)
    for (const { body } of Object.values(typedChecks)) {
      const actor = { accountId: own.account.id, actor: { kind: 'operator' } } as const
      add('service_check', accepted(await createTypedCheck(writingContext(plane.at.sql), actor, body)).id)
    }
    const [page] = (await own.api('GET', '/status-pages')).statusPages
    add('service_status_page', page.id)
    const component = await own.api('POST', `/status-pages/${page.id}/components`, { checkId: http.id })
    add('service_status_page_component', `${page.id}/${component.id}`)
    for (const [type, config] of [
      ['discord', { webhookUrl: 'https://discord.com/api/webhooks/1/x' }],
      ['teams', { webhookUrl: 'https://example.webhook.office.com/x' }],
      ['opsgenie', { apiKey: 'abcdefgh-1234' }],
      ['json', { url: 'https://hooks.example.com/mesh' }],
    ]) {
      add(
        'service_notification_channel',
        (await own.api('POST', '/notification-channels', { type, name: 'Ops', config })).id,
      )
    }
    await own.write(head + imports.join(''))
    expectOk(await own.terraform('plan', '-generate-config-out=generated.tf'))
    expectOk(await own.terraform('validate'))
    const applied = await own.terraform('apply', '-auto-approve')
    expectOk(applied)
    expect(applied.out).toContain(`${imports.length} imported, 0 added, 0 changed, 0 destroyed`)
    await own.expectNothingToDo()
    expect(await readFile(join(own.folder, 'generated.tf'), 'utf8')).toContain(region)
  },
)

test(
  'a private check is written with its agent, and never moves because regions are left out',
  patience,
  async () => {
    const region = await enrol()
    const base = ['name = "wiki"', `url = "https://wiki.example.com/"`]
    expectOk(await own.apply(check(...base, `regions = ["${region}"]`)))
    const [made] = await own.checks()
    expect(made).toMatchObject({ regions: [region] })
    await own.expectNothingToDo()
    expectOk(await own.apply(check(...base)))
    expect(await own.checks()).toMatchObject([{ id: made?.id, regions: [region] }])
    const moved = check('name = "wiki"', 'url = "https://wiki.example.com/moved"')
    for (const args of [['plan'], ['apply', '-auto-approve']] as const) {
      await own.write(head + moved)
      const ran = await own.terraform(...args)
      expect(ran.exitCode).toBe(1)
      expect(flat(ran)).toContain(`Set regions = ["${region}"]`)
    }
    await own.write(head + check(...base))
    const forced = await own.terraform('apply', '-auto-approve', '-replace=service_check.web')
    expect(forced.exitCode).toBe(1)
    expect(flat(forced)).toContain('The private agent is missing')
    await own.api('DELETE', `/checks/${made?.id}`)
    expect(flat(await own.terraform('apply', '-auto-approve'))).toContain('The private agent is missing')
    expect(await own.checks()).toEqual([])
  },
)

test('an import by a name or a slug is refused with the id', patience, async () => {
  const { id } = await own.api('POST', '/checks', { name: 'web', url: 'https://web.example.com/' })
  const [page] = (await own.api('GET', '/status-pages')).statusPages
  const component = await own.api('POST', `/status-pages/${page.id}/components`, { checkId: id })
  await own.plan(
    `${check('name = "web"', 'url = "https://web.example.com/"')}
resource "service_status_page" "main" {
  name = "${page.name}"
  slug = "${page.slug}"
}
resource "service_status_page_component" "web" {
  status_page_id = service_status_page.main.id
  check_id = service_check.web.id
}
`,
  )
  for (const [address, given, meant] of [
    ['service_check.web', 'web', `Did you mean ${id} (web)?`],
    ['service_check.web', 'other', 'is a UUID. '],
    ['service_status_page.main', page.slug, `Did you mean ${page.id} (`],
    ['service_status_page_component.web', `${page.slug}/web`, `Did you mean ${page.id}/${component.id} (`],
  ]) {
    const ran = await own.terraform('import', address, given)
    expect(ran.exitCode).toBe(1)
    expect(flat(ran)).toContain(meant)
  }
})
