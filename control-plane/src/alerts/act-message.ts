import type { Notice } from './when-to-alert.ts'

/** What a message about an act says. Null: the notice is about the check itself. */
export const actTexts = (
  { event, alert }: Notice,
  name: string,
  phrase: string,
): { title: string; text: string } | null => {
  switch (event) {
    case 'acknowledged':
      return {
        title: `${name} ${phrase}: acknowledged by ${alert.acknowledged?.by ?? 'a member'}`,
        text: 'No more reminders follow. You get a message if it gets worse, and when it recovers.',
      }
    case 'resolved':
      return {
        title: `${name} ${phrase}: messages ended by ${alert.resolved?.by ?? 'a member'}`,
        text: 'No more messages follow about this outage. The check is measured as before.',
      }
    default:
      return null
  }
}

/** `(escalation level 2, repeat 1)`, the end of a title; empty for other notices. */
export const levelText = ({ event, step }: Notice): string => {
  if (event !== 'escalation' || step === undefined) return ''
  const repeat = step.round === 0 ? '' : `, repeat ${step.round}`
  return ` (escalation level ${step.level + 1}${repeat})`
}

/** Why a level was reached: no one has taken the alert, or no one was on call. */
export const escalationText = ({ event, gaps = [] }: Notice): string => {
  const nobody = gaps.length === 0 ? '' : `No one is on call in ${[...new Set(gaps)].join(', ')}.`
  const waiting = event === 'escalation' && gaps.length === 0 ? 'It is not acknowledged.' : ''
  return nobody || waiting
}
