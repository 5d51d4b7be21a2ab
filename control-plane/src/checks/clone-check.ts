import type { Check } from '@probe-mesh/contracts/check/check'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findCheck } from '../check-record/checks-store.ts'
import type { Writer } from '../operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { saveNewCheck } from './create-check.ts'
import type { SavingContext } from './create-check.ts'

const suffix = ' copy'

/**
 * Creates a check with the settings of another one, under the name with "copy" added. A heartbeat gets a ping
 * address of its own. Refusals: no such check SV-3001, a check that a newer version wrote SV-3002, and those of a
 * creation.
 */
export const cloneCheck = async (
  context: SavingContext,
  writer: Writer,
  { checkId }: { checkId: string },
): Promise<Check | Refusal> => {
  const { accountId } = writer
  const check = await inAccount(context.sql, accountId, (tx) => findCheck(tx, accountId, checkId))
  if (check === null) return refuse('SV-3001')
  const { config } = check
  if (config.type === 'unknown') {
    return refuse('SV-3002', { message: 'A newer version of the control plane wrote this check.' })
  }
  const { url, target, intervalSeconds, regions, allRegions, private: isPrivate, tags, assertions } = check
  const name = `${check.name.slice(0, limits.nameCharactersMax - suffix.length)}${suffix}`
  const copy = { url, target, intervalSeconds, regions, allRegions, private: isPrivate, tags, assertions }
  return saveNewCheck(context, writer, { ...copy, name, config, paused: false })
}
