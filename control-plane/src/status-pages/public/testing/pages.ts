import type { ComponentState } from '@probe-mesh/contracts/status-page/status-page'
import { pageHeadline } from '../../headline.ts'
import type { PublicPage } from '../public-page.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString()
const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

/**
 * A page for tests, whose texts are `text` and whose components are in `states`, one after another. Its
 * headline is that of its components.
 */
export const testPage = (
  states: readonly ComponentState[],
  state: PublicPage['page']['state'],
  text = 'Acme',
): PublicPage => ({
  page: {
    id: idOf(1),
    name: text,
    slug: 'acme',
    path: '/status/acme',
    url: 'https://status.example.org/status/acme',
    title: null,
    description: text,
    logo: null,
    accentColor: null,
    themePreset: 'system',
    font: 'system',
    locale: 'en',
    links: [],
    componentCount: states.length,
    state,
    updatedAt: at(0),
  },
  headline: pageHeadline(
    {
      components: states.map((state, n) => ({ id: idOf(100 + n), displayName: `${text} ${n}`, state })),
      incidents: [],
      isCovered: false,
    },
    'en',
  ),
  components: states.map((state, n) => ({
    id: idOf(100 + n),
    statusPageId: idOf(1),
    checkId: idOf(200 + n),
    displayName: `${text} ${n}`,
    description: null,
    state,
    createdAt: at(0),
    changedAt: at(n),
  })),
  incidents: [
    {
      id: idOf(300),
      statusPageId: idOf(1),
      checkId: idOf(200),
      region: 'fra',
      title: text,
      status: 'monitoring',
      source: 'manual',
      impact: 'minor',
      componentIds: [idOf(100)],
      startedAt: at(10),
      resolvedAt: null,
      updates: [
        { id: idOf(302), status: 'monitoring', body: `latest ${text}`, createdAt: at(20) },
        { id: idOf(301), status: 'investigating', body: `first ${text}`, createdAt: at(10) },
      ],
    },
    {
      id: idOf(310),
      statusPageId: idOf(1),
      checkId: idOf(200),
      region: 'fra',
      title: `${text} earlier`,
      status: 'resolved',
      source: 'automatic',
      impact: 'major',
      componentIds: [idOf(100)],
      startedAt: at(1),
      resolvedAt: at(5),
      updates: [],
    },
  ],
  windows: [
    {
      id: idOf(400),
      statusPageId: idOf(1),
      title: text,
      body: text,
      startsAt: at(30),
      endsAt: at(50),
      state: 'scheduled',
      componentIds: [idOf(100)],
      createdAt: at(15),
      changedAt: at(15),
    },
  ],
  calendar: [
    {
      id: idOf(400),
      accountId: idOf(2),
      statusPageId: idOf(1),
      title: text,
      body: text,
      startsAtMs: Date.parse(at(30)),
      endsAtMs: Date.parse(at(50)),
      wholePage: false,
      componentIds: [idOf(100)],
      createdAtMs: Date.parse(at(15)),
      revision: 0,
      changedAtMs: null,
      cancelledAtMs: null,
    },
  ],
})
