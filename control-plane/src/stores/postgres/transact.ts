import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { isConnectionLost, type Sql, type Transaction } from './connect.ts'

/**
 * Runs statements in one transaction: all of their writes are stored, or none. Wraps the driver's own
 * `begin`, which sends the rollback or the next statement to a closed socket when the connection is lost.
 * That throws where it cannot be caught and ends the process (postgres 3.4.9). After a connection is lost,
 * this sends nothing over it and leaves the work unsettled: the caller already has its error.
 * @returns the result of `work`; a refusal rolls back like an error
 * @throws the error of `work`, after a rollback; the driver's error when the server is unavailable
 */
export const transact = async <T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> => {
  let lost = false
  const guard = (tx: Transaction): Transaction =>
    new Proxy(tx, {
      apply: (target, self, parts) => {
        if (lost) throw new Error('the connection of this transaction was lost')
        return watched(Reflect.apply(target, self, parts), (error) => {
          lost ||= isConnectionLost(error)
        })
      },
    })
  const outcome = sql.begin(
    (tx) =>
      new Promise<T>((resolve, reject) => {
        work(guard(tx)).then(
          (value) => {
            if (lost) return
            if (isRefusal(value)) reject(new RolledBack(value))
            else resolve(value)
          },
          (error: unknown) => {
            if (!lost) reject(error)
          },
        )
      }),
  )
  try {
    return (await outcome) as T
  } catch (error) {
    lost = true
    if (error instanceof RolledBack) return error.value as T
    throw error
  }
}

/**
 * Calls `onFailure` before the failure of a statement reaches its caller, so that nothing more is sent. A
 * statement runs when its own `then` is called: this call does not start it.
 */
const watched = <S>(statement: S, onFailure: (error: unknown) => void): S => {
  if (statement instanceof Promise) {
    Promise.prototype.then.call(statement, undefined, onFailure)
  }
  return statement
}

/** Carries a refusal through the driver, which rolls back only on errors. */
class RolledBack extends Error {
  override readonly name = 'RolledBack'
  readonly value: unknown

  constructor(value: unknown) {
    super('the work was refused')
    this.value = value
  }
}
