import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { Ask } from '../../api/ask.ts'
import type { Typed } from '../../html/form.ts'
import { typedOfCheck } from '../check-form/check-texts.ts'
import { refused } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'

/** A check as it is now, as its form shows it, and what the account may have. */
export type HeldCheck = { check: Check; typed: Typed; me: Me; agents: readonly PrivateAgent[] }

/** Reads the check that a path names, and goes on with it; a refusal is shown instead. */
export const withCheck = async (
  ask: Ask,
  { id = '' }: Readonly<Record<string, string>>,
  goOn: (held: HeldCheck) => Promise<Outcome>,
): Promise<Outcome> => {
  const params = { id }
  const [check, config, me, listed] = await Promise.all([
    ask('getCheck', { params }),
    ask('getCheckConfig', { params }),
    ask('getMe', {}),
    ask('listAgents', {}),
  ])
  if (!check.ok) return refused(check)
  if (!config.ok) return refused(config)
  if (!me.ok) return refused(me)
  if (!listed.ok) return refused(listed)
  const typed = typedOfCheck(check.value, config.value)
  const { agents } = listed.value
  return goOn({ check: check.value, typed, me: me.value, agents })
}
