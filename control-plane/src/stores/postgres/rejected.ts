import { errorCode } from './connect.ts'

/**
 * SQLSTATE classes by which Postgres refuses the data itself: values out of range, broken constraints,
 * more than an index or a row takes. A missing table or permission is the operator's to heal.
 */
const dataStates = /^(22|23|54)[0-9A-Z]{3}$/

/** Whether Postgres refused what it was given, so that the same again would be refused again. */
export const isRejectedByPostgres = (error: unknown): boolean =>
  dataStates.test(errorCode(error) ?? '')

/** Ends a transaction that was only to show whether Postgres takes it: what it wrote is rolled back. */
export class Rehearsed extends Error {
  override readonly name = 'Rehearsed'
}

/**
 * Whether Postgres takes what a rehearsal writes.
 * @throws whatever is no refusal of the data, as where it is away
 */
export const isTaken = async (rehearse: () => Promise<unknown>): Promise<boolean> => {
  try {
    await rehearse()
    return true
  } catch (error) {
    if (error instanceof Rehearsed) return true
    if (isRejectedByPostgres(error)) return false
    throw error
  }
}
