import type { AnswerRouteName, AnswerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import type { RouteName, Routes } from '@probe-mesh/contracts/api/routes'
import type { Sent } from '@probe-mesh/contracts/schema/route'

/** What a caller sends as the body of a route; `never` for a route without one. */
type BodyOf<R> = Sent<R, 'body'> extends { body: infer B } ? B : never
type Bodies<N extends string, R extends Record<N, unknown>> = {
  [name in N as [BodyOf<R[name]>] extends [never] ? never : name]: BodyOf<R[name]>
}

const checkId = '6f2a2f0c-3c3e-4d5e-9a51-0f1f6a1f7c11'
const statusPageId = '5d0a7b1e-6f0e-4b69-9a35-1a4a1f4b3c03'

/** A useful request of each route that has a body, for the OpenAPI document. */
export const bodyExamples: Bodies<RouteName, Routes> & Bodies<AnswerRouteName, AnswerRoutes> = {
  createCheck: {
    name: 'Shop',
    url: 'https://shop.example.com/health',
    intervalSeconds: 60,
    regions: ['fra', 'iad'],
    assertionBodyOp: 'contains',
    assertionBodyValue: 'ok',
    tags: ['shop', 'prod'],
  },
  updateCheckRegions: { paused: true },
  updateCheckAssertions: {
    assertionStatusMin: 200,
    assertionStatusMax: 299,
    assertionJsonPath: 'status',
    assertionJsonOp: 'equals',
    assertionJsonValue: 'ok',
  },
  planChecks: {
    drafts: [
      { action: 'create', check: { name: 'Shop', url: 'https://shop.example.com/health' } },
      { action: 'replace', id: checkId, check: { intervalSeconds: 300 } },
    ],
  },
  replaceCheck: { url: 'https://shop.example.com/ready' },
  createStatusPage: { name: 'Example', slug: 'example', title: 'Example status', accentColor: '#0a7d4f' },
  updateStatusPage: { description: 'The shop and its API.' },
  createComponent: { checkId, displayName: 'Shop' },
  updateComponent: { displayName: 'Web shop' },
  createIncident: {
    statusPageId,
    checkId,
    region: 'fra',
    title: 'Slow checkout',
    body: 'We are looking into it.',
  },
  addIncidentUpdate: { status: 'identified', body: 'A database index is missing. We are adding it.' },
  createMaintenance: {
    statusPageId,
    title: 'Database upgrade',
    body: 'The shop is read-only.',
    startsAt: '2026-11-20T22:00:00.000Z',
    durationMinutes: 60,
  },
  updateMaintenance: { durationMinutes: 90 },
  snoozeAlert: { minutes: 60 },
  createChannel: {
    type: 'json',
    name: 'Ops',
    config: { url: 'https://hooks.example.com/mesh', secret: 'sixteen characters or more' },
  },
  updateChannel: { name: 'On call' },
  createAgent: { name: 'Office' },
  reportProblem: { region: 'fra' },
}
