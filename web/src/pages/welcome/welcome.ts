import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, type MemberRoute } from '../page-route.ts'
import { showOverview } from '../overview/overview.ts'
import { firstCheckPage, firstReadingsPage, isAwaited } from './welcome-page.ts'

/**
 * A first check from one field. People type `example.org`: without a scheme, https is assumed. The API
 * decides whether the address may be probed.
 */
export const firstCheckOf = (typed: string): { name: string; url: string } => {
  const text = typed.trim()
  const url = text === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`
  const name = URL.canParse(url) ? new URL(url).hostname : ''
  return { name: name === '' ? 'First check' : name, url }
}

const path = '/dashboard/welcome'
const area = 'checks'
/** Without scripts the page reloads itself. */
const refreshSeconds = 3

/** Whether the account has a check, or the API's refusal. */
const hasChecks = async (ask: Ask): Promise<boolean | Outcome> => {
  const me = await ask('getMe', {})
  return me.ok ? me.value.limits.monitors.used > 0 : refused(me)
}

const firstReadings = async (ask: Ask, id: string, nowMs: number): Promise<Outcome> => {
  const [answer, receivers] = await Promise.all([
    ask('getCheck', { params: { id } }),
    ask('getCheckReceivers', { params: { id } }),
  ])
  if (!answer.ok) return refused(answer)
  const check = answer.value
  // no region probes a heartbeat: it waits for its job
  if (check.type === 'heartbeat') return { kind: 'elsewhere', path: `/dashboard/checks/${id}` }
  return {
    kind: 'page',
    title: 'Your first check',
    area,
    main: firstReadingsPage(check, nowMs, receivers.ok ? receivers.value : null),
    ...(isAwaited(check, nowMs) ? { refreshSeconds } : {}),
  }
}

/** The first page of the dashboard; without checks it creates one and shows its first readings. */
export const welcomeRoutes = ({ now }: { now: () => number }): readonly MemberRoute[] => [
  get('/dashboard', ({ ask }) => showOverview(ask, now())),
  {
    method: 'GET',
    path,
    serve: async ({ ask, query }) => {
      const id = query.get('check')
      if (id !== null) return firstReadings(ask, id, now())
      const has = await hasChecks(ask)
      if (typeof has !== 'boolean') return has
      if (has) return { kind: 'elsewhere', path: '/dashboard/checks' }
      return { kind: 'page', title: 'Welcome', area, main: firstCheckPage(emptyForm) }
    },
  },
  {
    method: 'POST',
    path,
    serve: async ({ ask, form }) => {
      const typed = form.get('url') ?? ''
      const answer = await ask('createCheck', { body: firstCheckOf(typed) })
      if (answer.ok) return { kind: 'elsewhere', path: `${path}?check=${answer.value.id}` }
      const { problem } = answer
      const main = firstCheckPage(refusedForm({ url: typed }, problem))
      return { kind: 'page', title: 'Welcome', area, status: problem.status, main }
    },
  },
]
