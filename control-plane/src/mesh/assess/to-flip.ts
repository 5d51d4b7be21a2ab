import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import type { StatusChange } from '../../status/observe.ts'
import type { AssessedCheck, FlipWrite } from '../../status/states-store.ts'

/** A change as it is recorded: with its id, its version and the event for live pages. */
export const toFlip = (
  check: AssessedCheck,
  change: StatusChange,
  version: number,
): FlipWrite['flips'][number] => {
  const id = uuidv7(change.atMs)
  const payload: AccountEvent = {
    kind: 'flip',
    accountId: check.accountId,
    flip: {
      id,
      accountId: check.accountId,
      checkId: check.checkId,
      checkName: check.name,
      from: change.from,
      to: change.to,
      reason: change.reason,
      at: new Date(change.atMs).toISOString(),
    },
  }
  return { id, outboxId: uuidv7(change.atMs), version, change, payload }
}
