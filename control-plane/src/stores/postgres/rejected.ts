import { codeOf } from '@probe-mesh/runtime/errors'

/**
 * SQLSTATE classes with which Postgres refuses the data itself: values out of range, violated constraints,
 * too large for an index or a row. A missing table or permission is the operator's to fix.
 */
const dataStates = /^(22|23|54)[0-9A-Z]{3}$/

/** Whether Postgres refused the data, so that a retry would be refused again. */
export const isRejectedByPostgres = (error: unknown): boolean => dataStates.test(codeOf(error))

/** Ends a transaction that only tests whether Postgres accepts its writes: they are rolled back. */
export class Rehearsed extends Error {
  override readonly name = 'Rehearsed'
}

/**
 * Whether Postgres accepts the writes of a rehearsal.
 * @throws any error other than a refusal of the data, such as an unavailable server
 */
export const isAccepted = async (rehearse: () => Promise<unknown>): Promise<boolean> => {
  try {
    await rehearse()
    return true
  } catch (error) {
    if (error instanceof Rehearsed) return true
    if (isRejectedByPostgres(error)) return false
    throw error
  }
}
