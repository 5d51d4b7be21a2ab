import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { expectOk, flat, openStage, startPlane, type Stage } from './testing/stage.ts'

/** Status pages, their components and the data source under the real Terraform. */

const patience = { timeout: 120_000 }
let own: Stage
let slug: string
let pages = 0
const plane = useOnce(() => startPlane())
afterAll(() => plane?.at.close())
beforeEach(async () => {
  own = await openStage(plane)
  slug = `page-${++pages}`
  return () => own.close()
})

const page = (...lines: string[]): string =>
  `resource "service_status_page" "main" {\nname = "Main"\nslug = "${slug}"\n${lines.join('\n')}\n}\n`
const published = (...lines: string[]): string => `${page()}
resource "service_check" "web" {
  name = "web"
  url = "https://web.example.com/"
}
resource "service_status_page_component" "web" {
  status_page_id = service_status_page.main.id
  check_id = service_check.web.id
  ${lines.join('\n')}
}
`
const listed = async () => (await own.api('GET', '/status-pages')).statusPages
const ofSlug = async () => (await listed()).find((one: { slug: string }) => one.slug === slug)

test('a page is created with its brand, changed in place, imported and destroyed', patience, async () => {
  const brand = [
    'title = "Status"',
    'description = "How we are doing"',
    'accent_color = "#0A7D4F"',
    'theme_preset = "dark"',
    'links = [{ label = "Home", url = "https://example.com/" }]',
  ]
  expectOk(await own.apply(page(...brand)))
  const created = await ofSlug()
  expect(created).toMatchObject({
    title: 'Status',
    themePreset: 'dark',
    font: 'system',
    links: [{ label: 'Home' }],
  })
  await own.expectNothingToDo()
  expectOk(await own.apply(page('font = "mono"')))
  expect(await ofSlug()).toMatchObject({
    id: created.id,
    title: null,
    themePreset: 'system',
    font: 'mono',
    links: [],
  })
  await own.expectNothingToDo()

  expectOk(await own.terraform('state', 'rm', 'service_status_page.main'))
  expectOk(await own.terraform('import', 'service_status_page.main', created.id))
  await own.expectNothingToDo()
  expectOk(await own.terraform('destroy', '-auto-approve'))
  expect(await ofSlug()).toBeUndefined()
})

test('the last status page is not destroyed and stays in the state', patience, async () => {
  const [first] = await listed()
  await own.plan(
    `resource "service_status_page" "main" {\nname = "${first.name}"\nslug = "${first.slug}"\n}\n`,
  )
  expectOk(await own.terraform('import', 'service_status_page.main', first.id))
  const ran = await own.terraform('destroy', '-auto-approve')
  expect(ran.exitCode).toBe(1)
  expect(flat(ran)).toContain('SV-3002')
  expect(await listed()).toHaveLength(1)
  expect(Object.keys(await own.resources())).toEqual(['service_status_page.main'])
})

test(
  'a component is published, renamed in place, imported, and unpublished without its check',
  patience,
  async () => {
    expectOk(await own.apply(published()))
    const { id: pageId } = await ofSlug()
    const components = async () => (await own.api('GET', `/status-pages/${pageId}/components`)).components
    const [created] = await components()
    expect(created).toMatchObject({ displayName: 'web', description: null })
    await own.expectNothingToDo()
    expectOk(await own.apply(published('display_name = "Shop"', 'description = "Where you buy"')))
    expect(await components()).toMatchObject([
      { id: created.id, displayName: 'Shop', description: 'Where you buy' },
    ])
    await own.expectNothingToDo()

    expectOk(await own.terraform('state', 'rm', 'service_status_page_component.web'))
    expectOk(await own.terraform('import', 'service_status_page_component.web', `${pageId}/${created.id}`))
    await own.expectNothingToDo()
    await own.terraform('state', 'rm', 'service_status_page_component.web')
    const wrong = await own.terraform('import', 'service_status_page_component.web', created.id)
    expect(wrong.exitCode).toBe(1)
    expect(flat(wrong)).toContain('<status_page_id>/<component_id>')
    expectOk(await own.terraform('import', 'service_status_page_component.web', `${pageId}/${created.id}`))

    const without = published().split('resource "service_status_page_component"')[0] ?? ''
    expectOk(await own.apply(without))
    expect(await components()).toEqual([])
    expect(await own.checks()).toMatchObject([{ name: 'web' }])
  },
)

test('an agent-bound monitor is refused at check_id', patience, async () => {
  const { id } = await own.api('POST', '/checks', {
    name: 'inner',
    url: 'https://inner.example.com/',
  })
  await plane.at.sql`update checks set private = true where id = ${id}`
  const ran = await own.apply(`${page()}
resource "service_status_page_component" "inner" {
  status_page_id = service_status_page.main.id
  check_id = "${id}"
}
`)
  expect(ran.exitCode).toBe(1)
  expect(flat(ran)).toMatch(/SV-3002.*check_id/)
})

test('the data source finds a page by its id or slug, and needs exactly one of them', patience, async () => {
  const data = (...lines: string[]): string =>
    `${page('title = "Status"')}
data "service_status_page" "same" {
  depends_on = [service_status_page.main]
  ${lines.join('\n')}
}
output "title" { value = data.service_status_page.same.title }
`
  for (const one of ['id = service_status_page.main.id', `slug = "${slug}"`]) {
    const ran = await own.apply(data(one))
    expectOk(ran)
    expect(ran.out).toContain('title = "Status"')
  }
  for (const wrong of [[], ['id = "x"', `slug = "${slug}"`], ['slug = "no-such-page"']]) {
    expect((await own.apply(data(...wrong))).exitCode).toBe(1)
  }
})
