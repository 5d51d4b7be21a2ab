import type { Page } from 'playwright-core'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { lightLooks, openStage, say, using } from './stage.ts'

const stage = useOnce(() => openStage(), 180_000)

/** A write as a person does it: the page with the form, the form by its address, and what is typed by name of field. */
type Write = {
  name: string
  page: string
  /** The end of the address that the form, or its button, posts to. */
  posts: string
  typed?: Readonly<Record<string, string>>
  button?: string
}

const soon = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16)

/** Things that are only made to be changed and deleted. */
const makeThings = async (name: string) => {
  const { act, peers, seeded } = stage.system
  const check = async (of: string) =>
    (
      await act('createCheck', {
        body: { name: `${name} ${of}`, url: peers.steady.url(`/${of}`), intervalSeconds: 60 },
      })
    ).id
  const [kept, gone, shown] = [await check('kept'), await check('gone'), await check('shown')]
  const { pageId } = seeded
  const body = { checkId: shown, displayName: `${name} shown`, description: null }
  const component = (await act('createComponent', { params: { id: pageId }, body })).id
  const page = (await act('createStatusPage', { body: { name: `${name} page`, slug: `${name}-page` } })).id
  const channel = (
    await act('createChannel', {
      body: { type: 'json', name: `${name} hook`, config: { url: peers.receiver.url } },
    })
  ).id
  const rule = (await act('createAlertRule', { body: { name: `${name} rule`, channelIds: [channel] } })).id
  const key = (await act('createKey', { body: { name: `${name} key`, scope: 'read' } })).key.id
  const agent = (await act('createAgent', { body: { name: `${name} agent` } })).agent.id
  const project = (await act('createErrorProject', { body: { name: `${name} project`, platform: 'node' } }))
    .id
  const window = await act('createMaintenance', {
    body: {
      statusPageId: pageId,
      title: `${name} window`,
      body: 'Short.',
      startsAt: `${soon(3)}:00.000Z`,
      durationMinutes: 30,
      componentIds: [component],
    },
  })
  return { kept, gone, component, page, channel, rule, key, agent, project, window: window.id }
}

const writesOf = (name: string, things: Awaited<ReturnType<typeof makeThings>>): Write[] => {
  const { kept, gone, component, page, channel, rule, key, agent, project } = things
  const { seeded, peers } = stage.system
  const check = `/dashboard/checks/${kept}`
  const statusPage = `/dashboard/pages/${seeded.pageId}`
  return [
    { name: 'run a check', page: check, posts: '/run' },
    { name: 'pause a check', page: check, posts: '/pause' },
    { name: 'resume a check', page: check, posts: '/resume' },
    { name: 'clone a check', page: check, posts: '/clone' },
    {
      name: 'save a check',
      page: `${check}/edit`,
      posts: '/edit',
      typed: { name: `${name} saved` },
      button: '[value=save]',
    },
    {
      name: 'create a check',
      page: '/dashboard/checks/new/http',
      posts: '/new/http',
      typed: { url: peers.steady.url('/new') },
      button: '[value=save]',
    },
    { name: 'delete a check', page: `/dashboard/checks/${gone}/delete`, posts: '/delete' },
    {
      name: 'create a channel',
      page: '/dashboard/channels/new?type=json',
      posts: '/channels',
      typed: { name: `${name} new`, 'config.url': peers.receiver.url },
    },
    {
      name: 'save a channel',
      page: `/dashboard/channels/${channel}`,
      posts: `/${channel}`,
      typed: { name: `${name} saved` },
    },
    { name: 'test a channel', page: '/dashboard/channels', posts: `/${channel}/test` },
    {
      name: 'create a rule',
      page: '/dashboard/rules/new',
      posts: '/rules',
      typed: { name: `${name} new rule` },
      button: '[value=save]',
    },
    {
      name: 'save a rule',
      page: `/dashboard/rules/${rule}`,
      posts: `/${rule}`,
      typed: { name: `${name} saved rule` },
      button: '[value=save]',
    },
    { name: 'delete a rule', page: `/dashboard/rules/${rule}/delete`, posts: '/delete' },
    { name: 'delete a channel', page: `/dashboard/channels/${channel}/delete`, posts: '/delete' },
    { name: 'create a key', page: '/dashboard/keys', posts: '/keys', typed: { name: `${name} new key` } },
    { name: 'revoke a key', page: `/dashboard/keys/${key}/revoke`, posts: '/revoke' },
    {
      name: 'create an agent',
      page: '/dashboard/agents',
      posts: '/agents',
      typed: { name: `${name} new agent` },
    },
    { name: 'rotate an agent', page: `/dashboard/agents/${agent}/rotate`, posts: '/rotate' },
    { name: 'revoke an agent', page: `/dashboard/agents/${agent}/revoke`, posts: '/revoke' },
    {
      name: 'create a page',
      page: '/dashboard/pages',
      posts: '/pages',
      typed: { name: `${name} new page`, slug: `${name}-new` },
    },
    {
      name: 'save a page',
      page: `/dashboard/pages/${page}/edit`,
      posts: '/edit',
      typed: { name: `${name} saved page` },
      button: '.primary',
    },
    {
      name: 'publish a check',
      page: `/dashboard/pages/${page}/publish`,
      posts: '/publish',
      typed: { checkId: kept },
      button: '.primary',
    },
    {
      name: 'save a component',
      page: `${statusPage}/components/${component}`,
      posts: `/${component}`,
      typed: { displayName: 'Shown' },
    },
    {
      name: 'unpublish a check',
      page: `${statusPage}/components/${component}/unpublish`,
      posts: '/unpublish',
    },
    { name: 'delete a page', page: `/dashboard/pages/${page}/delete`, posts: '/delete' },
    {
      name: 'update an incident',
      page: `/dashboard/incidents/${seeded.incidentId}`,
      posts: '/updates',
      typed: { body: 'Still slow.' },
      button: '.primary',
    },
    {
      name: 'change maintenance',
      page: `/dashboard/maintenance/${things.window}/change`,
      posts: '/change',
      typed: { title: `${name} changed` },
      button: '.primary',
    },
    { name: 'cancel maintenance', page: `/dashboard/maintenance/${things.window}/cancel`, posts: '/cancel' },
    {
      name: 'create a project',
      page: '/dashboard/errors/new',
      posts: '/errors',
      typed: { name: `${name} new project` },
    },
    {
      name: 'save a project',
      page: `/dashboard/errors/${project}/settings`,
      posts: '/settings',
      typed: { name: `${name} saved project` },
    },
    { name: 'create a project key', page: `/dashboard/errors/${project}/settings`, posts: '/keys' },
    { name: 'delete a project', page: `/dashboard/errors/${project}/delete`, posts: '/delete' },
  ]
}

/** Types and presses what the address names, wherever on the page it stands. @throws Error where it does not */
const send = async (page: Page, { posts, typed = {}, button = '' }: Write): Promise<void> => {
  const pressed = page.locator(`button${button}:not([tabindex="-1"])`)
  // some addresses have a query
  const action = `[action$="${posts}"], [action*="${posts}?"]`
  const form = page.locator(`main form[method=post]:is(${action})`).filter({ has: pressed })
  const own = page.locator(`main button[formaction$="${posts}"]`)
  const isOwn = (await form.count()) === 0
  if (isOwn && (await own.count()) === 0) throw new Error(`no form posts to ${posts}`)
  for (const [name, text] of Object.entries(typed)) {
    const field = page.locator(`main form[method=post] [name="${name}"]:not([type=hidden])`).first()
    if (
      (await field.evaluate((element) => String((element as unknown as { tagName: string }).tagName))) ===
      'SELECT'
    ) {
      await field.selectOption(text)
    } else if (
      (await field.getAttribute('type')) === 'radio' ||
      (await field.getAttribute('type')) === 'checkbox'
    ) {
      await page.locator(`main [name="${name}"][value="${text}"]`).check()
    } else await field.fill(text)
  }
  const target = isOwn ? own.first() : form.first().locator(pressed).first()
  // some stand in a menu that is closed
  await target.evaluate((element) => (element as unknown as { click(): void }).click())
}

const confirmation = async (page: Page): Promise<string> => {
  const status = page.getByRole('status').filter({ hasText: /\w{3}/ }).filter({ visible: true }).first()
  await status.waitFor({ timeout: 3_000 })
  return (await status.innerText()).trim().split('\n')[0] ?? ''
}

const twoLooks = lightLooks.filter(({ width, script }) => (width === 1440) === script)

test.each(twoLooks)(
  'A11 every write is confirmed and never posted twice: $name',
  { timeout: 400_000 },
  async (look) => {
    const name = look.script ? 'desk' : 'phone'
    const writes = writesOf(name, await makeThings(name))
    const faults: string[] = []
    for (const write of writes) {
      const { page, close } = await stage.member(look)
      page.setDefaultTimeout(4_000)
      try {
        await page.goto(write.page)
        const answered = page.waitForResponse((response) => response.request().method() === 'POST')
        await send(page, write)
        const status = (await answered).status()
        await page.waitForLoadState()
        await confirmation(page)
        if (status !== 303) faults.push(`${write.name}: the form answers ${status}`)
        let posts = 0
        page.on('request', (request) => (posts += request.method() === 'POST' ? 1 : 0))
        await page.reload()
        if (posts > 0) faults.push(`${write.name}: a reload posts again`)
      } catch (error) {
        faults.push(`${write.name}: ${String(error).split('\n')[0]} at ${new URL(page.url()).pathname}`)
        say(`A11 ${look.name}: ${faults.at(-1)}`)
      } finally {
        await close()
      }
    }
    say(`A11 ${look.name}: ${writes.length} writes, ${faults.length} faults`)
    for (const fault of faults) say(`A11 ${look.name}: ${fault}`)
    expect(faults).toEqual([])
  },
)

/** Lists of a new account. A status page and a rule are there from the start. */
const lists = ['checks', 'incidents', 'maintenance', 'errors', 'subscribers', 'channels', 'outbox', 'agents']

test.each(twoLooks)(
  'A11 every empty list says so and has an action: $name',
  { timeout: 120_000 },
  async (look) => {
    const faults: string[] = []
    const { sql } = stage.system
    const { createAccount } = await import('@probe-mesh/control-plane/login/create-account')
    const who = { name: 'Empty', email: `empty-${look.width}@example.org`, password: 'correct horse battery' }
    await createAccount({ sql, now: Date.now }, { ...who, tier: 'free' })
    await using(stage.visitor(look), async (page) => {
      await page.goto('/login')
      await page.locator('form[action="/login"] [name=email]').fill(who.email)
      await page.locator('[name=password]').fill(who.password)
      await page.getByRole('button', { name: 'Log in' }).first().click()
      await page.waitForURL('**/dashboard**')
      for (const list of lists) {
        await page.goto(`/dashboard/${list}`)
        const main = page.locator('main')
        const says = /\b(no|none|nothing)\b.*\b(yet|now|open)?/i.test(await main.innerText())
        const actions = await main.locator('a[href^="/dashboard/"]:not(nav a), form button').count()
        if (!says) faults.push(`${list}: does not say that it is empty`)
        if (actions === 0) faults.push(`${list}: has no action`)
      }
    })
    say(`A11 ${look.name}: ${lists.length} empty lists, ${faults.length} faults`)
    for (const fault of faults) say(`A11 ${look.name}: ${fault}`)
    expect(faults).toEqual([])
  },
)
