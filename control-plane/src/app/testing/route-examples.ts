import { insertObjective } from '../../objectives/testing/insert-objective.ts'
import { routes, type Route, type RouteCall, type RouteName } from '@probe-mesh/contracts/api/routes'
import { insertTestAlert } from '../../alerts/testing.ts'
import { insertTestErrorIssues, insertTestErrorProject } from '../../stores/postgres/testing.ts'
import type { Answer, TestAccount, TestApp } from './test-app.ts'
import { ownerOf, provider } from './pages.ts'

/** The things of an account for tests of all routes. */
export type World = {
  checkId: string
  /** Not published. */
  otherCheckId: string
  pageId: string
  emptyPageId: string
  componentId: string
  incidentId: string
  windowId: string
  /** A window in the future. */
  scheduledWindowId: string
  channelId: string
  alertId: string
  objectiveId: string
  errorProjectId: string
  errorIssueId: string
  agentId: string
}

/** The parts of a call, valid or not. */
export type Call = {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

type Example<N extends RouteName> = {
  /** A valid call. */
  call: (world: World) => RouteCall<N>
  /** A query or body with several problems, and their paths. */
  wrong?: Pick<Call, 'query' | 'body'> & { paths: readonly string[] }
  /** For a write: the type and id of the resource in the audit log; several ids: an entry for each. */
  audit?: { resourceType: string; resourceId: (world: World, answer: Answer['json']) => string | string[] }
}

/** The answer is the written resource. */
const ofAnswer = (resourceType: string) => ({
  resourceType,
  resourceId: (_: World, answer: Answer['json']): string => answer.id,
})
const ofCheck = { resourceType: 'check', resourceId: ({ checkId }: World) => checkId }
const ofChannel = {
  resourceType: 'notification_channel',
  resourceId: ({ channelId }: World) => channelId,
}
const check = ({ checkId }: World) => ({ params: { id: checkId } })
const page = ({ pageId }: World) => ({ params: { id: pageId } })
const component = ({ pageId, componentId }: World) => ({ params: { id: pageId, componentId } })
const incident = ({ incidentId }: World) => ({ params: { id: incidentId } })
const channel = ({ channelId }: World) => ({ params: { id: channelId } })
const agent = ({ agentId }: World) => ({ params: { id: agentId } })
const ofAgent = { resourceType: 'agent', resourceId: ({ agentId }: World) => agentId }
const alert = ({ alertId }: World) => ({ params: { id: alertId } })
const ofAlert = { resourceType: 'alert', resourceId: ({ alertId }: World) => alertId }
const nothing = () => ({})
const wrongLimit = { query: { limit: '0', more: '1' }, paths: ['limit', 'more'] }

/** No server listens there, and the allow list of the tests includes it. */
const webhookUrl = 'http://127.0.0.1:9/hook'

/** An example for each route. A route without one does not compile. */
export const routeExamples: { readonly [N in RouteName]: Example<N> } = {
  listChecks: {
    call: () => ({ query: { include: 'state', limit: 5 } }),
    wrong: {
      query: { include: 'state', status: 'fine', type: 'x', limit: '0', sort: 'x' },
      paths: ['status', 'type', 'limit', 'sort'],
    },
  },
  createCheck: {
    call: () => ({ body: { name: 'new', url: 'https://example.org/', regions: ['fra'] } }),
    wrong: {
      body: { name: ' ', intervalSeconds: 0.5, more: 1 },
      paths: ['name', 'url', 'intervalSeconds', 'more'],
    },
    audit: ofAnswer('check'),
  },
  getCheck: { call: check },
  updateCheckRegions: {
    call: (world) => ({ ...check(world), body: { regions: ['iad'] } }),
    wrong: { body: { regions: [], more: 1 }, paths: ['regions', 'more'] },
    audit: ofCheck,
  },
  updateCheckAssertions: {
    call: (world) => ({ ...check(world), body: { assertionStatusMin: 200 } }),
    wrong: {
      body: { assertionStatusMin: 1, assertionJsonPath: 7, more: 1 },
      paths: ['assertionStatusMin', 'assertionJsonPath', 'more'],
    },
    audit: ofCheck,
  },
  planChecks: {
    call: ({ checkId }) => ({
      body: {
        drafts: [
          { action: 'create', check: { name: 'new', url: 'https://example.org/' } },
          { action: 'delete', id: checkId },
        ],
      },
    }),
    wrong: {
      body: { drafts: [{ action: 'drop' }, { action: 'delete', id: 'x' }], more: 1 },
      paths: ['drafts[0].action', 'drafts[1].id', 'more'],
    },
  },
  replaceCheck: {
    call: ({ otherCheckId }) => ({ params: { id: otherCheckId }, body: { url: 'https://example.org/new' } }),
    wrong: {
      body: { name: ' ', intervalSeconds: 0.5, paused: 1, more: 1 },
      paths: ['name', 'intervalSeconds', 'paused', 'more'],
    },
    audit: {
      resourceType: 'check',
      resourceId: ({ otherCheckId }, answer) => [otherCheckId, answer.id],
    },
  },
  deleteCheck: { call: check, audit: ofCheck },
  runCheck: { call: check, audit: ofCheck },
  listReadings: {
    call: (world) => ({ ...check(world), query: { limit: 5 } }),
    wrong: {
      query: { from: 'now', region: 'Mars', limit: '0', more: '1' },
      paths: ['from', 'region', 'limit', 'more'],
    },
  },
  listHeartbeatRuns: {
    call: (world) => ({ ...check(world), query: { limit: 5 } }),
    wrong: wrongLimit,
  },
  getSeries: {
    call: (world) => ({ ...check(world), query: { step: 3_600 } }),
    wrong: { query: { to: 'now', step: '1', more: '1' }, paths: ['to', 'step', 'more'] },
  },
  listStatusPages: { call: nothing, wrong: wrongLimit },
  listStatus: { call: nothing, wrong: wrongLimit },
  createStatusPage: {
    call: () => ({ body: { name: 'New', slug: `new-${crypto.randomUUID()}` } }),
    wrong: {
      body: { slug: 'No Slug', accentColor: 'red', links: [{ label: '' }], more: 1 },
      paths: ['name', 'slug', 'accentColor', 'links[0].label', 'links[0].url', 'more'],
    },
    audit: ofAnswer('status_page'),
  },
  getStatusPage: { call: page },
  updateStatusPage: {
    call: (world) => ({ ...page(world), body: { title: 'Status', locale: 'de' } }),
    wrong: { body: { font: 'fancy', logo: 'x', more: 1 }, paths: ['font', 'logo', 'more'] },
    audit: { resourceType: 'status_page', resourceId: ({ pageId }) => pageId },
  },
  deleteStatusPage: {
    call: ({ emptyPageId }) => ({ params: { id: emptyPageId } }),
    audit: { resourceType: 'status_page', resourceId: ({ emptyPageId }) => emptyPageId },
  },
  listComponents: { call: page, wrong: wrongLimit },
  createComponent: {
    call: (world) => ({ ...page(world), body: { checkId: world.otherCheckId } }),
    wrong: {
      body: { checkId: 1, displayName: '', more: 1 },
      paths: ['checkId', 'displayName', 'more'],
    },
    audit: ofAnswer('component'),
  },
  getComponent: { call: component },
  updateComponent: {
    call: (world) => ({ ...component(world), body: { displayName: 'Web' } }),
    wrong: {
      body: { displayName: '', description: 1, more: 1 },
      paths: ['displayName', 'description', 'more'],
    },
    audit: { resourceType: 'component', resourceId: ({ componentId }) => componentId },
  },
  deleteComponent: {
    call: component,
    audit: { resourceType: 'component', resourceId: ({ componentId }) => componentId },
  },
  listIncidents: { call: () => ({ query: { limit: 5 } }), wrong: wrongLimit },
  createIncident: {
    call: ({ pageId, checkId }) => ({
      body: { statusPageId: pageId, checkId, region: 'fra', title: 'Slow', body: 'We look.' },
    }),
    wrong: {
      body: { statusPageId: 'x', region: 1, title: '', more: 1 },
      paths: ['statusPageId', 'checkId', 'region', 'title', 'body', 'more'],
    },
    audit: ofAnswer('incident'),
  },
  getIncident: { call: incident },
  addIncidentUpdate: {
    call: (world) => ({ ...incident(world), body: { status: 'identified', body: 'Found.' } }),
    wrong: { body: { status: 'fine', body: ' ', more: 1 }, paths: ['status', 'body', 'more'] },
    audit: { resourceType: 'incident', resourceId: ({ incidentId }) => incidentId },
  },
  getActiveMaintenance: {
    call: ({ pageId }) => ({ query: { statusPageId: pageId } }),
    wrong: { query: { statusPageId: 'x', more: '1' }, paths: ['statusPageId', 'more'] },
  },
  createMaintenance: {
    call: ({ pageId, componentId }) => ({
      body: {
        statusPageId: pageId,
        title: 'Move',
        body: 'We move.',
        durationMinutes: 5,
        componentIds: [componentId],
      },
    }),
    wrong: {
      body: { statusPageId: 'x', title: '', startsAt: 'now', componentIds: [1], more: 1 },
      paths: ['statusPageId', 'title', 'body', 'startsAt', 'componentIds[0]', 'more'],
    },
    audit: ofAnswer('maintenance_window'),
  },
  endMaintenance: {
    call: ({ windowId }) => ({ params: { id: windowId } }),
    audit: { resourceType: 'maintenance_window', resourceId: ({ windowId }) => windowId },
  },
  listMaintenance: {
    call: ({ pageId }) => ({ query: { statusPageId: pageId, state: 'ended', limit: 5 } }),
    wrong: {
      query: { statusPageId: 'x', state: 'over', limit: '501', more: '1' },
      paths: ['statusPageId', 'state', 'limit', 'more'],
    },
  },
  getMaintenance: { call: ({ windowId }) => ({ params: { id: windowId } }) },
  updateMaintenance: {
    call: ({ scheduledWindowId }) => ({
      params: { id: scheduledWindowId },
      body: { title: 'Move later' },
    }),
    wrong: {
      body: { title: '', startsAt: 'now', durationMinutes: 0, componentIds: [1], more: 1 },
      paths: ['title', 'startsAt', 'durationMinutes', 'componentIds[0]', 'more'],
    },
    audit: {
      resourceType: 'maintenance_window',
      resourceId: ({ scheduledWindowId }) => scheduledWindowId,
    },
  },
  cancelMaintenance: {
    call: ({ scheduledWindowId }) => ({ params: { id: scheduledWindowId } }),
    audit: {
      resourceType: 'maintenance_window',
      resourceId: ({ scheduledWindowId }) => scheduledWindowId,
    },
  },
  listChannels: {
    call: nothing,
    wrong: { query: { type: 'fax', verified: 'yes' }, paths: ['type', 'verified'] },
  },
  createChannel: {
    call: () => ({ body: { type: 'json', name: 'Hook', config: { url: webhookUrl } } }),
    wrong: {
      body: { type: 'json', name: '', config: { url: 'x', secret: 1, more: 1 }, more: 1 },
      paths: ['name', 'config.url', 'config.secret', 'config.more', 'more'],
    },
    audit: ofAnswer('notification_channel'),
  },
  getChannel: { call: channel },
  updateChannel: {
    call: (world) => ({ ...channel(world), body: { name: 'Other hook' } }),
    wrong: { body: { type: 'pager', name: '', more: 1 }, paths: ['type', 'name', 'more'] },
    audit: ofChannel,
  },
  deleteChannel: { call: channel, audit: ofChannel },
  testChannel: { call: channel, audit: ofChannel },
  listAlerts: {
    call: ({ checkId }) => ({ query: { checkId, limit: 5 } }),
    wrong: { query: { checkId: 'x', limit: '0', more: '1' }, paths: ['checkId', 'limit', 'more'] },
  },
  acknowledgeAlert: { call: alert, audit: ofAlert },
  snoozeAlert: {
    call: (world) => ({ ...alert(world), body: { minutes: 60 } }),
    wrong: { body: { minutes: 0, more: 1 }, paths: ['minutes', 'more'] },
    audit: ofAlert,
  },
  resolveAlert: { call: alert, audit: ofAlert },
  listObjectives: { call: nothing },
  getObjective: { call: ({ objectiveId }) => ({ params: { id: objectiveId } }) },
  listErrorProjects: { call: nothing, wrong: wrongLimit },
  listErrorIssues: {
    call: ({ errorProjectId }) => ({
      params: { id: errorProjectId },
      query: { q: 'TYPEerror', status: 'unresolved', window: '24h', limit: 5 },
    }),
    wrong: {
      query: { q: 'a'.repeat(201), status: 'open', window: '2h', limit: '501', more: '1' },
      paths: ['q', 'status', 'window', 'limit', 'more'],
    },
  },
  getErrorIssue: { call: ({ errorIssueId }) => ({ params: { id: errorIssueId } }) },
  listAgents: { call: nothing, wrong: wrongLimit },
  createAgent: {
    call: () => ({ body: { name: 'Cellar' } }),
    wrong: { body: { name: ' ', more: 1 }, paths: ['name', 'more'] },
    audit: { resourceType: 'agent', resourceId: (_, answer) => answer.agent.id },
  },
  rotateAgent: { call: agent, audit: ofAgent },
  getAgent: { call: agent },
  revokeAgent: { call: agent, audit: ofAgent },
  getMe: { call: nothing },
}

export const routeNames = Object.keys(routes) as RouteName[]

/** The call of a route's example. */
export const exampleCall = (name: RouteName, world: World): Call => routeExamples[name].call(world) as Call

/** Sends a call of a route with the headers of an allowed client, unless others are given. */
export const sendCall = (
  at: TestApp,
  name: RouteName,
  { params = {}, query = {}, body }: Call,
  { key, headers }: { key?: string; headers?: Record<string, string> } = {},
): Promise<Answer> => {
  const route: Route = routes[name]
  const path = route.path.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(String(params[part])))
  const search = new URLSearchParams(
    Object.entries(query).map(([field, value]): [string, string] => [field, String(value)]),
  )
  return at.call(route.method, `/v1${path}${search.size === 0 ? '' : `?${search}`}`, {
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(route.client === undefined ? {} : provider),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  })
}

/** Creates the things of an account over the API, and in the database those without a route. */
export const makeWorld = async (at: TestApp, account: TestAccount): Promise<World> => {
  const { post, pageId, checkId } = ownerOf(at, account)
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await post(path, body)
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.text}`)
    return answer.json.id
  }
  const [page, check] = [await pageId(), await checkId({ regions: ['fra'] })]
  const errorProjectId = await insertTestErrorProject(at.sql, account.id)
  const owner = { accountId: account.id, projectId: errorProjectId }
  const [issue] = await insertTestErrorIssues(at.sql, owner, [{ lastSeenMs: at.now() }])
  return {
    checkId: check,
    otherCheckId: await checkId({ name: 'other', regions: ['fra'] }),
    pageId: page,
    emptyPageId: await made('/status-pages', { name: 'Empty', slug: crypto.randomUUID() }),
    componentId: await made(`/status-pages/${page}/components`, { checkId: check }),
    incidentId: await made('/incidents', {
      statusPageId: page,
      checkId: check,
      region: 'fra',
      title: 'Down',
      body: 'It is down.',
    }),
    windowId: await made('/maintenance', {
      statusPageId: page,
      title: 'Work',
      body: 'We work.',
      durationMinutes: 30,
    }),
    scheduledWindowId: await made('/maintenance', {
      statusPageId: page,
      title: 'Later work',
      body: 'We shall work.',
      startsAt: new Date(at.now() + 86_400_000).toISOString(),
      durationMinutes: 30,
    }),
    channelId: await made('/notification-channels', {
      type: 'discord',
      name: 'Chat',
      config: { webhookUrl },
    }),
    alertId: await insertTestAlert(at.sql, { accountId: account.id, checkId: check }),
    objectiveId: await insertObjective(at.sql, {
      accountId: account.id,
      name: 'Shop',
      target: 99,
      checkId: check,
    }),
    errorProjectId,
    errorIssueId: issue?.id ?? '',
    agentId: (await post('/agents', { name: 'Office' })).json.agent.id,
  }
}
