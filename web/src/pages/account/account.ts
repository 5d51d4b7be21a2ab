import type { LoggedIn } from '@probe-mesh/contracts/account/session'
import type { Ask } from '../../api/ask.ts'
import { emptyForm } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { accountPage } from './account-page.ts'

const path = '/dashboard/account'

const show = async (ask: Ask, who: LoggedIn, form: FormState, status = 200): Promise<Outcome> => {
  const [me, sessions, tiers, errorUsage] = await Promise.all([
    ask('getMe', {}),
    ask('listSessions', {}),
    ask('listTiers', {}),
    ask('getErrorUsage', {}),
  ])
  if (!me.ok) return refused(me)
  if (!sessions.ok) return refused(sessions)
  if (!tiers.ok) return refused(tiers)
  if (!errorUsage.ok) return refused(errorUsage)
  const main = accountPage({
    me: me.value,
    errorUsage: errorUsage.value,
    sessions: sessions.value.sessions,
    tiers: tiers.value.tiers,
    isByLink: who.session.openedBy === 'link',
    form,
  })
  return { kind: 'page', title: 'Account', area: 'account', status, main }
}

/** What the account may and has used, where its user is logged in, and the password. */
export const accountRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path,
    serve: ({ ask, who }) => show(ask, who, emptyForm),
  },
  {
    method: 'POST',
    path: `${path}/password`,
    serve: async ({ ask, who, form }) => {
      const current = form.get('currentPassword') ?? ''
      const answer = await ask('changePassword', {
        body: {
          newPassword: form.get('newPassword') ?? '',
          ...(current === '' ? {} : { currentPassword: current }),
        },
      })
      if (answer.ok) return { kind: 'elsewhere', path, done: 'password-changed' }
      const { problem } = answer
      return show(ask, who, refusedForm({}, problem), problem.status)
    },
  },
  {
    method: 'POST',
    path: `${path}/sessions/end-others`,
    serve: async ({ ask }) => {
      const answer = await ask('endOtherSessions', {})
      return answer.ok ? { kind: 'elsewhere', path, done: 'logged-out-others' } : refused(answer)
    },
  },
  {
    method: 'POST',
    path: `${path}/sessions/:id/end`,
    serve: async ({ ask, params }) => {
      const answer = await ask('endSession', { params: { id: params['id'] ?? '' } })
      return answer.ok ? { kind: 'elsewhere', path, done: 'session-ended' } : refused(answer)
    },
  },
]
