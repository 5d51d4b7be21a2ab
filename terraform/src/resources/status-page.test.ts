import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { expect, test } from 'vitest'
import { statusPageData } from '../data-sources/status-page.ts'
import { toObject, unknown, type ObjectValue, type Value } from '../protocol/value.ts'
import { check } from './check.ts'
import { valueOf } from './settle.ts'
import { statusPageComponent as component } from './status-page-component.ts'
import { statusPage } from './status-page.ts'
import { configOf, linesOf, openAccount, planOf, stateOf } from './testing.ts'

const at = useTestApp()

let slugs = 0
const idOf = (state: ObjectValue): string => String(valueOf(state, 'id'))

const open = async () => {
  const own = await openAccount(at)
  const page = async (said: Record<string, Value> = {}) => {
    const named = { name: 'Shop', slug: `shop-${++slugs}`, ...said }
    const { planned } = planOf(statusPage, named, null)
    return { said: named, state: stateOf(await statusPage.create(own.api, planned, own.context)) }
  }
  const web = async () => {
    const { planned } = planOf(check, { name: 'web', url: 'https://web.example.com' }, null)
    return stateOf(await check.create(own.api, planned, own.context))
  }
  const publish = (said: Record<string, Value>) =>
    component.create(own.api, planOf(component, said, null).planned, own.context)
  return { ...own, page, web, publish }
}

const chrome = {
  title: 'Shop status',
  description: 'How the shop is.',
  logo: 'https://shop.example.com/logo.svg',
  accent_color: '#0A7D4F',
  theme_preset: 'dark',
  font: 'mono',
  locale: 'de-AT',
  links: [
    toObject([
      ['label', 'Shop'],
      ['url', 'https://shop.example.com'],
    ]),
  ],
}

test('a page has all of its brand chrome, and is planned as nothing after', async () => {
  const own = await open()
  const { said, state } = await own.page(chrome)
  expect(state).toMatchObject({ ...said, path: expect.stringContaining(said.slug) })
  const refreshed = stateOf(await statusPage.read(own.open(), state, own.context))
  expect(planOf(statusPage, said, refreshed).changed).toEqual([])
})

test('what is left out again is as on a new page, in place, and only what changes is sent', async () => {
  const own = await open()
  const { said, state } = await own.page(chrome)
  const plan = planOf(statusPage, { name: 'Shop', slug: said.slug }, state)
  expect(plan.changed.toSorted()).toEqual(Object.keys(chrome).toSorted())
  const after = stateOf(await statusPage.update(own.api, state, plan.planned, own.context))
  expect(after).toMatchObject({
    title: null,
    accent_color: null,
    theme_preset: 'system',
    font: 'system',
    locale: 'en',
    links: [],
  })
  expect(stateOf(await statusPage.read(own.open(), state, own.context))).toEqual(after)
  expect(Object.keys(own.calls.find(({ line }) => line.startsWith('PATCH'))?.body ?? {})).not.toContain(
    'slug',
  )
})

test('where a page is stays known while its slug stays, and not when that changes', async () => {
  const own = await open()
  const { said, state } = await own.page()
  expect(valueOf(planOf(statusPage, { ...said, title: 'New' }, state).planned, 'url')).toBe(
    valueOf(state, 'url'),
  )
  const { planned } = planOf(statusPage, { ...said, slug: `shop-${++slugs}` }, state)
  expect(valueOf(planned, 'url')).toBe(unknown)
  const after = stateOf(await statusPage.update(own.api, state, planned, own.context))
  expect(after).toMatchObject({ id: idOf(state), url: expect.stringContaining(`shop-${slugs}`) })
})

test('a slug that is taken, and a look that is none, are refused at their attributes', async () => {
  const own = await open()
  const { said } = await own.page()
  const refuse = async (more: Record<string, Value>) => {
    const { planned } = planOf(statusPage, { name: 'Other', slug: `shop-${++slugs}`, ...more }, null)
    return (await statusPage.create(own.api, planned, own.context)).diagnostics
  }
  expect(await refuse({ slug: said.slug })).toMatchObject([
    { path: ['slug'], summary: expect.stringContaining('SV-3002') },
  ])
  const links = [
    toObject([
      ['label', 'x'],
      ['url', 'ftp://x'],
    ]),
  ]
  expect((await refuse({ accent_color: 'red', links })).map(({ path }) => path)).toEqual([
    ['accent_color'],
    ['links', 0, 'url'],
  ])
})

test('reports the refusal to destroy the last page, and keeps it', async () => {
  const own = await open()
  const { state } = await own.page()
  const pages = await own.api.statusPages(own.context)
  if (!pages.ok) throw new Error('no answer')
  const first = pages.value.find(({ id }) => id !== idOf(state))
  const imported = statusPage.importState(first?.id ?? '')
  if (!('state' in imported)) throw new Error('refused')
  const kept = stateOf(await statusPage.read(own.api, imported.state, own.context))
  expect(await statusPage.remove(own.api, state, own.context)).toEqual([])
  expect(await statusPage.remove(own.api, kept, own.context)).toMatchObject([
    {
      path: [],
      summary: expect.stringContaining('SV-3002'),
      detail: expect.stringContaining('last status page'),
    },
  ])
  expect(await statusPage.read(own.open(), state, own.context)).toEqual({
    state: null,
    diagnostics: [],
  })
  expect(stateOf(await statusPage.read(own.open(), kept, own.context))).toEqual(kept)
})

test('a check is published under its name or another, changed in place, and runs on when unpublished', async () => {
  const own = await open()
  const [{ state: page }, web] = [await own.page(), await own.web()]
  const said = { status_page_id: idOf(page).toUpperCase(), check_id: idOf(web).toUpperCase() }
  const state = stateOf(await own.publish(said))
  expect(state).toMatchObject({ ...said, display_name: 'web', description: null })
  const refreshed = stateOf(await component.read(own.open(), state, own.context))
  expect(planOf(component, said, refreshed).changed).toEqual([])
  const plan = planOf(component, { ...said, display_name: 'Shop', description: 'The front' }, state)
  expect(plan.replaces).toEqual([])
  const after = stateOf(await component.update(own.api, state, plan.planned, own.context))
  expect(after).toMatchObject({ display_name: 'Shop', description: 'The front' })
  expect(planOf(component, { ...said, check_id: idOf(page) }, state).replaces).toEqual(['check_id'])
  expect(await component.remove(own.api, state, own.context)).toEqual([])
  expect(await component.remove(own.api, state, own.context)).toEqual([])
  expect(stateOf(await check.read(own.open(), web, own.context))).toMatchObject({ name: 'web' })
})

test('a component is imported by page and id, and is gone with its page', async () => {
  const own = await open()
  const [{ state: page }, web] = [await own.page(), await own.web()]
  const said = { status_page_id: idOf(page), check_id: idOf(web), display_name: 'Web' }
  const state = stateOf(await own.publish(said))
  const imported = component.importState(`${idOf(page)}/${idOf(state)}`)
  if (!('state' in imported)) throw new Error('refused')
  expect(stateOf(await component.read(own.open(), imported.state, own.context))).toEqual(state)
  expect(await statusPage.remove(own.api, page, own.context)).toEqual([])
  expect(await component.read(own.open(), state, own.context)).toEqual({
    state: null,
    diagnostics: [],
  })
})

test('shares one listing among the components of a page', async () => {
  const own = await open()
  const { state: page } = await own.page()
  const states = []
  for (const check_id of [idOf(await own.web()), idOf(await own.web())]) {
    states.push(stateOf(await own.publish({ status_page_id: idOf(page), check_id })))
  }
  own.calls.splice(0)
  const api = own.open()
  await Promise.all(states.map((state) => component.read(api, state, own.context)))
  expect(linesOf(own.calls)).toEqual([`GET /status-pages/${idOf(page)}/components`])
})

test('"agent-bound monitors are refused", and so is a check that the page has, at check_id', async () => {
  const own = await open()
  const [{ state: page }, web] = [await own.page(), await own.web()]
  const said = { status_page_id: idOf(page), check_id: idOf(web) }
  const refusal = { path: ['check_id'], summary: 'The check was not published (SV-3002)' }
  stateOf(await own.publish(said))
  expect((await own.publish(said)).diagnostics).toMatchObject([refusal])
  await at.sql`update checks set private = true where id = ${idOf(web)}`
  expect((await own.publish(said)).diagnostics).toMatchObject([
    { ...refusal, detail: expect.stringContaining('private') },
  ])
})

test('looks up a page by its id in any case, or its slug', async () => {
  const own = await open()
  const { said, state } = await own.page(chrome)
  const find = (asked: Record<string, Value>) => {
    const attributes = Object.keys(statusPageData.schema.attributes)
    const config = toObject(attributes.map((name) => [name, asked[name] ?? null]))
    return {
      problems: statusPageData.validate?.(config),
      read: () => statusPageData.read(own.api, config, own.context),
    }
  }
  expect(stateOf(await find({ slug: said.slug }).read())).toEqual(state)
  const id = idOf(state).toUpperCase()
  expect(stateOf(await find({ id }).read())).toMatchObject({ ...said, id })
  expect((await find({ slug: 'none' }).read()).diagnostics).toMatchObject([{ path: ['slug'] }])
  expect((await find({ id: idOf(await own.web()) }).read()).diagnostics).toMatchObject([{ path: ['id'] }])
  expect(find({}).problems).toHaveLength(1)
  expect(find({ id, slug: unknown }).problems).toHaveLength(1)
  expect([find({ slug: unknown }).problems, find({ id }).problems]).toEqual([[], []])
  expect(configOf(statusPage, {})).toHaveProperty('slug', null)
})
