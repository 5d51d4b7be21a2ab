import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import { isRejectedByPostgres } from '../../stores/postgres/rejected.ts'
import { unknownOwner } from '../../readings/poison.ts'

/** Consecutive failures, with no message stored in between. */
const messagesMin = 10
const regionsMin = 2

/**
 * Distinguishes messages that cannot be stored from a bug in this version, which would set aside all
 * readings.
 */
export type OwnFaults = {
  stored(): void
  /**
   * @param owner a region of the mesh, or of a private agent, which never counts, so that no account stops a
   * process
   * @returns whether it is a bug of ours: our code fails on every message of several regions
   */
  isOurs(owner: string, error: unknown): boolean
}

export const createOwnFaults = (): OwnFaults => {
  let messages = 0
  const regions = new Set<string>()
  return {
    stored: () => {
      messages = 0
      regions.clear()
    },
    isOurs: (owner, error) => {
      const isOfStore = isRejectedByClickHouse(error) || isRejectedByPostgres(error)
      if (isOfStore || owner === unknownOwner || isPrivateRegion(owner)) return false
      messages += 1
      regions.add(owner)
      return messages >= messagesMin && regions.size >= regionsMin
    },
  }
}
