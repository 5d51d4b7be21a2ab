import { randomUUID } from 'node:crypto'
import type { DashboardRouteName } from '@probe-mesh/contracts/api/dashboard-routes'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import type { Route } from '@probe-mesh/contracts/api/routes'
import { insertSourceMap } from '@probe-mesh/error-tracking/source-maps/error-source-maps-store'
import type { Answer, TestApp } from './test-app.ts'
import { asUser, loggedIn, logInAs, type TestUser } from './log-in.ts'
import { makeWorld, type Call, type World } from './route-examples.ts'

/** The things of an account, including those that only the dashboard shows. */
export type DashboardWorld = World & {
  journeyId: string
  tcpCheckId: string
  heartbeatId: string
  otherSessionId: string
  savedFilterId: string
  keyId: string
  ruleId: string
  scheduleId: string
  unusedScheduleId: string
  objectiveId: string
  secretId: string
  unusedSecretId: string
  unusedObjectiveId: string
  policyId: string
  alertAddressId: string
  deliveryId: string
  errorRuleId: string
  errorKeyId: string
  uploadId: string
  outageId: string
  subscriberId: string
  invitationId: string
  otherMemberId: string
}

/** A PNG of one pixel. */
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const check = (id: string) => ({ params: { id } })
const nothing = () => ({})
const step = { name: 'home', method: 'GET', url: 'https://example.org/' }
const tcp = { type: 'tcp', name: 'db', settings: { host: 'db.example.org', port: 5432 } }
const project = ({ errorProjectId }: DashboardWorld) => ({ params: { id: errorProjectId } })
const issue = ({ errorIssueId }: DashboardWorld) => ({ params: { id: errorIssueId } })
const span = { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }

const objective = { name: 'Shop', target: 99.9, windowDays: 30 }

const schedule = (userId: string) => ({
  name: 'Primary',
  timeZone: 'Europe/Berlin',
  layers: [{ userIds: [userId], handOver: '09:00', length: 1, unit: 'weeks', startDate: '2026-11-02' }],
  overrides: [{ userId, from: '2026-11-20T12:00:00.000Z', to: '2026-11-20T13:00:00.000Z' }],
})
const policy = (level: object) => ({ name: 'Night', levels: [{ afterMinutes: 0, ...level }] })

/** An allowed call of each route. A route without an example does not compile. */
export const dashboardExamples: {
  readonly [N in DashboardRouteName]: (world: DashboardWorld) => Call
} = {
  listCheckPart: nothing,
  getRegionSeries: ({ checkId }) => check(checkId),
  listSavedFilters: nothing,
  createSavedFilter: () => ({ body: { name: 'Failing', query: { status: 'down' } } }),
  deleteSavedFilter: ({ savedFilterId }) => ({ params: { id: savedFilterId } }),
  listCheckNames: ({ checkId, pageId }) => ({ query: { ids: checkId, publishableOn: pageId } }),
  cloneCheck: ({ checkId }) => ({ params: { id: checkId } }),
  changeChecks: ({ checkId, pageId }) => ({
    body: { checkIds: [checkId], act: { kind: 'publish', statusPageId: pageId } },
  }),
  arrangeComponents: ({ pageId, componentId }) => ({
    params: { id: pageId },
    body: { groups: [{ name: 'Shop', componentIds: [componentId] }] },
  }),
  createPageIncident: ({ pageId, componentId }) => ({
    params: { id: pageId },
    body: { componentIds: [componentId], impact: 'minor', title: 'Slow', body: 'We look.' },
  }),
  updatePageIncident: ({ incidentId, componentId }) => ({
    params: { id: incidentId },
    body: { componentIds: [componentId], impact: 'major', status: 'identified', body: 'The disk.' },
  }),
  getLogo: ({ pageId }) => ({ params: { id: pageId } }),
  readImport: () => ({ body: { kind: 'curl', text: 'curl https://example.org/' } }),
  uploadLogo: ({ pageId }) => ({ params: { id: pageId }, body: { image: onePixel } }),
  deleteLogo: ({ pageId }) => ({ params: { id: pageId } }),
  listSubscribers: ({ pageId, subscriberId }) => ({
    query: { statusPageId: pageId, before: subscriberId },
  }),
  getSubscriber: ({ subscriberId }) => ({ params: { id: subscriberId } }),
  removeSubscriber: ({ subscriberId }) => ({ params: { id: subscriberId } }),
  listOwnErrorProjects: nothing,
  getErrorUsage: nothing,
  listOwnErrorIssues: project,
  getErrorProject: project,
  createErrorProject: () => ({ body: { name: 'Shop', platform: 'browser' } }),
  updateErrorProject: (world) => ({ ...project(world), body: { name: 'Web shop' } }),
  deleteErrorProject: project,
  createErrorKey: project,
  revokeErrorKey: ({ errorProjectId, errorKeyId }) => ({
    params: { id: errorProjectId, keyId: errorKeyId },
  }),
  setErrorIssueStatus: (world) => ({ ...issue(world), body: { status: 'resolved' } }),
  setErrorIssueStatuses: (world) => ({
    ...project(world),
    body: { ids: [world.errorIssueId], status: 'resolved' },
  }),
  getErrorFacets: project,
  getErrorIssueBreakdown: issue,
  listSourceMaps: project,
  deleteSourceMaps: ({ errorProjectId, uploadId }) => ({
    params: { id: errorProjectId, uploadId },
  }),
  getErrorSurroundings: issue,
  listErrorRules: nothing,
  createErrorRule: ({ errorProjectId, channelId }) => ({
    body: { name: 'new ones', projectIds: [errorProjectId], channelIds: [channelId] },
  }),
  updateErrorRule: ({ errorRuleId, errorProjectId, channelId }) => ({
    params: { id: errorRuleId },
    body: { projectIds: [errorProjectId], channelIds: [channelId] },
  }),
  deleteErrorRule: ({ errorRuleId }) => ({ params: { id: errorRuleId } }),
  getErrorMarks: ({ checkId }) => ({ query: { ...span, checkId } }),
  getErrorIssueHours: (world) => ({ ...project(world), query: { ids: world.errorIssueId } }),
  getErrorIssueDays: issue,
  getMesh: nothing,
  getLedger: nothing,
  getLedgerHours: nothing,
  getSession: nothing,
  listSessions: nothing,
  endSession: ({ otherSessionId }) => ({ params: { id: otherSessionId } }),
  endOtherSessions: nothing,
  listMembers: nothing,
  inviteMember: () => ({ body: { email: 'new-member@example.org' } }),
  revokeInvitation: ({ invitationId }) => ({ params: { id: invitationId } }),
  removeMember: ({ otherMemberId }) => ({ params: { id: otherMemberId } }),
  listKeys: nothing,
  createKey: () => ({ body: { name: 'ci', scope: 'read' } }),
  revokeKey: ({ keyId }) => ({ params: { id: keyId } }),
  getCheckConfig: ({ journeyId }) => check(journeyId),
  getCheckCause: ({ checkId }) => check(checkId),
  getCheckNotes: ({ checkId }) => check(checkId),
  getStatusRule: ({ checkId }) => check(checkId),
  replayStatusRule: ({ checkId }) => ({ ...check(checkId), body: { statusRule: { failingRegions: 'any' } } }),
  getCheckPause: ({ checkId }) => check(checkId),
  getCheckParents: ({ checkId }) => check(checkId),
  createTypedCheck: ({ agentId }) => ({ body: { ...tcp, regions: [privateRegion(agentId)] } }),
  editTypedCheck: ({ tcpCheckId, agentId }) => ({
    ...check(tcpCheckId),
    body: { name: 'main', regions: [privateRegion(agentId)] },
  }),
  replaceSteps: ({ journeyId }) => ({ ...check(journeyId), body: { steps: [step] } }),
  releaseHeartbeat: ({ heartbeatId }) => check(heartbeatId),
  tryCheck: ({ agentId }) => ({ body: { ...tcp, regions: [privateRegion(agentId)] } }),
  listTiers: nothing,
  getOverview: nothing,
  getCounts: nothing,
  listPaletteEntries: nothing,
  listOutages: ({ checkId }) => ({ query: { checkId } }),
  getOutage: ({ outageId }) => ({ params: { id: outageId } }),
  listAlertRules: nothing,
  createAlertRule: ({ checkId, channelId }) => ({
    body: { name: 'all', checkIds: [checkId], channelIds: [channelId] },
  }),
  updateAlertRule: ({ ruleId, checkId, channelId }) => ({
    params: { id: ruleId },
    body: { checkIds: [checkId], channelIds: [channelId] },
  }),
  listSchedules: nothing,
  getSchedule: ({ scheduleId }) => check(scheduleId),
  createSchedule: ({ otherMemberId }) => ({ body: schedule(otherMemberId) }),
  updateSchedule: ({ scheduleId, otherMemberId }) => ({
    params: { id: scheduleId },
    body: schedule(otherMemberId),
  }),
  replaceCalendarAddress: ({ scheduleId }) => check(scheduleId),
  deleteSchedule: ({ unusedScheduleId }) => check(unusedScheduleId),
  getTelemetry: nothing,
  updateTelemetry: () => ({
    body: { endpoint: 'https://otlp.example.com', headers: '', metrics: true, traces: true },
  }),
  deleteTelemetry: nothing,
  createObjective: ({ checkId }) => ({ body: { ...objective, checkId } }),
  updateObjective: ({ objectiveId }) => ({ params: { id: objectiveId }, body: { ...objective, tag: 'eu' } }),
  listSecrets: nothing,
  createSecret: () => ({ body: { name: 'token', value: 'a long value', hosts: ['api.example.org'] } }),
  updateSecret: ({ secretId }) => ({
    params: { id: secretId },
    body: { value: 'another value', hosts: ['api.example.org'] },
  }),
  deleteSecret: ({ unusedSecretId }) => check(unusedSecretId),
  deleteObjective: ({ unusedObjectiveId }) => check(unusedObjectiveId),
  listEscalationPolicies: nothing,
  createEscalationPolicy: ({ scheduleId, otherMemberId, channelId }) => ({
    body: policy({ scheduleIds: [scheduleId], userIds: [otherMemberId], channelIds: [channelId] }),
  }),
  updateEscalationPolicy: ({ policyId, scheduleId }) => ({
    params: { id: policyId },
    body: policy({ scheduleIds: [scheduleId] }),
  }),
  deleteEscalationPolicy: ({ policyId }) => check(policyId),
  deleteAlertRule: ({ ruleId }) => ({ params: { id: ruleId } }),
  askAlertAddress: ({ alertAddressId }) => ({ params: { id: alertAddressId } }),
  getCheckReceivers: ({ checkId }) => ({ params: { id: checkId } }),
  getProfile: nothing,
  updateProfile: () => ({ body: { name: 'Kim', timeZone: 'Europe/Berlin' } }),
  updateAccount: () => ({ body: { timeZone: 'Asia/Tokyo' } }),
  listFailingChannels: () => ({}),
  listDeliveries: ({ deliveryId }) => ({ query: { before: deliveryId } }),
  retryDelivery: ({ deliveryId }) => ({ params: { id: deliveryId } }),
  listAudit: ({ deliveryId }) => ({ query: { before: deliveryId } }),
}

/** Sends a call as the page of a logged-in user. */
export const sendAsUser = (
  at: TestApp,
  user: Pick<TestUser, 'cookie'>,
  route: Route,
  { params = {}, query = {}, body }: Call,
): Promise<Answer> => {
  const path = route.path.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(String(params[part])))
  const search = new URLSearchParams(
    Object.entries(query).map(([field, value]): [string, string] => [field, String(value)]),
  )
  const url = `${path}${search.size === 0 ? '' : `?${search}`}`
  return asUser(at, user, route.method as 'GET', url, body)
}

/** Creates an account with a logged-in user and one of each thing. */
export const makeDashboardWorld = async (at: TestApp): Promise<{ user: TestUser; world: DashboardWorld }> => {
  const user = await loggedIn(at)
  const make = async (path: string, body: object): Promise<Answer['json']> => {
    const answer = await asUser(at, user, 'POST', path, body)
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.text}`)
    return answer.json
  }
  const key = async (scope: string): Promise<string> => (await make('/keys', { name: scope, scope })).apiKey
  const account = {
    id: user.accountId,
    readKey: await key('read'),
    writeKey: await key('read_write'),
  }
  const world = await makeWorld(at, account)
  const [errorKey] = await at.sql<{ id: string }[]>`
    insert into error_keys (id, account_id, project_id, public_key, created_at)
    values (${randomUUID()}, ${account.id}, ${world.errorProjectId}, ${randomUUID().replaceAll('-', '')}, now())
    returning id`
  const [subscriber] = await at.sql<{ id: string }[]>`
    insert into subscribers (id, account_id, status_page_id, email, confirm_before, asked_at,
      confirmed_at, created_at)
    select ${uuidv7(at.now())}, account_id, id, 'reader@example.org', now(),
      array[]::timestamptz[], now(), now()
    from status_pages where id = ${world.pageId} returning id`
  const [delivery] = await at.sql<{ id: string }[]>`
    insert into deliveries (id, account_id, kind, recipient, cause, message, state, next_attempt_at,
      expires_at, created_at)
    values (${uuidv7(at.now())}, ${account.id}, 'mail', 'reader@example.org', ${randomUUID()},
      ${at.sql.json({ subject: 'news', text: 'news' })}, 'dead', now(), now(), now())
    returning id`
  const [alertAddress] = await at.sql<{ id: string }[]>`
    insert into alert_addresses (id, account_id, email, confirm_before, asked_at, created_at)
    values (${uuidv7(at.now())}, ${account.id}, 'outside@example.org', now(), now(), now()) returning id`
  await at.sql`update alert_rules set addresses = '{outside@example.org}' where account_id = ${account.id}`
  const otherMemberId = uuidv7(at.now())
  await at.sql`
    insert into users (id, account_id, email, password_hash, created_at)
    values (${otherMemberId}, ${account.id}, ${`${otherMemberId}@example.org`}, '', now())`
  const outageId = uuidv7(at.now())
  await at.sql`
    insert into flips (id, check_id, version, from_status, to_status, at)
    values (${outageId}, ${world.checkId}, 1000, 'unknown', 'down', now())`
  const uploadId = randomUUID()
  const map = { id: randomUUID(), debugId: randomUUID(), file: 'shop.js', release: null }
  const of = { accountId: account.id, projectId: world.errorProjectId, uploadId }
  const bytes = { packed: Buffer.from('{}'), readBytes: 2 }
  await at.sql.begin((tx) => insertSourceMap(tx, { ...map, ...of, ...bytes }, at.now()))
  await logInAs(at, user.email)
  const sessions = (await asUser(at, user, 'GET', '/sessions')).json.sessions
  const scheduleId = (await make('/on-call/schedules', schedule(otherMemberId))).id
  const secret = { value: 'a long value', hosts: ['example.org'] }
  return {
    user,
    world: {
      ...world,
      journeyId: (await make('/typed-checks', { type: 'multistep', name: 'j', steps: [step] })).id,
      tcpCheckId: (await make('/typed-checks', tcp)).id,
      heartbeatId: (
        await make('/typed-checks', {
          type: 'heartbeat',
          name: 'backup',
          settings: { periodSeconds: 3_600, graceSeconds: 60 },
        })
      ).id,
      otherSessionId: sessions.find((one: { current: boolean }) => !one.current).id,
      keyId: (await make('/keys', { name: 'to revoke', scope: 'read' })).key.id,
      ruleId: (await make('/alert-rules', { name: 'rule' })).id,
      scheduleId,
      secretId: (await make('/secrets', { ...secret, name: 'stored' })).id,
      unusedSecretId: (await make('/secrets', { ...secret, name: 'unused' })).id,
      objectiveId: (await make('/objectives', { ...objective, tag: 'eu' })).id,
      unusedObjectiveId: (await make('/objectives', { ...objective, tag: 'eu' })).id,
      unusedScheduleId: (await make('/on-call/schedules', schedule(otherMemberId))).id,
      policyId: (await make('/on-call/policies', policy({ scheduleIds: [scheduleId] }))).id,
      errorRuleId: (await make('/error-rules', { name: 'rule' })).id,
      deliveryId: delivery?.id ?? '',
      errorKeyId: errorKey?.id ?? '',
      subscriberId: subscriber?.id ?? '',
      uploadId,
      outageId,
      otherMemberId,
      alertAddressId: alertAddress?.id ?? '',
      savedFilterId: (await make('/saved-filters', { name: 'Shop', query: { q: 'shop' } })).id,
      invitationId: (await make('/invitations', { email: 'invited@example.org' })).invitation.id,
    },
  }
}
