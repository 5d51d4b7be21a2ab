import { isErrorTrackingOff } from '../../html/error-marks.ts'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import { emptyForm, type FormState } from '../../html/components/form.ts'
import { parseTheme, themes } from '../../html/theme.ts'
import { refused, refusedForm, type Member, type Outcome } from '../outcome.ts'
import { post, type Asking, type MemberRoute } from '../page-route.ts'
import { accountPage } from './account-page.ts'

const path = '/dashboard/account'
const wrongTheme = `must be one of ${themes.join(', ')}`

const show = async (
  { ask, who, zone, theme }: Asking & Pick<Member, 'who' | 'zone' | 'theme'>,
  form: FormState,
  status = 200,
): Promise<Outcome> => {
  const [me, profile, sessions, tiers, errorUsage] = await Promise.all([
    ask('getMe', {}),
    ask('getProfile', {}),
    ask('listSessions', {}),
    ask('listTiers', {}),
    ask('getErrorUsage', {}),
  ])
  if (!me.ok) return refused(me)
  if (!profile.ok) return refused(profile)
  if (!sessions.ok) return refused(sessions)
  if (!tiers.ok) return refused(tiers)
  if (!errorUsage.ok && !isErrorTrackingOff(errorUsage)) return refused(errorUsage)
  const main = accountPage({
    me: me.value,
    profile: profile.value,
    zone,
    errorUsage: errorUsage.ok ? errorUsage.value : null,
    sessions: sessions.value.sessions,
    tiers: tiers.value.tiers,
    isByLink: who.session.openedBy === 'link',
    theme,
    form,
  })
  return { kind: 'page', title: 'Account', area: 'account', status, main }
}

/** What the account may and has used, the member's own settings, where the member is logged in, and the password. */
export const accountRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path,
    serve: (request) => show(request, emptyForm),
  },
  post(`${path}/password`, async (request) => {
    const { ask, form } = request
    const current = form.get('currentPassword') ?? ''
    const answer = await ask('changePassword', {
      body: {
        newPassword: form.get('newPassword') ?? '',
        ...(current === '' ? {} : { currentPassword: current }),
      },
    })
    if (answer.ok) return { kind: 'elsewhere', path, done: 'password-changed' }
    const { problem } = answer
    return show(request, refusedForm({}, problem), problem.status)
  }),
  post(`${path}/profile`, async (request) => {
    const { ask, form } = request
    const [name, timeZone] = [form.get('name') ?? '', form.get('timeZone') ?? '']
    // an empty name stays unchosen
    const body = { ...(name.trim() === '' ? {} : { name }), timeZone }
    const answer = await ask('updateProfile', { body })
    if (answer.ok) return { kind: 'elsewhere', path, done: 'profile-saved' }
    const { problem } = answer
    return show(request, refusedForm({ name, timeZone }, problem), problem.status)
  }),
  post(`${path}/settings`, async ({ ask, form }) => {
    const answer = await ask('updateAccount', { body: { timeZone: form.get('accountZone') ?? '' } })
    return answer.ok ? { kind: 'elsewhere', path, done: 'account-zone-saved' } : refused(answer)
  }),
  post(`${path}/theme`, async (request) => {
    const theme = parseTheme(request.form.get('theme'))
    if (theme !== null) return { kind: 'elsewhere', path, done: 'theme-saved', theme }
    const problem = toProblem(refuse('SV-2001', { errors: [{ path: 'theme', message: wrongTheme }] }))
    return show(request, refusedForm({}, problem), problem.status)
  }),
  post(`${path}/sessions/end-others`, async ({ ask }) => {
    const answer = await ask('endOtherSessions', {})
    return answer.ok ? { kind: 'elsewhere', path, done: 'logged-out-others' } : refused(answer)
  }),
  post(`${path}/sessions/:id/end`, async ({ ask, params }) => {
    const answer = await ask('endSession', { params: { id: params['id'] ?? '' } })
    return answer.ok ? { kind: 'elsewhere', path, done: 'session-ended' } : refused(answer)
  }),
]
