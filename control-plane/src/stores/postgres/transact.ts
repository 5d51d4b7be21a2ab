import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { isConnectionLost } from './connect.ts'
import type { Sql, Transaction } from './connect.ts'

/**
 * Runs statements in one transaction: all of what they wrote stays, or nothing.
 *
 * Around the driver's own `begin` because of what that does when the server goes away in between:
 * it sends the rollback, or the next statement, to a socket that is gone, which throws where nobody
 * can catch it and ends the process (postgres 3.4.9). Once a connection is lost nothing is sent over
 * it any more and the work is left unsettled: the caller has its error by then.
 * @returns what `work` returns; a refusal rolls back as an error does
 * @throws what `work` throws, after a rollback; what the driver throws when the server is away
 */
export const transact = async <T>(
  sql: Sql,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> => {
  let lost = false
  const guard = (transaction: Transaction): Transaction =>
    new Proxy(transaction, {
      apply: (target, self, parts) => {
        if (lost) throw new Error('the connection of this transaction is lost')
        return watched(Reflect.apply(target, self, parts), (error) => {
          lost ||= isConnectionLost(error)
        })
      },
    })
  const outcome = sql.begin(
    (transaction) =>
      new Promise<T>((resolve, reject) => {
        work(guard(transaction)).then(
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
 * Whoever awaits the statement learns of its failure after `onFailure`, which may then see to it that
 * nothing more is sent. A statement runs when its own `then` is called: this one does not start it.
 */
const watched = <S>(statement: S, onFailure: (error: unknown) => void): S => {
  if (statement instanceof Promise) {
    Promise.prototype.then.call(statement, undefined, onFailure)
  }
  return statement
}

/** Carries a refusal through the driver, which rolls back for errors only. */
class RolledBack extends Error {
  override readonly name = 'RolledBack'
  readonly value: unknown

  constructor(value: unknown) {
    super('the work was refused')
    this.value = value
  }
}
