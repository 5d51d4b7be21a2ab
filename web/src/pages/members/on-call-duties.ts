import type { EscalationPolicy } from '@probe-mesh/contracts/on-call/escalation-policy'
import type { Schedule } from '@probe-mesh/contracts/on-call/schedule'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'

/** A schedule or policy that names a member. */
type Duty = { name: string; path: string }

const listPath = '/dashboard/on-call'

/** The schedules and policies that name a member, without overrides that are over. */
export const dutiesOf = (
  userId: string,
  { schedules, policies }: { schedules: readonly Schedule[]; policies: readonly EscalationPolicy[] },
  nowMs: number,
): Duty[] => [
  ...schedules
    .filter(
      ({ layers, overrides }) =>
        layers.some(({ userIds }) => userIds.includes(userId)) ||
        overrides.some((each) => each.userId === userId && Date.parse(each.to) > nowMs),
    )
    .map(({ id, name }) => ({ name, path: `${listPath}/${id}` })),
  ...policies
    .filter(({ levels }) => levels.some(({ userIds }) => userIds.includes(userId)))
    .map(({ id, name }) => ({ name, path: `${listPath}/policies/${id}` })),
]

/** What on-call loses with the member; nothing where no schedule or policy names one. */
export const dutiesText = (duties: readonly Duty[], you: boolean): Html | null =>
  duties.length === 0
    ? null
    : html`<p class="warned">
        These schedules and policies name ${you ? 'you' : 'this member'}:
        ${duties.map(({ name, path }, index) => html`${index > 0 && ', '}<a href="${path}">${named(name)}</a>`)};
        ${you ? 'your' : 'their'} turns will have no one on call.
      </p>`
