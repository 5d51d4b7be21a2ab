import { createWeb } from '@probe-mesh/web/web'
import fastify from 'fastify'
import type { WebSystem } from './system.ts'

type SeededSystem = WebSystem['seeded']

/** A page of the system, at an address with content. */
export type PageAddress = {
  path: string
  /** The path with words instead of ids, usable as a file name. */
  name: string
  /** Whether only logged-in members may see it. */
  isForMembers: boolean
}

/** Values for `:id` and other parameters of routes with this start; the first match counts. */
type Example = { route: RegExp; values: readonly Readonly<Record<string, string>>[] }

const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/

const examplesOf = (seeded: SeededSystem): readonly Example[] => {
  const { checks, pageId, componentId, slug } = seeded
  const ids = (...values: string[]) => values.map((id) => ({ id }))
  const types = ['http', 'multistep', 'tcp', 'dns', 'smtp', 'browser', 'heartbeat']
  return [
    { route: /^\/dashboard\/checks\/new\/:/, values: types.map((type) => ({ type })) },
    { route: /^\/checks\/:id$/, values: ids(checks.shop) },
    { route: /^\/dashboard\/checks\/:id$/, values: ids(...Object.values(checks)) },
    { route: /^\/dashboard\/checks\/:id\/steps/, values: ids(checks.checkout) },
    { route: /^\/dashboard\/checks\/:id\/edit$/, values: ids(checks.shop, checks.heartbeat) },
    { route: /^\/dashboard\/checks\/:id/, values: ids(checks.shop) },
    { route: /^\/dashboard\/pages\/:id/, values: [{ id: pageId, componentId }] },
    { route: /^\/dashboard\/outages\/:id/, values: ids(seeded.outageId) },
    { route: /^\/dashboard\/incidents\/:id/, values: ids(seeded.incidentId) },
    { route: /^\/dashboard\/maintenance\/:id/, values: ids(seeded.windowId) },
    { route: /^\/dashboard\/subscribers\/:id/, values: ids(seeded.subscriberId) },
    { route: /^\/dashboard\/channels\/:id/, values: ids(seeded.channelId) },
    { route: /^\/dashboard\/rules\/:id/, values: ids(seeded.ruleId) },
    { route: /^\/dashboard\/members\/:id/, values: ids(seeded.memberId) },
    { route: /^\/dashboard\/members\/invitations\/:id/, values: ids(seeded.invitationId) },
    { route: /^\/dashboard\/objectives\/:id/, values: ids(seeded.objectiveId) },
    { route: /^\/dashboard\/secrets\/:id/, values: ids(seeded.secretId) },
    { route: /^\/dashboard\/on-call\/policies\/:id/, values: ids(seeded.policyId) },
    { route: /^\/dashboard\/on-call\/:id/, values: ids(seeded.scheduleId) },
    { route: /^\/dashboard\/keys\/:id/, values: ids(seeded.keyId) },
    { route: /^\/dashboard\/agents\/:id/, values: ids(seeded.agentId) },
    { route: /^\/dashboard\/errors\/rules\/:id/, values: ids(seeded.errors.rule) },
    { route: /^\/dashboard\/errors\/:/, values: [seeded.errors] },
    { route: /^\/status\/:/, values: [{ slug, id: seeded.incidentId }] },
    { route: /^\/services\/:/, values: [{ slug: 'mailer', name: 'mailer' }] },
    { route: /^\/subscriptions\/unsubscribe\/:/, values: [{ token: seeded.mailed.unsubscribe }] },
    { route: /^\/alert-mails\/unsubscribe\/:/, values: [{ token: seeded.mailed.endAlerts }] },
    { route: /^\/docs\/api\/:/, values: [{ group: 'checks' }, { group: 'notification-channels' }] },
    { route: /^\/docs\/:/, values: [{ guide: 'rest-api' }, { guide: 'reasons' }, { guide: 'terraform' }] },
    { route: /^\/stacks\/:/, values: [{ slug: 'web-shop', name: 'web-shop', id: 'web-shop' }] },
  ]
}

/** Routes that are not pages: style sheets, scripts, and other forms of a page. */
const isNoPage = (route: string): boolean =>
  /^\/assets\/|\.(md|txt|json|xml|svg|ico|webmanifest)$/.test(route)

/** Query strings of pages. */
const queriesOf = ({ mailed, pageId }: SeededSystem): Readonly<Record<string, string>> => ({
  '/dashboard/channels/new': '?type=json',
  '/dashboard/incidents/new': `?page=${pageId}`,
  '/dashboard/maintenance/new': `?page=${pageId}`,
  '/login/link': `?token=${mailed.login}`,
  '/invitation': `?token=${mailed.invitation}`,
  '/subscriptions/confirm': `?token=${mailed.confirm}`,
  '/alert-mails/confirm': `?token=${mailed.confirmAlerts}`,
})

/** Every route of the pages with GET. */
const routesOfWeb = async (): Promise<string[]> => {
  const app = fastify()
  const routes: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    // the page for unknown addresses is included
    if (method === 'GET') routes.push(url === '/*' ? '/nothing-here' : url)
  })
  await app.register(
    createWeb({
      inject: () => Promise.reject(new Error('the API is not used here')),
      apiUrl: 'http://127.0.0.1/v1',
      mcpUrl: null,
    }),
  )
  await app.ready()
  await app.close()
  return routes
}

/**
 * Every page, from the route tables of `web`, so that none is left out.
 * @throws Error that names a route whose parameters have no example here
 */
export const pageAddresses = async (seeded: SeededSystem): Promise<PageAddress[]> => {
  const all = (await routesOfWeb()).filter((route) => !isNoPage(route))
  const [examples, queries] = [examplesOf(seeded), queriesOf(seeded)]
  const nameOf = new Map(Object.entries(seeded.checks).map(([name, id]) => [id, name]))
  const addresses = [...new Set(all)].flatMap((route) => {
    const found = examples.find((example) => example.route.test(route))
    if (found === undefined && route.includes(':')) {
      throw new Error(`${route} has no example in acceptance/web/addresses.ts`)
    }
    return (found?.values ?? [{}]).map((values: Readonly<Record<string, string>>) => {
      const path = route.replace(/:(\w+)/g, (_, name: string) => {
        const value = values[name]
        if (value === undefined) throw new Error(`${route} has no example of ${name}`)
        return value
      })
      const words = path
        .replace(new RegExp(uuid, 'g'), (id) => nameOf.get(id) ?? 'one')
        .replace(seeded.mailed.unsubscribe, 'one')
        .replace(seeded.mailed.endAlerts, 'one')
      return {
        path: `${path}${queries[route] ?? ''}`,
        name: words.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'home',
        isForMembers: path.startsWith('/dashboard'),
      }
    })
  })
  return [...new Map(addresses.map((address) => [address.path, address])).values()]
}
