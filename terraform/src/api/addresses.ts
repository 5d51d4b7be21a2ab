import type { RouteName, Routes } from '@probe-mesh/contracts/api/routes'

/**
 * What the provider calls, held to the route table by the compiler. The table itself would load every
 * schema of the API in each of the processes that Terraform starts.
 */
export const addresses = {
  getMe: { method: 'GET', path: '/me' },
  listChecks: { method: 'GET', path: '/checks' },
  createCheck: { method: 'POST', path: '/checks' },
  getCheck: { method: 'GET', path: '/checks/:id' },
  updateCheckRegions: { method: 'PATCH', path: '/checks/:id' },
  updateCheckAssertions: { method: 'PATCH', path: '/checks/:id/assertions' },
  deleteCheck: { method: 'DELETE', path: '/checks/:id' },
  listStatusPages: { method: 'GET', path: '/status-pages' },
  createStatusPage: { method: 'POST', path: '/status-pages' },
  getStatusPage: { method: 'GET', path: '/status-pages/:id' },
  updateStatusPage: { method: 'PATCH', path: '/status-pages/:id' },
  deleteStatusPage: { method: 'DELETE', path: '/status-pages/:id' },
  listComponents: { method: 'GET', path: '/status-pages/:id/components' },
  createComponent: { method: 'POST', path: '/status-pages/:id/components' },
  getComponent: { method: 'GET', path: '/status-pages/:id/components/:componentId' },
  updateComponent: { method: 'PATCH', path: '/status-pages/:id/components/:componentId' },
  deleteComponent: { method: 'DELETE', path: '/status-pages/:id/components/:componentId' },
  listChannels: { method: 'GET', path: '/notification-channels' },
  createChannel: { method: 'POST', path: '/notification-channels' },
  getChannel: { method: 'GET', path: '/notification-channels/:id' },
  updateChannel: { method: 'PATCH', path: '/notification-channels/:id' },
  deleteChannel: { method: 'DELETE', path: '/notification-channels/:id' },
} as const satisfies { readonly [N in RouteName]?: Pick<Routes[N], 'method' | 'path'> }

export type UsedRoute = keyof typeof addresses
