import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'
import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import { isRejectedByPostgres } from '../../stores/postgres/rejected.ts'
import { unknownOwner } from '../../readings/poison.ts'

/** In a row, without one that was stored between them. */
const messagesMin = 10
const regionsMin = 2

/** Tells messages that cannot be stored from a fault of our own, which would put aside all that is measured. */
export type OwnFaults = {
  stored(): void
  /**
   * @param owner a region of the mesh, or a private agent's: those never count, so that no account stops a process
   * @returns whether it is us: our code fails on all that several regions send
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
