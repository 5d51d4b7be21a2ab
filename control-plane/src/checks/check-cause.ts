import type { CheckCauseAnswer } from '@probe-mesh/contracts/check/check-cause'
import { childrenNamedMax } from '@probe-mesh/contracts/check/check-parents'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findNames } from '../records/check/check-parents-store.ts'
import { findCheck } from '../records/check/checks-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import type { OpenIncident } from '../public-answers/open-incident.ts'
import { causeText, factorText } from '../alerts/shared-causes/cause-text.ts'
import { findEvidence } from '../alerts/shared-causes/providers-store.ts'
import { sharedCauseOf } from '../alerts/shared-causes/shared-cause.ts'
import { inAccount } from '../stores/postgres/in-account.ts'

/**
 * What other checks and the catalog show about why a check is down. SV-3001 for an unknown check.
 * @param incidents the shared incidents that outage answers report now
 */
export const getCheckCause = (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Writer, 'accountId'>,
  { params: { id } }: { params: { id: string } },
  incidents: readonly OpenIncident[],
): Promise<CheckCauseAnswer | Refusal> =>
  inAccount(sql, accountId, async (tx) => {
    const check = await findCheck(tx, accountId, id)
    if (check === null) return refuse('SV-3001')
    if (check.paused || check.state.status !== 'down') return { cause: null }
    const evidence = await findEvidence(tx, accountId, () => Promise.resolve(incidents), now())
    const cause = sharedCauseOf(id, evidence)
    if (cause === null) return { cause: null }
    const { factor, memberIds, failingCount, sinceMs } = cause
    const ids = memberIds.slice(0, childrenNamedMax)
    const names = await findNames(tx, accountId, ids)
    const ownSinceMs = evidence.failing.find((each) => each.id === id)?.sinceMs ?? sinceMs
    return {
      cause: {
        provider: factorText(factor),
        text: causeText(cause, ownSinceMs),
        checks: ids.flatMap((each) => {
          const name = names.get(each)
          return name === undefined ? [] : [{ id: each, name }]
        }),
        checkCount: memberIds.length,
        failingCount,
        since: new Date(sinceMs).toISOString(),
      },
    }
  })
