import type { PublicDay, PublicPageDocument } from '@probe-mesh/contracts/status-page/public-page'
import { groupsOf } from '@probe-mesh/control-plane/src/status-pages/component-groups'
import { pageHeadline } from '@probe-mesh/control-plane/src/status-pages/headline'
import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'

const endMs = Date.UTC(2026, 10, 20)
const dateOf = (ago: number): string => new Date(endMs - ago * 86_400_000).toISOString().slice(0, 10)

/** A day that was measured completely and up, except for the given values. */
export const dayOf = (day: Partial<PublicDay> = {}): PublicDay => ({
  date: dateOf(0),
  upShare: 1,
  measuredSeconds: 86_400,
  unmeasuredSeconds: 0,
  maintenanceSeconds: 0,
  incidents: 0,
  ...day,
})

/** Ninety days, oldest first. @param given exceptions from a good day, by days ago */
export const daysOf = (given: Readonly<Record<number, Partial<PublicDay>>> = {}): PublicDay[] =>
  Array.from({ length: 90 }, (_, at) => 89 - at).map((ago) => dayOf({ date: dateOf(ago), ...given[ago] }))

const idOf = (n: number): string => `0190c2a4-7d3e-7b6f-8a11-2b3c4d5e${String(n).padStart(4, '0')}`

/** A page whose every text is `text`. */
export const documentOf = (
  states: readonly ComponentState[],
  { text = 'Acme', days = daysOf() }: { text?: string; days?: PublicDay[] } = {},
): PublicPageDocument => ({
  asOf: '2026-11-20T12:00:05.000Z',
  vantage: 'local',
  headline: pageHeadline(
    {
      components: states.map((state, n) => ({ id: idOf(n), displayName: `${text} ${n}`, state })),
      incidents: [],
      isCovered: false,
    },
    'en',
  ),
  groups: groupsOf(states.map((state, n) => ({ id: idOf(n), state }))),
  page: {
    name: text,
    slug: 'acme',
    path: '/status/acme',
    url: 'https://status.example.org/status/acme',
    description: text,
    logo: null,
    uploadedLogo: null,
    accentColor: null,
    themePreset: 'system',
    font: 'system',
    locale: 'en',
    links: [{ label: text, url: 'https://example.org/' }],
    state: states[0] ?? 'no_data',
  },
  components: states.map((state, n) => ({
    id: idOf(n),
    displayName: `${text} ${n}`,
    description: text,
    groupName: null,
    state,
    measuredBy: 'probes',
    measuredAt: '2026-11-20T11:59:58.000Z',
    staleAfterSeconds: 155,
    regionsRead: ['fra', 'iad', 'nrt', 'sjc'],
    upShare: 0.99982,
    days,
  })),
  incidents: [],
  hasMoreIncidents: false,
  windows: [],
})
