import type { Act } from './client.ts'
import { alertedEmail, invitedEmail, readerEmail, type Mailed } from './mailed.ts'
import type { Peers } from './peers.ts'

/** The contents of the system's one account, by type. */
export type Seeded = {
  checks: Readonly<
    Record<'shop' | 'api' | 'checkout' | 'tcp' | 'dns' | 'smtp' | 'browser' | 'heartbeat', string>
  >
  pageId: string
  slug: string
  componentId: string
  incidentId: string
  windowId: string
  channelId: string
  ruleId: string
  alertAddressId: string
  keyId: string
  agentId: string
  subscriberId: string
  memberId: string
  invitationId: string
  objectiveId: string
  secretId: string
  scheduleId: string
  policyId: string
  /** A project, an issue, a key, an upload of source maps, and an alert rule of it. */
  errors: { project: string; id: string; key: string; upload: string; rule: string }
  mailed: Mailed
}

const seconds = 10

const seedErrors = async (act: Act) => {
  const { id: project } = await act('createErrorProject', {
    body: { name: 'Shop front', platform: 'browser' },
  })
  const { id: key } = await act('createErrorKey', { params: { id: project } })
  const { id: rule } = await act('createErrorRule', {
    body: { name: 'New errors of the shop', projectIds: [project] },
  })
  return { project, key, rule }
}

/** An account after weeks of use: a check of every type, a status page and notification channels. */
export const seedAccount = async (
  act: Act,
  peers: Peers,
  address: string,
): Promise<Omit<Seeded, 'errors' | 'mailed'> & { errors: Omit<Seeded['errors'], 'id' | 'upload'> }> => {
  const { steady, broken, siteUrl, tcpPort, dnsResolver, mail } = peers
  const create = async (name: string, url: string, tags: string[]) =>
    (await act('createCheck', { body: { name, url, intervalSeconds: seconds, tags } })).id
  const http = (name: string, path: string) => create(name, steady.url(path), ['shop'])
  const typed = async (type: string, name: string, more: object) =>
    (await act('createTypedCheck', { body: { type, name, ...more } })).id
  const [shop, api] = [await http('Shop', '/shop'), await http('API', '/api')]
  const step = (name: string, path: string) => ({ name, method: 'GET', url: steady.url(path) })
  const checkout = await typed('multistep', 'Checkout', {
    intervalSeconds: 60,
    steps: [step('log in', '/login'), step('basket', '/basket'), step('pay', '/pay')],
  })
  const settings = (own: object) => ({ intervalSeconds: seconds, settings: own })
  const tcp = await typed(
    'tcp',
    'Message broker',
    settings({ host: '127.0.0.1', port: tcpPort, expect: '220 ready' }),
  )
  const dns = await typed(
    'dns',
    'Name of the shop',
    settings({ name: 'shop.example.org', recordType: 'A', resolver: dnsResolver }),
  )
  const smtp = await typed('smtp', 'Mail server', settings({ host: '127.0.0.1', port: mail.port }))
  const browser = await typed('browser', 'Front page in a browser', {
    intervalSeconds: 600,
    settings: { url: siteUrl, titleContains: 'Shop' },
  })
  const heartbeat = await typed('heartbeat', 'Nightly backup', {
    settings: { periodSeconds: 86_400, graceSeconds: 3_600 },
  })
  // one region after another fails, and no server listens at the port
  await create('Search', broken.url('/search'), ['shop', 'beta'])
  await create('Partner feed', 'http://127.0.0.1:9/', ['partners'])
  const retired = await create('Old shop', steady.url('/old'), [])
  await act('updateCheckRegions', { params: { id: retired }, body: { paused: true } })
  const checks = { shop, api, checkout, tcp, dns, smtp, browser, heartbeat }
  const published = await seedPublished(act, checks)
  const subscriberId = await subscribe(act, address, published)
  const errors = await seedErrors(act)
  const invitationId = (await act('inviteMember', { body: { email: invitedEmail } })).invitation.id
  const memberId = (await act('getSession', {})).user.id
  const told = await seedTold(act, peers)
  const onCall = await seedOnCall(act, memberId, told.channelId)
  const objective = { name: 'Shop', target: 99.9, windowDays: 30, tag: 'shop' } as const
  const { id: objectiveId } = await act('createObjective', { body: objective })
  const headers = 'authorization: Bearer of-the-walks'
  await act('updateTelemetry', {
    body: { endpoint: 'https://otlp.example.org', headers, metrics: true, traces: false },
  })
  const secret = { name: 'token', value: 'of-the-walks', hosts: ['api.example.org'] }
  const secretId = (await act('createSecret', { body: secret })).id
  const ids = { subscriberId, memberId, invitationId, objectiveId, secretId }
  return { checks, ...published, ...told, ...onCall, ...ids, errors }
}

const seedOnCall = async (act: Act, memberId: string, channelId: string) => {
  const turn = {
    userIds: [memberId],
    handOver: '09:00',
    length: 1,
    unit: 'weeks',
    startDate: '2026-01-05',
  } as const
  const { id: scheduleId } = await act('createSchedule', {
    body: { name: 'Primary', timeZone: 'Europe/Berlin', layers: [turn] },
  })
  const levels = [
    { afterMinutes: 0, scheduleIds: [scheduleId] },
    { afterMinutes: 15, channelIds: [channelId] },
  ]
  const { id: policyId } = await act('createEscalationPolicy', {
    body: { name: 'Night', levels, repeats: 2 },
  })
  return { scheduleId, policyId }
}

const seedPublished = async (act: Act, checks: Seeded['checks']) => {
  const [page] = (await act('listStatusPages', {})).statusPages
  if (page === undefined) throw new Error('the account has no status page')
  const pageId = page.id
  const publish = async (checkId: string, displayName: string, description: string | null) =>
    (
      await act('createComponent', {
        params: { id: pageId },
        body: { checkId, displayName, description },
      })
    ).id
  const componentId = await publish(checks.shop, 'Shop', 'Everything that customers see.')
  await publish(checks.api, 'API', 'What partners and apps call.')
  await publish(checks.checkout, 'Checkout', null)
  await publish(checks.heartbeat, 'Backups', null)
  await act('updateStatusPage', {
    params: { id: pageId },
    body: {
      title: 'Example status',
      description: 'How our services are, measured from four regions.',
      accentColor: '#7a3fb5',
      links: [{ label: 'Support', url: 'https://example.org/support' }],
    },
  })
  const incident = async (checkId: string, title: string, body: string) =>
    (
      await act('createIncident', {
        body: { statusPageId: pageId, checkId, region: 'fra', title, body },
      })
    ).id
  const update = (id: string, status: string, body: string) =>
    act('addIncidentUpdate', { params: { id }, body: { status, body } })
  const past = await incident(checks.api, 'Errors of the API', 'Every second request fails.')
  await update(past, 'identified', 'A deploy of 11:20 is the cause. We roll it back.')
  await update(past, 'resolved', 'Rolled back; all is well again.')
  const incidentId = await incident(checks.checkout, 'Slow checkout', 'Payments take long in fra.')
  await update(incidentId, 'monitoring', 'Traffic was moved; we watch it.')
  const soon = Date.now() + 2 * 86_400_000
  const window = await act('createMaintenance', {
    body: {
      statusPageId: pageId,
      title: 'Database upgrade',
      body: 'Orders can be read and not placed.',
      startsAt: new Date(soon).toISOString(),
      durationMinutes: 45,
      componentIds: [componentId],
    },
  })
  return { pageId, slug: page.slug, componentId, incidentId, windowId: window.id }
}

/** Creates an unconfirmed subscription. @returns its id */
const subscribe = async (
  act: Act,
  address: string,
  { pageId, slug }: Pick<Seeded, 'pageId' | 'slug'>,
): Promise<string> => {
  const email = readerEmail
  const body = new URLSearchParams({ email, componentId: '' })
  const answer = await fetch(`${address}/status/${slug}/subscribers`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`subscribe failed: ${answer.status}`)
  const { subscribers } = await act('listSubscribers', { query: { statusPageId: pageId } })
  const found = subscribers.find((one) => one.email === email)
  if (found === undefined) throw new Error('the subscription is missing')
  return found.id
}

const seedTold = async (act: Act, { receiver }: Peers) => {
  const channel = await act('createChannel', {
    body: { type: 'json', name: 'On call', config: { url: receiver.url } },
  })
  const rule = await act('createAlertRule', {
    body: { name: 'Anything down', channelIds: [channel.id], addresses: [alertedEmail] },
  })
  const [address] = (await act('listAlertRules', {})).addresses
  if (address === undefined) throw new Error('the rule names no address')
  const { keys } = await act('listKeys', {})
  const [key] = keys
  if (key === undefined) throw new Error('the account has no key')
  const { agent } = await act('createAgent', { body: { name: 'Office' } })
  return {
    channelId: channel.id,
    ruleId: rule.id,
    alertAddressId: address.id,
    keyId: key.id,
    agentId: agent.id,
  }
}
